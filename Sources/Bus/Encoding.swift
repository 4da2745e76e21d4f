internal import KithMessages
public import SwiftProtobuf

/// How a body or header is encoded: protobuf or proto3 JSON. Each message names its own encoding.
///
/// ```swift
/// let bytes = try Encoding.json.encode(PingRequest())
/// let request = try Encoding.json.decode(PingRequest.self, from: bytes)
/// ```
public enum Encoding: String, Sendable, Hashable {
  /// Protobuf binary.
  case pb
  /// proto3 JSON; unknown fields are ignored, as in protobuf.
  case json

  /// Writes a message.
  ///
  /// - Throws: `INTERNAL` if the encoding cannot express the message, such as a time stamp outside RFC 3339; names the
  ///   record and the field.
  public func encode(_ message: some SwiftProtobuf.Message) throws(Failure) -> [UInt8] {
    do {
      switch self {
      case .pb: return try message.serializedBytes()
      case .json: return try message.jsonUTF8Bytes()
      }
    } catch {
      let field = TimeCheck.badField(of: message) ?? ""
      let why = field.isEmpty ? "" : ": \(field) is not a valid time"
      throw Failure(
        .internal, "BUG", "\(type(of: message).protoMessageName) cannot be written as \(self.rawValue)\(why).",
        details: field.isEmpty ? [:] : ["field": field])
    }
  }

  /// Reads a message.
  ///
  /// - Throws: `INVALID_ARGUMENT/MALFORMED`; `INVALID_ARGUMENT/FIELD_INVALID` for a time or duration out of range, which
  ///   JSON could not express.
  public func decode<M: SwiftProtobuf.Message>(_ type: M.Type, from bytes: [UInt8]) throws(Failure) -> M {
    do {
      switch self {
      case .pb:
        // Many commands and replies are empty.
        guard !bytes.isEmpty else { return M() }
        let message = try M(serializedBytes: bytes.span.bytes)
        if let field = TimeCheck.badField(of: message) {
          throw Failure.invalid(field: field, "is not a valid time. Check its seconds and nanoseconds.")
        }
        return message
      case .json:
        guard Self.nesting(of: bytes) <= Self.deepest else {
          throw Failure(
            .invalidArgument, "MALFORMED", "The JSON is nested more than \(Self.deepest) levels deep. Make it flatter.")
        }
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        return try M(jsonUTF8Bytes: bytes.isEmpty ? Array("{}".utf8) : bytes, options: options)
      }
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure(
        .invalidArgument, "MALFORMED",
        "The body is not a \(M.protoMessageName) in \(self.rawValue): \(Self.why(error)). Compare it with docs/services.md."
      )
    }
  }

  /// The deepest nesting of objects and arrays in JSON, ignored fields included.
  private static let deepest = 16

  /// How deep objects and arrays are nested. The decoder counts only messages.
  private static func nesting(of json: [UInt8]) -> Int {
    var (level, deepest) = (0, 0)
    var (isInText, isEscaped) = (false, false)
    for byte in json {
      if isInText {
        isInText = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        level += 1
        deepest = max(deepest, level)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
      default: break
      }
    }
    return deepest
  }

  /// The decoder's description of an error, without text of the body, which may be personal data.
  private static func why(_ error: any Error) -> String {
    switch error {
    case let error as JSONDecodingError: String(describing: error).prefix { $0 != "(" }.description
    case let error as BinaryDecodingError: String(describing: error)
    default: "unreadable"
    }
  }
}
