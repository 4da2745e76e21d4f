/// Something to say to people, before it is known how much of it a channel takes at once.
public struct OutgoingMessage: Sendable, Hashable {
  /// As of a `DeliveryEntry`.
  public var kind: String
  /// One line, of at most ``longestTitle`` units.
  public let title: String
  /// What it says; may be empty.
  public var text: String
  /// When it was written, as mail has it.
  public var date: String
  /// When it is given up, in nanoseconds since 1970.
  public var expiresAt: Int64
  /// The reminder that it is about; empty = none.
  public var reminderID: String
  /// What is said once at most on each channel; empty = as often as it is queued.
  public var subject: String

  /// Units of UTF-16 that a title may have: what is longer is no title, and some channels count it.
  static let longestTitle = 400

  /// Makes a message.
  ///
  /// - Parameter title: What is longer than it may be is cut.
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
