public import Bus

/// What a subscriber asks for: one stream, or the positions of all, in one encoding. docs/protocol.md, 4.
public struct Topic: Sendable, Hashable {
  /// How the messages of the topic are written.
  public let encoding: Encoding
  /// The stream; nil = the positions of all streams.
  public let stream: String?

  /// The events of a stream.
  public static func stream(_ name: String, _ encoding: Encoding) -> Topic { Topic(encoding: encoding, stream: name) }

  /// The positions of all streams.
  public static func head(_ encoding: Encoding) -> Topic { Topic(encoding: encoding, stream: nil) }

  private init(encoding: Encoding, stream: String?) {
    self.encoding = encoding
    self.stream = stream
  }

  /// Reads the frame of a message, or a whole topic that somebody subscribes to.
  ///
  /// - Returns: nil for what is not exactly one topic, such as the prefix `j/`.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count > 3, bytes.count <= WireLimits.topic, bytes[1] == Self.slash, bytes.last == Self.slash,
      let name = String(validating: bytes[2..<bytes.count - 1], as: UTF8.self), !name.contains("/")
    else { return nil }
    switch bytes[0] {
    case UInt8(ascii: "j"): self.encoding = .json
    case UInt8(ascii: "p"): self.encoding = .pb
    default: return nil
    }
    self.stream = name == Self.headName ? nil : name
  }

  /// The topic as it travels: `j/sync/`, `p/!head/`.
  public var bytes: [UInt8] { Array("\(self.encoding == .json ? "j" : "p")/\(self.stream ?? Self.headName)/".utf8) }

  private static let headName = "!head"
  private static let slash = UInt8(ascii: "/")
}
