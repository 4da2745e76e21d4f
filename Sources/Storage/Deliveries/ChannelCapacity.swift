public import KithMessages

/// How much a channel takes at once.
public struct ChannelCapacity: Sendable, Hashable {
  /// What a text is counted in.
  public enum Unit: Sendable, Hashable {
    /// Bytes of UTF-8.
    case bytes
    /// Units of UTF-16, which is what LINE calls characters.
    case utf16
  }

  /// In which a text is counted.
  public let unit: Unit
  /// Of one text.
  public let size: Int
  /// Texts that go in one message.
  public let textsPerMessage: Int

  /// Messages that one thing to say may become: nobody reads more.
  public static let messages = 20

  /// What the kind of a channel takes.
  ///
  /// ntfy makes an attachment of what has more than 4,096 bytes (docs.ntfy.sh/publish, "Limitations"); a text of LINE may have
  /// 5,000 units, and a message five texts (developers.line.biz, "Messaging API reference", push message). LINE shows no title,
  /// so that the first text begins with it.
  public init(_ channel: Channel) {
    switch channel.kind {
    case .ntfy?: self.init(.bytes, 4096)
    case .line?: self.init(.utf16, 5000 - OutgoingMessage.longestTitle - 1, textsPerMessage: 5)
    case .desktop?: self.init(.bytes, 1000)
    case .mail?, .webhook?, .command?, nil: self.init(.bytes, 8 << 20)
    }
  }

  /// Makes a capacity.
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
