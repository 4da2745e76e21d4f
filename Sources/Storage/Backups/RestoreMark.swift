public import Bus
internal import EventLoop
internal import Foundation
internal import KithMessages

/// Holds a state directory without opening its store, and marks that its files are being exchanged.
///
/// While the mark is there, no hub opens the store: half of the files could be those of before.
///
/// ```swift
/// let mark = try RestoreMark(directory)
/// try mark.set()
/// // … exchange the files …
/// mark.remove()
/// ```
public struct RestoreMark: Sendable {
  private let lock: LockFile
  private let path: String

  /// Locks a directory, which is made if it is missing.
  ///
  /// - Throws: `FAILED_PRECONDITION/ALREADY_RUNNING` while a hub uses it.
  public init(_ directory: String) throws(Failure) {
    try StoreFile.makeDirectory(directory)
    self.lock = try StoreFile.lock(directory)
    self.path = Self.path(in: directory)
  }

  /// Sets the mark, durably.
  public func set() throws(Failure) {
    try DiskFile.open(self.path, create: true)?.synchronize()
    try DiskFile.synchronizeDirectory((self.path as NSString).deletingLastPathComponent)
  }

  /// Removes the mark once the exchanged files are on disk, and the lock.
  public func remove() throws(Failure) {
    try DiskFile.synchronizeDirectory((self.path as NSString).deletingLastPathComponent)
    DiskFile.remove(self.path)
    self.lock.release()
  }

  /// - Throws: `FAILED_PRECONDITION/RESTORE_UNFINISHED` if a restore did not come to its end.
  static func requireNone(in directory: String) throws(Failure) {
    guard FileManager.default.fileExists(atPath: self.path(in: directory)) else { return }
    throw Failure(
      .failedPrecondition, "RESTORE_UNFINISHED",
      "A restore into \(directory) did not come to its end. Run `kithd restore` with the same backup again.")
  }

  private static func path(in directory: String) -> String { directory + "/restore.unfinished" }
}
