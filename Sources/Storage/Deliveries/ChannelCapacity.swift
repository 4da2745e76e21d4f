public import KithMessages

/// How much text one message of a channel can hold.
public struct ChannelCapacity: Sendable, Hashable {
  /// The unit in which text is counted.
  public enum Unit: Sendable, Hashable {
    /// Bytes of UTF-8.
    case bytes
    /// UTF-16 code units, which LINE calls characters.
    case utf16
  }

  /// The unit in which text is counted.
  public let unit: Unit
  /// The most units of one text.
  public let size: Int
  /// The most texts of one message.
  public let textsPerMessage: Int

  /// The most messages for one text: people do not read more.
  public static let messages = 20

  /// The capacity of a channel's kind.
  ///
  /// ntfy turns more than 4,096 bytes into an attachment (docs.ntfy.sh/publish, "Limitations"). LINE allows 5,000 units
  /// in a text and five texts in a message (developers.line.biz, "Messaging API reference", push message); it shows no
  /// title, so the first text begins with it.
  public init(_ channel: Channel) {
    switch channel.kind {
    case .ntfy?: self.init(.bytes, 4096)
    case .line?: self.init(.utf16, 5000 - OutgoingMessage.longestTitle - 1, textsPerMessage: 5)
    case .desktop?: self.init(.bytes, 1000)
    case .mail?, .webhook?, .command?, .push?, nil: self.init(.bytes, 8 << 20)
    }
  }

  /// Creates a capacity.
  public init(_ unit: Unit, _ size: Int, textsPerMessage: Int = 1) {
    self.unit = unit
    self.size = size
    self.textsPerMessage = textsPerMessage
  }

  func count(_ text: some StringProtocol) -> Int {
    switch self.unit {
    case .bytes: text.utf8.count
    case .utf16: text.utf16.count
    }
  }

  func count(_ scalars: Substring.UnicodeScalarView) -> Int { self.count(Substring(scalars)) }
}
