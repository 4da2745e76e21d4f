internal import Glibc

/// Why a place for ipc endpoints cannot be used.
public enum IPCError: Error, Hashable, CustomStringConvertible {
  /// A socket path is longer than the system takes.
  case pathTooLong(path: String, limit: Int)
  /// A directory is not a directory of this user alone.
  case notPrivate(path: String)
  /// Another process holds a lock; its id, if it could be read.
  case locked(path: String, holder: Int32?)
  /// A system call failed, with an `errno`.
  case system(call: String, path: String, code: Int32)

  /// What is wrong, with which path, and what to do.
  public var description: String {
    switch self {
    case .pathTooLong(let path, let limit):
      "The socket path \(path) has \(path.utf8.count) bytes, and the system takes \(limit). Choose a shorter directory."
    case .notPrivate(let path):
      "\(path) is not a directory that belongs to this user. Choose another, or remove it."
    case .locked(let path, let holder?):
      "Process \(holder) holds \(path). Stop it first, or choose another directory."
    case .locked(let path, nil):
      "Another process holds \(path). Stop it first, or choose another directory."
    case .system(let call, let path, let code):
      // `strerror` returns a NUL-terminated string that is copied at once.
      unsafe "\(call) failed for \(path): \(String(cString: strerror(code)))."
    }
  }
}
