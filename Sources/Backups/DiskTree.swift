internal import Bus
internal import Foundation
internal import Glibc

/// Files and directories that have to outlive a power cut. fsync(2).
enum DiskTree {
  /// Syncs all files and directories below a path, and the path itself.
  static func synchronize(_ path: String) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      try self.synchronize(one: "\(path)/\(name)")
    }
    try self.synchronize(one: path)
  }

  /// Syncs a file, or the names in a directory.
  static func synchronize(one path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.refusal(path) }
    defer { close(descriptor) }
    // Disks on a network may have nothing to sync for a directory.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == EOPNOTSUPP else { throw Self.refusal(path) }
  }

  /// Renames a file or directory; of a file that is there, nothing is left.
  static func move(_ path: String, to target: String) throws {
    guard rename(path, target) == 0 else { throw Self.refusal(target) }
  }

  /// What the system call that just failed says of a path.
  static func refusal(_ path: String) -> NSError {
    NSError(domain: NSPOSIXErrorDomain, code: Int(errno), userInfo: [NSFilePathErrorKey: path])
  }
}
