/// Something to say to people, before it is known how much of it a channel takes at once.
public struct OutgoingMessage: Sendable, Hashable {
  /// As of a `DeliveryEntry`.
  public var kind: String
  /// One line.
  public var title: String
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

  /// Makes a message.
  public init(
    kind: String, title: String, text: String, date: String, expiresAt: Int64, reminderID: String = "",
    subject: String = ""
  ) {
    self.kind = kind
    self.title = title
    self.text = text
    self.date = date
    self.expiresAt = expiresAt
    self.reminderID = reminderID
    self.subject = subject
  }
}
