public import Bus
public import KithMessages

/// A message of the events plane.
///
/// ```swift
/// if case .accepted(.event(let event)) = EventFrame.decode(frames) { print(event.header.seq) }
/// ```
public enum EventFrame: Sendable, Hashable {
  /// One event of a stream.
  case event(LoggedEvent)
  /// The positions of all streams.
  case head(Head)

  /// Encodes the message.
  ///
  /// - Throws: `INTERNAL` if the message does not fit its encoding or the limits.
  public func encoded(_ encoding: Encoding) throws(Failure) -> [[UInt8]] {
    switch self {
    case .event(let event):
      try Self.frames(
        .stream(event.header.stream, encoding), Self.eventKind, try encoding.encode(event.header),
        try encoding.encode(event.event))
    case .head(let head):
      try Self.frames(.head(encoding), Self.headKind, try encoding.encode(EventHeader()), try encoding.encode(head))
    }
  }

  /// Decodes the frames of a message.
  public static func decode(_ frames: [[UInt8]]) -> FrameOutcome<EventFrame> {
    guard frames.count >= 2 else { return .foreign }
    switch WireTag.events.compare(frames[1]) {
    case .same: break
    case .otherMajor: return .rejected(.wrongMajor(.events))
    case .foreign: return .foreign
    }
    guard frames.count >= Self.frameCount else {
      return .rejected(.malformed("The event has \(frames.count) frames; it needs \(Self.frameCount)."))
    }
    guard frames[4].count <= WireLimits.header else {
      return .rejected(.oversize("header in bytes", frames[4].count, limit: WireLimits.header))
    }
    guard frames[5].count <= WireLimits.body else {
      return .rejected(.oversize("body in bytes", frames[5].count, limit: WireLimits.body))
    }
    guard let encoding = Encoding(frame: frames[3]) else {
      return .rejected(.malformed("The fourth frame names the type of content: pb or json."))
    }
    guard frames[2].count == 1, let kind = EventKind(rawValue: frames[2][0]) else {
      return .rejected(.malformed("The third frame is not a kind of event known here.", encoding: encoding))
    }
    do throws(Failure) {
      switch kind {
      case .event:
        var event = LoggedEvent()
        event.header = try encoding.decode(EventHeader.self, from: frames[4])
        event.event = try encoding.decode(Event.self, from: frames[5])
        return .accepted(.event(event))
      case .head:
        return .accepted(.head(try encoding.decode(Head.self, from: frames[5])))
      }
    } catch {
      return .rejected(.malformed("The event cannot be read as \(encoding.rawValue).", encoding: encoding))
    }
  }

  private static let frameCount = 6
  private static let eventKind = [EventKind.event.rawValue]
  private static let headKind = [EventKind.head.rawValue]

  private static func frames(
    _ topic: Topic, _ kind: [UInt8], _ header: [UInt8], _ body: [UInt8]
  ) throws(Failure) -> [[UInt8]] {
    guard header.count <= WireLimits.header, body.count <= WireLimits.body else {
      throw Failure(.internal, "BUG", "An event of \(header.count + body.count) bytes does not fit a message.")
    }
    return [topic.bytes, WireTag.events.bytes, kind, topic.encoding.frame, header, body]
  }
}

/// What a subscription names: one stream, or the positions of all streams, in one encoding. docs/protocol.md, 4.
///
/// ```swift
/// try socket.set(.subscribe, Topic.stream("sync", .json).bytes)  // j/sync/
/// ```
public struct Topic: Sendable, Hashable {
  /// The encoding of the topic's messages.
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

  /// Reads the topic of a message or of a subscription.
  ///
  /// - Returns: nil unless the bytes are exactly one topic; nil for a prefix such as `j/`.
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

  /// The topic on the wire: `j/sync/`, `p/!head/`.
  public var bytes: [UInt8] { Array("\(self.encoding == .json ? "j" : "p")/\(self.stream ?? Self.headName)/".utf8) }

  private static let headName = "!head"
  private static let slash = UInt8(ascii: "/")
}
