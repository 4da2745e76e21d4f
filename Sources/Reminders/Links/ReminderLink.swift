internal import Bus
internal import Digest
internal import Foundation
internal import KithMessages

/// A link in a message about a reminder: what it does, to which reminder, and until when. A pure value; the key and the time are passed in.
///
/// Its text is `done.1795608000.0.daily:2026-11-25.CODE`, where the code is an HMAC-SHA-256 of what stands before it.
struct ReminderLink: Sendable, Hashable {
  /// What it does.
  enum Action: String, CaseIterable, Sendable {
    case done, snooze, skip
  }

  /// How long it can be followed, in nanoseconds.
  static let lifetime: Int64 = 20 * 3600 * 1_000_000_000

  let action: Action
  let reminder: String
  /// How often the reminder was snoozed when the message was made: after one more the link has done its work.
  let snoozes: UInt32
  /// In seconds since 1970.
  let until: Int64

  /// Makes the link of a message.
  ///
  /// - Parameter made: When the message was made, in nanoseconds since 1970.
  init(_ action: Action, _ reminder: Reminder, made: Int64) {
    self.action = action
    self.reminder = reminder.id
    self.snoozes = reminder.snoozes
    self.until = (made + Self.lifetime) / 1_000_000_000
  }

  /// Reads a link.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `PERMISSION_DENIED/LINK_UNKNOWN`, `FAILED_PRECONDITION/LINK_ENDED`.
  init(_ text: String, key: HMACKey, now: Int64) throws(Failure) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, let action = Action(rawValue: parts[0]), let until = Int64(parts[1]),
      let snoozes = UInt32(parts[2])
    else { throw Self.unknown }
    self.action = action
    self.until = until
    self.snoozes = snoozes
    self.reminder = parts[3]
    // Hashed again, so that the time of the comparison tells nothing about the code.
    let check = Array("check".utf8)
    guard
      key.authenticationCode(for: check, Array(text.utf8))
        == key.authenticationCode(for: check, Array(self.text(key).utf8))
    else { throw Self.unknown }
    guard now / 1_000_000_000 < until else {
      throw Failure(
        .failedPrecondition, "LINK_ENDED", "This link has ended. The reminder is on the page Reminders of kith-web.")
    }
  }

  /// The text in its address.
  func text(_ key: HMACKey) -> String {
    let said = "\(self.action.rawValue).\(self.until).\(self.snoozes).\(self.reminder)"
    let code = Data(key.authenticationCode(for: Array("reminder link".utf8), Array(said.utf8))).base64EncodedString()
    return "\(said).\(String(code.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))"
  }

  private static let unknown = Failure(
    .permissionDenied, "LINK_UNKNOWN", "kithd has not made this link. Open the page Reminders of kith-web instead.")
}
