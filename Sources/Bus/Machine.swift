internal import CLinux
internal import Glibc
public import KithMessages

/// What this machine says about its folders and its clock.
///
/// ```swift
/// let state = Machine.folder("/var/lib/kith", isPrivate: true)
/// print(state.freeBytes, state.fault)
/// ```
public enum Machine {
  /// Looks at a folder of this user.
  ///
  /// - Parameter isPrivate: Whether nobody else may have any access to it.
  public static func folder(_ path: String, isPrivate: Bool) -> FolderState {
    var state = FolderState()
    state.path = path
    var entry = stat()
    guard stat(path, &entry) == 0, entry.st_mode & S_IFMT == S_IFDIR else {
      state.fault = "missing"
      return state
    }
    if entry.st_uid != geteuid() {
      state.fault = "not_owned"
    } else if isPrivate, entry.st_mode & 0o077 != 0 {
      state.fault = "not_private"
    } else if entry.st_mode & 0o700 != 0o700 || access(path, W_OK) != 0 {
      // The mode as well: root may write everywhere.
      state.fault = "not_writable"
    }
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return state }
    // Without a free inode no file can be made. A file system without inodes of its own has none at all.
    let isOut = disk.f_files > 0 && disk.f_favail == 0
    state.freeBytes = isOut ? 0 : UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    state.totalBytes = UInt64(disk.f_blocks) * UInt64(disk.f_frsize)
    return state
  }

  /// Whether a time server keeps the clock right.
  public static var clockIsSynchronized: Bool { kith_clock_is_synchronized() == 1 }
}
