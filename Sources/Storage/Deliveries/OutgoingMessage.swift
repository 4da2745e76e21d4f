public import KithMessages

/// A message for people, not yet split to fit a channel.
public struct OutgoingMessage: Sendable, Hashable {
  /// As in `DeliveryEntry.kind`.
  public var kind: String
  /// One line of at most ``longestTitle`` UTF-16 units.
  public let title: String
  /// The text; may be empty.
  public var text: String
  /// When it was written, in the date format of mail.
  public var date: String
  /// When delivery is given up, nanoseconds since 1970.
  public var expiresAt: Int64
  /// The reminder that it is about; empty if none.
  public var reminderID: String
  /// The reminders of which it says what was missed.
  public var missedOf: [String] = []
  /// What it says of them.
  public var missed: [RemindedTime] = []
  /// Prevents duplicates: a subject is queued at most once per channel. Empty = no limit.
  public var subject: String

  /// How long what a person shares may wait before it is dropped: one day.
  public static let sharedLifetime: Int64 = 86_400_000_000_000

  /// The most UTF-16 units of a title. Some channels count it towards the text.
  static let longestTitle = 400

  /// Creates a message.
  ///
  /// - Parameter title: Cut to ``longestTitle``.
  public init(
    kind: String, title: String, text: String, date: String, expiresAt: Int64, reminderID: String = "",
    subject: String = ""
  ) {
    self.kind = kind
    self.title = title.utf16.count <= Self.longestTitle ? title : Self.cut(title)
    self.text = text
    self.date = date
    self.expiresAt = expiresAt
    self.reminderID = reminderID
    self.subject = subject
  }

  private static func cut(_ title: String) -> String {
    var (end, left) = (title.startIndex, Self.longestTitle - 1)
    while end < title.endIndex {
      left -= title.unicodeScalars[end].utf16.count
      guard left >= 0 else { break }
      title.unicodeScalars.formIndex(after: &end)
    }
    return title[..<end] + "…"
  }
}
