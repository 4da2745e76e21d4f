internal import Bus
import Glibc

/// The kernel's notices of changes in folders: inotify(7).
struct Inotify: ~Copyable {
  /// One notice.
  struct Notice {
    /// The folder, as ``watch(_:)`` numbered it; -1 for notices that were lost.
    let folder: Int32
    let mask: UInt32
    /// The entry of the folder that changed; empty when the folder itself did.
    let name: FileName

    /// Whether notices were lost, so that anything may have changed.
    var isOverflow: Bool { self.mask & UInt32(IN_Q_OVERFLOW) != 0 }
    /// Whether the folder itself went, was moved, or is watched no more.
    var isOfFolder: Bool {
      self.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0
    }
  }

  /// Readable when there are notices; valid as long as this value.
  let descriptor: Int32

  /// Opens the source of notices; nil when the system has no more of them.
  init?() {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(self.descriptor) }

  /// Watches a folder; nil when it is not there, or cannot be watched.
  func watch(_ path: String) -> Int32? {
    let mask =
      UInt32(IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB)
      | UInt32(IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    // The path is valid for the call.
    let folder = unsafe inotify_add_watch(self.descriptor, path, mask)
    return folder < 0 ? nil : folder
  }

  /// Takes the notices that are waiting, at most 64 KiB of them.
  func notices() -> [Notice] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // The buffer has as many bytes as are asked for.
    let count = unsafe read(self.descriptor, &buffer, buffer.count)
    var notices: [Notice] = []
    var at = 0
    let header = MemoryLayout<inotify_event>.size
    while at + header <= count {
      // The kernel puts whole events into the buffer, each a header and `len` bytes of name with NULs at its end.
      let event = unsafe buffer.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: at, as: inotify_event.self) }
      let name = buffer[at + header..<at + header + Int(event.len)].prefix { $0 != 0 }
      notices.append(Notice(folder: event.wd, mask: event.mask, name: FileName(Array(name))))
      at += header + Int(event.len)
    }
    return notices
  }
}
