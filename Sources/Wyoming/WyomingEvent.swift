internal import FoundationEssentials

/// A message of the Wyoming protocol, as far as a program is concerned that answers sentences: a line of JSON, `data_length` bytes of JSON
/// that are merged over its `data`, and a payload, which is sound and is skipped.
struct WyomingEvent: Sendable, Hashable {
  /// `describe`, `transcript`, `ping`, and others.
  var type: String
  var text = ""
  /// A BCP 47 tag; nil if it is not told. Home Assistant 2026.2 does not tell it.
  var language: String?
  var conversation: String?

  private struct Header: Codable {
    var type: String
    var version: String?
    var data: Fields?
    var dataLength: Int?
    var payloadLength: Int?

    private enum CodingKeys: String, CodingKey {
      case type, version, data
      case dataLength = "data_length"
      case payloadLength = "payload_length"
    }
  }

  private struct Fields: Codable {
    var text: String?
    var language: String?
    var context: Context?
  }

  private struct Context: Codable {
    var conversationID: String?

    private enum CodingKeys: String, CodingKey { case conversationID = "conversation_id" }
  }

  /// Why bytes are no message.
  enum Fault: Error, Hashable {
    case tooLong, noJSON
  }

  /// Reads messages from the bytes of a connection.
  struct Reader: Sendable {
    /// The longest line, and the longest piece of data. A payload is not kept.
    static let (longestLine, longestData, longestPayload) = (16 << 10, 64 << 10, 1 << 20)

    private var bytes: [UInt8] = []

    /// Adds what came.
    mutating func take(_ bytes: some Sequence<UInt8>) { self.bytes.append(contentsOf: bytes) }

    /// The next message; nil if it is not whole yet.
    ///
    /// - Throws: ``Fault``, after which the connection cannot be read any more.
    mutating func next() throws(Fault) -> WyomingEvent? {
      guard let end = self.bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        guard self.bytes.count <= Self.longestLine else { throw .tooLong }
        return nil
      }
      guard end <= Self.longestLine else { throw .tooLong }
      guard let header = try? JSONDecoder().decode(Header.self, from: Data(self.bytes[..<end])) else { throw .noJSON }
      let (data, payload) = (header.dataLength ?? 0, header.payloadLength ?? 0)
      guard (0...Self.longestData).contains(data), (0...Self.longestPayload).contains(payload) else { throw .tooLong }
      let whole = end + 1 + data + payload
      guard self.bytes.count >= whole else { return nil }
      var event = WyomingEvent(type: header.type)
      event.take(header.data)
      if data > 0 {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(self.bytes[(end + 1)..<(end + 1 + data)]))
        else {
          throw .noJSON
        }
        event.take(fields)
      }
      self.bytes.removeFirst(whole)
      return event
    }
  }

  private mutating func take(_ fields: Fields?) {
    self.text = fields?.text ?? self.text
    self.language = fields?.language ?? self.language
    self.conversation = fields?.context?.conversationID ?? self.conversation
  }

  /// As it is sent.
  var bytes: [UInt8] {
    let context = self.conversation.map { Context(conversationID: $0) }
    return Self.bytes(self.type, Fields(text: self.text, language: nil, context: context))
  }

  /// A message with any data.
  static func bytes(_ type: String, _ data: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = (try? encoder.encode(data)) ?? Data("{}".utf8)
    let header = Header(type: type, version: "1.7.2", dataLength: body.count)
    return ((try? encoder.encode(header)) ?? Data()) + [UInt8(ascii: "\n")] + body
  }
}
