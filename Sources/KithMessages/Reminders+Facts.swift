public import SwiftProtobuf

// What follows from a reminder, and from the channel of its messages.

extension Reminder {
  /// When it comes, or comes again.
  public var comesAt: Google_Protobuf_Timestamp {
    self.knownState == .snoozed && self.hasSnoozedUntil ? self.snoozedUntil : self.due
  }
}

extension Channel {
  /// Whether it is the browser of a device: it gets every reminder, and its messages are empty.
  public var isBrowser: Bool { if case .push? = self.kind { true } else { false } }
}
