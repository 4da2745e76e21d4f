internal import KithMessages
public import SwiftProtobuf

/// How a body or header is written: protobuf, or proto3 JSON. Each message says its own.
public enum Encoding: String, Sendable, Hashable {
  /// Protobuf binary.
  case pb
  /// proto3 JSON; unknown fields are ignored, as in protobuf.
  case json

  /// Writes a message.
  ///
  /// - Throws: `INTERNAL` for a message that its encoding cannot hold (a time stamp outside RFC 3339, say).
  public func encode(_ message: some SwiftProtobuf.Message) throws(Failure) -> [UInt8] {
    do {
      switch self {
      case .pb: return try message.serializedBytes()
      case .json: return try message.jsonUTF8Bytes()
      }
    } catch {
      throw Failure(.internal, "BUG", "\(type(of: message).protoMessageName) cannot be written as \(self.rawValue).")
    }
  }

  /// Reads a message.
  ///
  /// - Throws: `INVALID_ARGUMENT/MALFORMED`.
  public func decode<M: SwiftProtobuf.Message>(_ type: M.Type, from bytes: [UInt8]) throws(Failure) -> M {
    do {
      switch self {
      case .pb:
        // Many commands and replies have nothing set.
        return bytes.isEmpty ? M() : try M(serializedBytes: bytes.span.bytes)
      case .json:
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        options.messageDepthLimit = 16
        return try M(jsonUTF8Bytes: bytes.isEmpty ? Array("{}".utf8) : bytes, options: options)
      }
    } catch {
      throw Failure(
        .invalidArgument, "MALFORMED",
        "The body is not a \(M.protoMessageName) in \(self.rawValue): \(Self.why(error)). Compare it with docs/services.md."
      )
    }
  }

  /// The decoder's own words, without text of the body, which may be somebody's data.
  private static func why(_ error: any Error) -> String {
    switch error {
    case let error as JSONDecodingError: String(describing: error).prefix { $0 != "(" }.description
    case let error as BinaryDecodingError: String(describing: error)
    default: "unreadable"
    }
  }
}
