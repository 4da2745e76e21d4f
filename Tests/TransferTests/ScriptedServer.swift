import EventLoop
import Foundation
import Logging
import TestKit
import Transfer

/// `Tests/servers/scripted_http.py`, and addresses of it.
struct ScriptedServer: Sendable {
  /// A server without TLS, for all tests.
  static var shared: ScriptedServer { get async throws { try await starting.value } }
  private static let starting = Task { try await ScriptedServer() }

  let process: ServerProcess
  let port: Int
  /// The port of a second origin on the same machine.
  let otherPort: Int
  private let scheme: String

  init(_ arguments: String..., scheme: String = "http") async throws {
    let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("servers/scripted_http.py").path
    process = try await ServerProcess(["python3", program] + arguments) { $0.hasPrefix("ready ") }
    let ports = process.ready.split(separator: " ").compactMap { Int($0) }
    (port, otherPort) = (ports[0], ports[1])
    self.scheme = scheme
  }

  /// The address of a path.
  func url(_ path: String, host: String = "127.0.0.1") throws -> WebURL {
    try WebURL("\(scheme)://\(host):\(port)\(path)")
  }

  /// The address of a path at the other origin.
  func otherURL(_ path: String) throws -> WebURL {
    try WebURL("\(scheme)://127.0.0.1:\(otherPort)\(path)")
  }

  func origin() throws -> Origin { try url("/").origin }

  /// The address that redirects to another one.
  func redirect(_ status: Int, to target: String) throws -> WebURL {
    let escaped = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return try url("/redirect?status=\(status)&to=\(escaped)")
  }
}

/// Runs `body` with a client, and closes it and its loop.
@discardableResult
func withClient<Result>(
  tls: TLSSettings = .system, loopName: String = "transfer", connectionsPerHost: Int = 4,
  _ body: (HTTPClient) async throws -> Result
) async throws -> Result {
  try await LoopExecutor.withLoop(
    name: loopName, poller: try DescriptorPoller(), logger: Logger(label: "transfer.test")
  ) { loop in
    let client = HTTPClient(on: loop, tls: tls, connectionsPerHost: connectionsPerHost)
    do {
      let result = try await body(client)
      await client.close()
      return result
    } catch {
      await client.close()
      throw error
    }
  }
}

/// The request as the server received it, from its path `/echo`.
struct Echo {
  let line: String
  let headers: [String]
  let body: String

  init(_ response: HTTPResponse) {
    let text = response.text
    let parts = text.components(separatedBy: "\n\n")
    var lines = parts[0].components(separatedBy: "\n")
    line = lines.removeFirst()
    headers = lines
    body = parts.dropFirst().joined(separator: "\n\n")
  }

  func header(_ name: String) -> String? {
    headers.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPClient {
  /// The error of a request; nil if it succeeds.
  func failure(_ request: HTTPRequest, sink: Sink? = nil) async -> TransferError? {
    do throws(TransferError) {
      _ = if let sink { try await send(request, sink: sink) } else { try await send(request) }
      return nil
    } catch {
      return error
    }
  }
}
