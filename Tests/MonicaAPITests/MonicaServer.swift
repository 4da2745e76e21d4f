import Bus
import EventLoop
import Foundation
import KithMessages
import Logging
import MonicaAPI
import Secrets
import SwiftProtobuf
import TestKit
import Transfer

/// A process that answers like a Monica server, and the service that talks to it.
///
/// It is `Tests/servers/monica.py`, or the program in `KITH_MONICA_SERVER_COMMAND`, which takes `--contacts` and
/// `--rate-limit`, and prints "ready PORT".
struct MonicaServer: Sendable {
  let process: ServerProcess
  let url: String
  let http: HTTPClient
  let service: LocalBatchPort
  let tokens: TokenStore
  var account: MonicaAccount

  /// Tokens in memory.
  final class TokenStore: SecretStore {
    private let tokens: Lock<[String: String]>

    init(_ tokens: [String: String]) { self.tokens = Lock(tokens) }

    func secret(named name: String) async throws(Failure) -> String? { self.tokens.withLock { $0[name] } }
    func keep(_ secret: String, named name: String) async throws(Failure) { self.tokens.withLock { $0[name] = secret } }
    func forget(_ name: String) async throws(Failure) { self.tokens.withLock { $0[name] = nil } }
  }

  private static let command: [String]? = {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("servers/monica.py").path
    if let named = ProcessInfo.processInfo.environment["KITH_MONICA_SERVER_COMMAND"] {
      return named.split(separator: " ").map(String.init)
    }
    return FileManager.default.fileExists(atPath: script) ? ["python3", script] : nil
  }()
  static let isInstalled = command != nil
  /// Whether the server has the account's log: another program need not have it.
  static let hasLog = isInstalled && ProcessInfo.processInfo.environment["KITH_MONICA_SERVER_COMMAND"] == nil

  /// Runs `body` with a server.
  ///
  /// - Parameters:
  ///   - contacts: The number of people at the start, each with records.
  ///   - rateLimit: Requests in a window; 0 for no limit.
  static func run(
    contacts: Int = 0, rateLimit: Int = 0, arguments: [String] = [], _ body: (MonicaServer) async throws -> Void
  ) async throws {
    let logger = Logger(label: "monica.test")
    try await LoopExecutor.withLoop(name: "monica", poller: try DescriptorPoller(), logger: logger) { loop in
      let tokens = TokenStore(["token": "secret", "wrong": "other", "bad": "a\r\nX: y"])
      let connections = MonicaConnections(on: loop, secrets: tokens)
      let http = HTTPClient(on: loop)
      do {
        let process = try await ServerProcess(
          (command ?? []) + ["--contacts", String(contacts), "--rate-limit", String(rateLimit)] + arguments
        ) { $0.hasPrefix("ready ") }
        var account = MonicaAccount()
        account.endpoint = "http://127.0.0.1:\(process.ready.dropFirst("ready ".count))"
        account.tokenName = "token"
        let service = MonicaRemoteService(connections: connections)
        try await body(
          MonicaServer(
            process: process, url: account.endpoint, http: http,
            service: LocalBatchPort(service.routes, batches: service.batchRoutes), tokens: tokens, account: account))
        process.stop()
      } catch {
        await connections.close()
        await http.close()
        throw error
      }
      await connections.close()
      await http.close()
    }
  }

  // MARK: - The service

  func verify() async throws(Failure) -> VerifyAccountReply {
    try await self.service.ask(VerifyAccountRequest.with { $0.account = self.account })
  }

  func read(
    _ kind: String, _ id: UInt64, _ change: (inout ReadRecordRequest) -> Void = { _ in }
  ) async throws(Failure) -> ReadRecordReply {
    var request = ReadRecordRequest()
    request.account = self.account
    request.kind = kind
    request.monicaID = id
    change(&request)
    return try await self.service.ask(request)
  }

  /// Reads a list, and returns its pages as they were passed on.
  func pull(
    _ kind: String, _ change: (inout PullRequest) -> Void = { _ in },
    onPage: @escaping @Sendable (PullPage) async -> Void = { _ in }
  ) async throws(Failure) -> (reply: PullReply, pages: [PullPage]) {
    var request = PullRequest()
    request.account = self.account
    request.kind = kind
    change(&request)
    let pages = Lock<[PullPage]>([])
    let reply = try await self.service.call(request, CallContext()) { page throws(Failure) in
      pages.withLock { $0.append(page) }
      await onPage(page)
    }
    return (reply, pages.withLock { $0 })
  }

  /// All records of a kind.
  func all(_ kind: String, owner: UInt64 = 0) async throws(Failure) -> [RemoteRecord] {
    try await self.pull(kind) { $0.owner = owner }.pages.flatMap(\.records)
  }

  func push(
    _ operation: String, _ record: RemoteRecord, base: RemoteRecord? = nil,
    _ change: (inout PushRequest) -> Void = { _ in }
  ) async throws(Failure) -> PushReply {
    var request = PushRequest()
    request.account = self.account
    request.operation = operation
    request.record = record
    if let base { request.base = base }
    change(&request)
    return try await self.service.ask(request)
  }

  /// Creates a record, and returns the server's version of it.
  func create(_ record: RemoteRecord) async throws(Failure) -> RemoteRecord {
    try await self.push("create", record).record
  }

  // MARK: - Direct access to the server

  /// Changes the server directly.
  @discardableResult
  func control(_ method: String, _ path: String, _ body: Any? = nil) async throws -> Any {
    var request = HTTPRequest(method, try WebURL("\(self.url)/__sim/\(path)"))
    if let body { request.body = .bytes(Array(try JSONSerialization.data(withJSONObject: body))) }
    request.headers.add("Content-Type", "application/json")
    let response = try await self.http.send(request)
    guard response.isSuccess else { throw Refusal(text: "\(path): \(response.status)") }
    return try JSONSerialization.jsonObject(with: Data(response.body))
  }

  struct Refusal: Error { let text: String }

  func fault(_ faults: [String: Any]...) async throws { try await self.control("POST", "faults", ["next": faults]) }

  func mutate(_ operation: [String: Any]) async throws { try await self.control("POST", "mutate", operation) }

  /// The rows of a table.
  func rows(_ table: String) async throws -> [[String: Any]] {
    try await self.control("GET", "dump/\(table)") as? [[String: Any]] ?? []
  }

  /// The requests since the log was last cleared, such as "GET /api/calls".
  func requests() async throws -> [String] {
    let report = try await self.control("GET", "requests") as? [String: Any]
    return (report?["requests"] as? [[String: Any]] ?? []).map { "\($0["method"] ?? "") \($0["path"] ?? "")" }
  }

  func clearRequests() async throws { try await self.control("DELETE", "requests") }
}

extension RemoteRecord {
  /// A record of a person.
  init(_ record: OneOf_Record, owner: UInt64 = 0, others: [UInt64] = [], clientID: String = "") {
    self = RemoteRecord.with {
      $0.record = record
      $0.owner = owner
      $0.others = others
      $0.clientID = clientID
    }
  }

  /// A person with a first name.
  static func person(_ name: String, clientID: String = UUIDv7.make().text, _ change: (inout Person) -> Void = { _ in })
    -> RemoteRecord
  {
    var person = Person.with { $0.firstName = name }
    change(&person)
    return RemoteRecord(.person(person), clientID: clientID)
  }

  /// A call at a time.
  static func call(
    with owner: UInt64, at seconds: Int64 = 1_714_557_600, clientID: String = UUIDv7.make().text,
    _ change: (inout Call) -> Void = { _ in }
  ) -> RemoteRecord {
    var call = Call.with { $0.calledAt = .init(seconds: seconds) }
    change(&call)
    return RemoteRecord(.call(call), owner: owner, clientID: clientID)
  }
}

/// The failure of some work; nil if it succeeds.
func failure(_ work: () async throws -> some Any) async -> Failure? {
  do {
    _ = try await work()
    return nil
  } catch { return error as? Failure }
}
