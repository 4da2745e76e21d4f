internal import Glibc

/// A user of this machine.
package enum LocalUser {
  /// The number of a user who is named by name or number; nil when there is none.
  package static func number(of user: String) -> UInt32? {
    if let number = UInt32(user) { return number }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwnam_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.pw_uid
  }

  /// The name of a user, or the number where it has none.
  package static func name(of number: UInt32) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(number, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return "\(number)" }
    return String(cString: entry.pw_name)
  }
}
