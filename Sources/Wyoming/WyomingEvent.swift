internal import Foundation

/// One message of the Wyoming protocol: a line of JSON with its type, more JSON of a given length, then raw bytes. The file
/// README.md of github.com/OHF-Voice/wyoming.
package struct WyomingEvent: Sendable, Hashable {
  /// `transcribe`, `audio-chunk`, `transcript` and so on.
  package var type: String
  /// Its data, as far as Kith reads or writes it.
  package var data = Values()
  /// Sound.
  package var payload: [UInt8] = []

  /// Makes a message.
  package init(type: String, data: Values = Values(), payload: [UInt8] = []) {
    (self.type, self.data, self.payload) = (type, data, payload)
  }

  /// The data of all messages that Kith knows. A member that is missing is nil.
  package struct Values: Codable, Sendable, Hashable {
    package var text: String?
    package var language: String?
    package var code: String?
    package var rate: Int?
    package var width: Int?
    package var channels: Int?
    package var asr: [Service]?
    package var context: Context?

    package init(
      text: String? = nil, language: String? = nil, code: String? = nil, rate: Int? = nil, width: Int? = nil,
      channels: Int? = nil, asr: [Service]? = nil, context: Context? = nil
    ) {
      (self.text, self.language, self.code) = (text, language, code)
      (self.rate, self.width, self.channels) = (rate, width, channels)
      (self.asr, self.context) = (asr, context)
    }
  }

  /// To which conversation a sentence belongs.
  package struct Context: Codable, Sendable, Hashable {
    package var conversationID: String?

    enum CodingKeys: String, CodingKey { case conversationID = "conversation_id" }
  }

  /// A server of speech recognition, in the message `info`.
  package struct Service: Codable, Sendable, Hashable {
    /// One of its models.
    package struct Model: Codable, Sendable, Hashable {
      package var languages: [String]?
      package var installed: Bool?
    }
    package var name: String?
    package var installed: Bool?
    package var models: [Model]?
  }

  private struct Head<Content: Codable>: Codable {
    var type: String
    var data: Content?
    var dataLength: Int?
    var payloadLength: Int?

    enum CodingKeys: String, CodingKey {
      case type, data
      case dataLength = "data_length"
      case payloadLength = "payload_length"
    }
  }

  /// The bytes on the wire. The data is in the first line, where every program has to accept it.
  package func encoded() -> [UInt8] { Self.line(self.type, self.data, payload: self.payload.count) + self.payload }

  /// The bytes of a message with other data, which only a server sends.
  static func line(_ type: String, _ data: some Codable, payload: Int = 0) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Strings, flags and whole numbers can always be encoded.
    let head = Head(type: type, data: data, payloadLength: payload == 0 ? nil : payload)
    return ((try? encoder.encode(head)).map(Array.init) ?? []) + [UInt8(ascii: "\n")]
  }

  /// Decodes messages from bytes as they arrive.
  package struct Decoder: Sendable {
    /// The most bytes of a line, of data and of a payload.
    private let limit: Int
    private var bytes: [UInt8] = []

    /// Why bytes are no message.
    package struct Fault: Error, Hashable {
      package let why: String
    }

    /// Makes a decoder.
    ///
    /// - Parameter limit: The most bytes of a line, of data and of a payload.
    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// Adds received bytes.
    package mutating func append(_ piece: some Sequence<UInt8>) { self.bytes += piece }

    /// The next message; nil while it is incomplete.
    package mutating func next() throws(Fault) -> WyomingEvent? {
      guard let end = self.bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        guard self.bytes.count <= self.limit else { throw Fault(why: "a line without an end") }
        return nil
      }
      guard end <= self.limit else { throw Fault(why: "a line that is too long") }
      guard let head = try? JSONDecoder().decode(Head<Values>.self, from: Data(self.bytes[..<end])) else {
        throw Fault(why: "a line that is no message")
      }
      let (data, payload) = (head.dataLength ?? 0, head.payloadLength ?? 0)
      guard (0...self.limit).contains(data), (0...self.limit).contains(payload) else {
        throw Fault(why: "a message of impossible length")
      }
      let start = end + 1
      guard self.bytes.count >= start + data + payload else { return nil }
      var event = WyomingEvent(type: head.type, data: head.data ?? Values())
      if data > 0 {
        guard let values = try? JSONDecoder().decode(Values.self, from: Data(self.bytes[start..<start + data])) else {
          throw Fault(why: "a message with unreadable data")
        }
        event.data = event.data.merging(values)
      }
      event.payload = Array(self.bytes[start + data..<start + data + payload])
      self.bytes.removeFirst(start + data + payload)
      return event
    }
  }
}

extension WyomingEvent.Values {
  /// The data after the line overrides that in the line.
  fileprivate func merging(_ other: WyomingEvent.Values) -> WyomingEvent.Values {
    WyomingEvent.Values(
      text: other.text ?? self.text, language: other.language ?? self.language, code: other.code ?? self.code,
      rate: other.rate ?? self.rate, width: other.width ?? self.width, channels: other.channels ?? self.channels,
      asr: other.asr ?? self.asr, context: other.context ?? self.context)
  }
}
