internal import Foundation

/// A message of a client: a request or a notification of JSON-RPC 2.0.
struct ClientMessage: Sendable, Hashable {
  /// The id of a request; nil of a notification, which gets no answer.
  let id: JSON?
  let method: String
  /// The parameters; an empty object if it has none.
  let parameters: JSON

  /// Reads a message; nil for an answer, which nobody asked for.
  ///
  /// - Returns: The id as far as it could be read, for the answer to a message that is wrong.
  static func read(_ bytes: [UInt8]) -> (id: JSON, message: Result<ClientMessage?, ProtocolError>) {
    let json: JSON
    do throws(JSON.SyntaxError) {
      json = try JSON(bytes: bytes)
    } catch {
      return (.null, .failure(.unreadable(error.what)))
    }
    if json.entries != nil { return (.null, .failure(.invalid("send one message at a time; batches are not taken"))) }
    guard json.isObject else { return (.null, .failure(.invalid("it is no object"))) }
    // An answer, also one to what could not be read, whose id is null.
    if json["method"] == nil, json["result"] != nil || json["error"] != nil { return (.null, .success(nil)) }
    let id: JSON?
    switch json["id"] {
    case nil: id = nil
    case .text?, .number?: id = json["id"]
    default: return (.null, .failure(.invalid("an id is a text or a number")))
    }
    let known = id ?? .null
    guard json["jsonrpc"] == "2.0" else { return (known, .failure(.invalid("jsonrpc has to be \"2.0\""))) }
    guard let method = json["method"] else { return (known, .failure(.invalid("the method is missing"))) }
    guard let name = method.text else { return (known, .failure(.invalid("the method is no text"))) }
    // A notification, to which nobody expects an answer.
    guard let id else { return (.null, .success(nil)) }
    let parameters = json["params"] ?? .object([])
    guard parameters.isObject else { return (known, .failure(.parameters("params has to be an object"))) }
    return (known, .success(ClientMessage(id: id, method: name, parameters: parameters)))
  }

  // MARK: - The stateless revisions

  private static let front = "io.modelcontextprotocol/"
  static let serverInfo = Self.front + "serverInfo"

  private func meta(_ name: String) -> JSON? { self.parameters["_meta"]?[Self.front + name] }

  /// The version that the message names; nil in the revisions of the handshake, whose messages name none.
  var version: JSON? { self.meta("protocolVersion") }

  /// The name of the tool, which a field of HTTP repeats.
  var toolName: JSON? { self.method == "tools/call" ? self.parameters["name"] : nil }

  /// Checks what each message of a stateless revision has to say.
  ///
  /// - Parameter fields: Those of HTTP; nil if it came another way.
  /// - Throws: -32602, -32020, -32022.
  func checkStateless(_ fields: RoutingFields?) throws(ProtocolError) {
    guard self.meta("clientCapabilities")?.isObject == true else {
      throw .parameters("_meta lacks \(Self.front)clientCapabilities")
    }
    try fields?.check(self)
    guard let version = self.version?.text else { throw .parameters("the version is no text") }
    guard ProtocolVersion.stateless.contains(version) else { throw .version(version) }
  }
}

/// The fields of HTTP that repeat what a message says, so that a proxy need not read it, and the key of the request.
public struct RoutingFields: Sendable, Hashable {
  private let version: String?
  private let method: String?
  private let name: String?
  /// By what a repeated request is known.
  let key: String?

  /// Takes the fields `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name` and `Idempotency-Key`; nil = absent, or there several times.
  public init(version: String?, method: String?, name: String?, key: String? = nil) {
    self.key = key
    self.version = version
    self.method = method
    self.name = name
  }

  /// Checks the fields of a message of a stateless revision.
  func check(_ message: ClientMessage) throws(ProtocolError) {
    guard let version, JSON.text(version) == message.version else {
      throw .mismatch("The field MCP-Protocol-Version differs from the message.")
    }
    guard self.method == message.method else { throw .mismatch("The field Mcp-Method differs from the message.") }
    guard let tool = message.toolName?.text else { return }
    guard self.name.flatMap(Self.decoded) == tool else {
      throw .mismatch("The field Mcp-Name differs from the message.")
    }
  }

  /// Whether they name a stateless revision.
  var isStateless: Bool { self.version.map(ProtocolVersion.stateless.contains) ?? false }

  /// Checks the field of a message of the handshake's revisions, which name none themselves.
  func checkHandshake() throws(ProtocolError) {
    guard let version, !ProtocolVersion.handshake.contains(version) else { return }
    throw .version(version)
  }

  /// Text that is not ASCII comes as `=?base64?…?=`.
  private static func decoded(_ value: String) -> String? {
    guard value.hasPrefix("=?base64?"), value.hasSuffix("?="), value.utf8.count >= 11 else { return value }
    return Data(base64Encoded: String(value.dropFirst(9).dropLast(2))).flatMap {
      String(validating: $0, as: UTF8.self)
    }
  }
}
