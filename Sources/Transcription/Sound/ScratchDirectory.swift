internal import Foundation
internal import Glibc

/// A private folder for one recording, deleted with this object, so that no sound is left behind.
final class ScratchDirectory: Sendable {
  /// Its path.
  let path: String

  /// Makes an empty folder with a random name.
  init(in parent: String) throws(SoundFault) {
    var template = Array("\(parent)/XXXXXX\0".utf8CString.dropLast())
    // The array ends with a zero and has the six letters that are replaced.
    guard unsafe mkdtemp(&template) != nil else {
      throw .storage("no folder can be made in \(parent)")
    }
    self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: self.path) }

  /// The path of something in it.
  func file(_ name: String) -> String { "\(self.path)/\(name)" }

  /// Makes an empty folder in it.
  func folder(_ name: String) throws(SoundFault) -> String {
    let path = self.file(name)
    // The string outlives the call.
    guard unsafe mkdir(path, 0o700) == 0 else { throw .storage("no folder can be made in \(self.path)") }
    return path
  }
}

/// The folder of a process's scratch directories. It is locked while the process runs, so that other processes do not remove it.
actor ScratchSpace {
  private let path: String
  private var own: OwnedDirectory?

  init(path: String) { self.path = path }

  /// Makes an empty folder. The first call removes the orphaned folders of killed processes.
  func make() throws(SoundFault) -> ScratchDirectory {
    if let own { return try ScratchDirectory(in: own.path) }
    do {
      try FileManager.default.createDirectory(
        atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .storage("the folder \(self.path) cannot be made")
    }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? [] {
      OwnedDirectory.removeIfLeft("\(self.path)/\(name)")
    }
    let own = try OwnedDirectory(in: self.path)
    self.own = own
    return try ScratchDirectory(in: own.path)
  }
}

/// A folder that is locked during the life of this object and of the process. flock(2).
private final class OwnedDirectory: Sendable {
  let path: String
  private let descriptor: Int32

  init(in parent: String) throws(SoundFault) {
    while true {
      var template = Array("\(parent)/XXXXXX\0".utf8CString.dropLast())
      // The array ends with a zero and has the six letters that are replaced.
      guard unsafe mkdtemp(&template) != nil else { throw .storage("no folder can be made in \(parent)") }
      let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      // Another process may have removed it as an orphan before it was locked; then retry.
      guard let descriptor = Self.lock(path) else { continue }
      self.path = path
      self.descriptor = descriptor
      return
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: self.path)
    close(self.descriptor)
  }

  /// Removes a folder unless a process has locked it.
  static func removeIfLeft(_ path: String) {
    guard let descriptor = Self.lock(path) else { return }
    try? FileManager.default.removeItem(atPath: path)
    close(descriptor)
  }

  /// Locks a folder; nil if another process has locked it, or it was removed.
  private static func lock(_ path: String) -> Int32? {
    // The string outlives the call.
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    // The structure outlives the call.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
