import Glibc

/// Times and size of a file; they differ if the file may have changed.
struct FileStamp: Sendable, Equatable {
  let device: UInt64
  let inode: UInt64
  /// Bytes.
  let size: Int64
  /// Nanoseconds since 1970 of the last write.
  let modified: Int64
  /// Nanoseconds since 1970 of the last change of contents, name, owner or mode.
  let changed: Int64

  init(_ status: stat) {
    self.device = UInt64(status.st_dev)
    self.inode = UInt64(status.st_ino)
    self.size = Int64(status.st_size)
    self.modified = Self.nanoseconds(status.st_mtim)
    self.changed = Self.nanoseconds(status.st_ctim)
  }

  /// Changes of a file within this time after a check can leave the same stamp: two writes in one tick of the clock.
  static let racyWindow: Int64 = 2_000_000_000

  /// The stamp as text, with the version of the reader so that a new reader reads every card again.
  ///
  /// - Parameter now: The time of the check, in nanoseconds since 1970. A file that changed just before gets a unique
  ///   text.
  func fingerprint(seenAt now: Int64) -> String {
    // Built digit by digit: with ten thousand files, interpolation took a fifth of the listing.
    var text: [UInt8] = []
    text.reserveCapacity(128)
    text.append(Int64(ContactMapping.version))
    let (device, inode) = (Int64(bitPattern: self.device), Int64(bitPattern: self.inode))
    for number in [device, inode, self.size, self.modified, self.changed] {
      text.append(UInt8(ascii: ":"))
      text.append(number)
    }
    if self.isRacy(seenAt: now) {
      text.append(UInt8(ascii: "~"))
      text.append(now)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a later change may leave the same stamp.
  func isRacy(seenAt now: Int64) -> Bool {
    func isNear(_ time: Int64) -> Bool { time > now - Self.racyWindow && time < now + Self.racyWindow }
    return isNear(self.modified) || isNear(self.changed)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension [UInt8] {
  /// Adds the decimal digits of a number.
  fileprivate mutating func append(_ number: Int64) {
    if number < 0 { self.append(UInt8(ascii: "-")) }
    let start = self.count
    var rest = number.magnitude
    repeat {
      self.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }
}
