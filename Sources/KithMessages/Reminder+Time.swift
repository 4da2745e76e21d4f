public import SwiftProtobuf

extension Reminder {
  /// When it comes, or comes again.
  public var comesAt: Google_Protobuf_Timestamp {
    self.knownState == .snoozed && self.hasSnoozedUntil ? self.snoozedUntil : self.due
  }
}
