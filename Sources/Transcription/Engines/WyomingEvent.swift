internal import Foundation

/// One message of the Wyoming protocol: a line of JSON with its type, more JSON of a given length, then raw bytes. The file
/// README.md of github.com/OHF-Voice/wyoming.
struct WyomingEvent: Sendable, Hashable {
  /// `transcribe`, `audio-chunk`, `transcript` and so on.
  var type: String
  /// Its data, as far as Kith reads or writes it.
  var data = Values()
  /// Sound.
  var payload: [UInt8] = []

  /// The data of all messages that Kith knows. A member that is missing is nil.
  struct Values: Codable, Sendable, Hashable {
    var text: String?
    var language: String?
    var code: String?
    var rate: Int?
    var width: Int?
    var channels: Int?
    var asr: [Service]?
  }

  /// A server of speech recognition, in the message `info`.
  struct Service: Codable, Sendable, Hashable {
    /// One of its models.
    struct Model: Codable, Sendable, Hashable {
      var languages: [String]?
      var installed: Bool?
    }
    var name: String?
    var installed: Bool?
    var models: [Model]?
  }

  private struct Head: Codable {
    var type: String
    var data: Values?
    var dataLength: Int?
    var payloadLength: Int?

    enum CodingKeys: String, CodingKey {
      case type, data
      case dataLength = "data_length"
      case payloadLength = "payload_length"
    }
  }

  /// The bytes on the wire. The data is in the first line, where every server has to accept it.
  func encoded() -> [UInt8] {
    let head = Head(type: self.type, data: self.data, payloadLength: self.payload.isEmpty ? nil : self.payload.count)
    // Strings and whole numbers can always be encoded.
    let line = (try? JSONEncoder().encode(head)).map(Array.init) ?? []
    return line + [UInt8(ascii: "\n")] + self.payload
  }

  /// Decodes messages from bytes as they arrive.
  struct Decoder {
    /// The most bytes of a line, of data and of a payload.
    static let limit = 1 << 20

    private var bytes: [UInt8] = []

    /// Why bytes are no message.
    struct Fault: Error, Hashable {
      let why: String
    }

    /// Adds received bytes.
    mutating func append(_ piece: [UInt8]) { self.bytes += piece }

    /// The next message; nil while it is incomplete.
    mutating func next() throws(Fault) -> WyomingEvent? {
      guard let end = self.bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        guard self.bytes.count <= Self.limit else { throw Fault(why: "a line without an end") }
        return nil
      }
      guard let head = try? JSONDecoder().decode(Head.self, from: Data(self.bytes[..<end])) else {
        throw Fault(why: "a line that is no message")
      }
      let (data, payload) = (head.dataLength ?? 0, head.payloadLength ?? 0)
      guard (0...Self.limit).contains(data), (0...Self.limit).contains(payload) else {
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
      asr: other.asr ?? self.asr)
  }
}
