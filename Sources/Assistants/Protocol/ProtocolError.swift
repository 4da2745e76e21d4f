/// Why a message got no result: an error of JSON-RPC 2.0, with the codes of the Model Context Protocol.
struct ProtocolError: Error, Hashable {
  let code: Int
  let message: String
  var data: JSON?

  /// The message is no JSON.
  static func unreadable(_ what: String) -> ProtocolError { .init(code: -32700, message: "Parse error: \(what)") }

  /// The message is JSON, and no request.
  static func invalid(_ what: String) -> ProtocolError { .init(code: -32600, message: "Invalid request: \(what)") }

  static let methodUnknown = ProtocolError(code: -32601, message: "Method not found")

  static func parameters(_ what: String) -> ProtocolError { .init(code: -32602, message: "Invalid params: \(what)") }

  /// The hub could not say who the assistant is.
  static func failed(_ what: String) -> ProtocolError { .init(code: -32603, message: what) }

  /// A field of HTTP says something else than the message.
  static func mismatch(_ what: String) -> ProtocolError { .init(code: -32020, message: what) }

  static func version(_ requested: String) -> ProtocolError {
    .init(
      code: -32022, message: "Unsupported protocol version",
      data: .make(["supported": .texts(ProtocolVersion.stateless), "requested": .text(requested)]))
  }

  var json: JSON { .make(["code": .number(self.code), "message": .text(self.message), "data": self.data]) }
}

/// The revisions of the Model Context Protocol that are spoken.
enum ProtocolVersion {
  /// Those that begin with `initialize`, the newest first.
  static let handshake = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
  /// Those in which each request says everything.
  static let stateless = ["2026-07-28"]
}
