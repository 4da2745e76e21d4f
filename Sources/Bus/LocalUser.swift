internal import Glibc

/// A user of this machine.
package enum LocalUser {
  /// The number of a user who is named by name or number; nil when there is none.
  package static func number(of user: String) -> UInt32? {
    UInt32(user) ?? Self.entry({ getpwnam_r(user, $0, $1, $2, $3) }) { $0.pw_uid }
  }

  /// The name of a user, or the number where it has none.
  package static func name(of number: UInt32) -> String {
    Self.entry({ getpwuid_r(number, $0, $1, $2, $3) }) { String(cString: $0.pw_name) } ?? "\(number)"
  }

  private typealias LookUp = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
    UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  /// Reads something of an entry; nil when there is none. Its texts are in a buffer that is there during `read` alone.
  private static func entry<Value>(_ lookUp: LookUp, _ read: (passwd) -> Value) -> Value? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard lookUp(&entry, start, buffer.count, &found) == 0, found != nil else { return nil }
      return read(entry)
    }
  }
}
