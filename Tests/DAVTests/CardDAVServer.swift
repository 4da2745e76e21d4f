import DAV
import EventLoop
import Foundation
import Logging
import TestKit
import Transfer

/// A real server with its own data, and a client for it.
struct CardDAVServer: Sendable {
  /// The programs that `Tests/servers/carddav.py` supports.
  enum Program: String, CaseIterable, Sendable { case radicale, xandikos }

  let program: Program
  let process: ServerProcess
  let directory: TemporaryDirectory
  let port: Int
  let http: HTTPClient

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let python = root.appendingPathComponent(".build/python/bin/python").path
  /// Whether `scripts/python-env.sh` has run, which installs the servers.
  static let isInstalled = FileManager.default.isExecutableFile(atPath: python)

  private init(_ program: Program, http: HTTPClient) async throws {
    self.program = program
    self.http = http
    self.directory = try TemporaryDirectory()
    let script = Self.root.appendingPathComponent("Tests/servers/carddav.py").path
    self.process = try await ServerProcess([Self.python, script, program.rawValue, self.directory.path]) {
      $0.hasPrefix("ready ")
    }
    self.port = Int(self.process.ready.dropFirst("ready ".count)) ?? 0
  }

  /// Runs `body` with a server that has an empty address book.
  static func run(_ program: Program, _ body: (CardDAVServer) async throws -> Void) async throws {
    let logger = Logger(label: "dav.test")
    try await LoopExecutor.withLoop(name: "dav", poller: try DescriptorPoller(), logger: logger) { loop in
      let http = HTTPClient(on: loop)
      do {
        let server = try await CardDAVServer(program, http: http)
        try await server.make(server.book)
        try await body(server)
        server.process.stop()
      } catch {
        await http.close()
        throw error
      }
      await http.close()
    }
  }

  /// The path of the account, and of its address book.
  var home: String { self.program == .radicale ? "/alice/" : "/user/contacts/" }
  var book: String { self.home + "friends/" }

  func url(_ path: String) throws -> WebURL { try WebURL("http://127.0.0.1:\(self.port)\(path)") }

  func client(password: String = "secret") -> DAVClient {
    DAVClient(http: self.http, credentials: .basic(username: "alice", password: password))
  }

  func addressBook(_ path: String? = nil) throws -> AddressBook {
    try AddressBook(url: try self.url(path ?? self.book), client: self.client())
  }

  /// How many requests the server has received.
  var requests: Int { self.process.output.split(separator: "\n").filter { $0.hasPrefix("request ") }.count }

  // MARK: Changes by another client

  func put(_ name: String, _ text: String) async throws {
    try await self.send("PUT", self.book + name, type: "text/vcard; charset=utf-8", text)
  }

  func delete(_ name: String) async throws { try await self.send("DELETE", self.book + name) }

  func make(_ path: String) async throws {
    try await self.send(
      "MKCOL", path, type: "application/xml; charset=utf-8",
      """
      <mkcol xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><set><prop><resourcetype><collection/><c:addressbook/>\
      </resourcetype><displayname>Friends &amp; Co</displayname></prop></set></mkcol>
      """)
  }

  func send(_ method: String, _ path: String, type: String? = nil, _ body: String = "") async throws {
    var request = HTTPRequest(method, try self.url(path))
    request.credentials = .basic(username: "alice", password: "secret")
    if let type { request.headers.add("Content-Type", type) }
    if !body.isEmpty { request.body = .bytes(Array(body.utf8)) }
    let response = try await self.http.send(request)
    guard response.isSuccess else { throw Refusal(text: "\(method) \(path): \(response.status)") }
  }

  struct Refusal: Error { let text: String }

  static func card(_ name: String, note: String = "") -> String {
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:\(name)\r\nFN:\(name)\r\nN:\(name);;;;\r\nNOTE:\(note)\r\nEND:VCARD\r\n"
  }
}
