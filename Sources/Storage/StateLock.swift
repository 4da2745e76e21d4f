internal import Bus
internal import Glibc
internal import KithMessages

/// The state directory's lock: one kithd at a time.
final class StateLock: Sendable {
  private let file: DiskFile

  /// Takes the lock, and writes the process id into its file.
  ///
  /// - Throws: `FAILED_PRECONDITION/ALREADY_RUNNING` naming the process that holds it.
  init(_ path: String) throws(Failure) {
    guard let file = try DiskFile.open(path, create: true) else { throw .unusable(path) }
    guard file.lock() else {
      let text = String(decoding: try file.read(at: 0, length: 20), as: UTF8.self)
      let holder = text.filter(\.isNumber)
      throw Failure(
        .failedPrecondition, "ALREADY_RUNNING",
        "Another kithd (process \(holder.isEmpty ? "unknown" : holder)) uses this state directory. Stop it first, or "
          + "give this one another directory.", details: ["pid": holder])
    }
    try file.truncate()
    try file.append(Array("\(getpid())\n".utf8), at: 0)
    self.file = file
  }

  /// Lets others have the directory.
  func release() { self.file.unlock() }
}
