import Bus
import EventLoop
import Foundation
import KithMessages
import Secrets
import Storage
import SwiftProtobuf
import TestKit

@testable import MonicaGateway

/// A small model of the remote service and its server: records with times, pages, refusals, and faults on request. With
/// a file it keeps its records there, so that they survive a killed process.
final class ModelServer: Sendable {
  /// The faults of a request.
  enum Fault: CaseIterable {
    /// No answer; nothing arrived.
    case unreachable
    /// The request arrived, and the answer was lost.
    case lostAnswer
    /// The caller stops waiting while the server is working: the request arrives a little later.
    case late
    /// The request was not carried out.
    case trouble
    case rateLimited
    case refusedToken
    /// The request arrived, and its process dies before the answer. So do all other requests until ``revive()``.
    case crash
  }

  struct State {
    /// Seconds since 1970.
    var clock: Int64 = 1_700_000_000
    var lastID: UInt64 = 100
    var rows: [RecordKind: [UInt64: RemoteRecord]] = [:]
    var archived: Set<UInt64> = []
    /// Calls whose trailer was deleted on the web.
    var bareCalls: Set<UInt64> = []
    var picture: [UInt8] = []
    var tokens: Set<String> = ["good"]
    /// The user of the account.
    var userID: UInt64 = 7
    /// The faults of the next requests.
    var faults: [Fault?] = []
    var happened: [Fault: Int] = [:]
    var requests: [String] = []
    /// The beginning of the next request that has a fault.
    var failing: String?
    /// The request that waits at a gate, once.
    var pause: (request: String, gate: Gate)?
    var isDead = false
    /// How often it was revived.
    var revivals = 0
    /// Requests that are still running, and the nanoseconds that each takes.
    var late: [(work: @Sendable (inout State) -> Void, wait: Int64)] = []
    /// Requests of the dead process, since the last ``revive()``.
    var dying: [CheckedContinuation<Void, Never>] = []
    var pageSize = 5
    var underWay = 0
    var mostUnderWay = 0
    var rateLimit: UInt32 = 30_000
    /// How many requests the rate limit still allows in its window; nil for no limit.
    var allowance: Int?
  }

  let state = Lock(State())
  let secrets: MemorySecrets
  private let file: String?
  private let crashed = Lock<AsyncStream<Void>.Continuation?>(nil)

  init(secrets: MemorySecrets, file: String? = nil) {
    self.secrets = secrets
    self.file = file
    guard let file, let bytes = FileManager.default.contents(atPath: file),
      let page = try? PullPage(serializedBytes: bytes)
    else { return }
    self.state.withLock { state in
      state.lastID = UInt64(page.total)
      state.clock = Int64(page.page)
      for record in page.records {
        if let kind = record.kind { state.rows[kind, default: [:]][record.monicaID] = record }
      }
    }
  }

  /// The port to the model.
  var port: LocalBatchPort {
    LocalBatchPort(
      [
        Route(VerifyAccountRequest.self) { request, _ throws(Failure) in
          try await self.serve("verify", request.account) { state throws(Failure) in
            var reply = VerifyAccountReply()
            reply.userID = state.userID
            reply.name = "Ann Lee"
            reply.email = "ann@example.com"
            return reply
          }
        },
        Route(ReadRecordRequest.self) { request, _ throws(Failure) in
          try await self.serve("read \(request.kind)", request.account) { state throws(Failure) in
            var reply = ReadRecordReply()
            guard let kind = RecordKind(named: request.kind), let found = state.shown(kind, request.monicaID) else {
              return reply
            }
            reply.found = true
            reply.record = found
            return reply
          }
        },
        Route(ReadCatalogRequest.self) { request, _ throws(Failure) in
          try await self.serve("catalogs", request.account) { _ throws(Failure) in
            var reply = CatalogReply()
            for (catalog, name) in [("gender", "Woman"), ("contact_field_type", "email"), ("activity_type", "walk")] {
              reply.entries.append(
                CatalogEntry.with {
                  $0.catalog = catalog
                  $0.name = name
                  $0.monicaID = UInt64(reply.entries.count + 1)
                })
            }
            for (name, reverse) in [("parent", "child"), ("child", "parent"), ("friend", "friend")] {
              reply.entries.append(
                CatalogEntry.with {
                  $0.catalog = "relationship_type"
                  $0.name = name
                  $0.reverseName = reverse
                  $0.monicaID = UInt64(reply.entries.count + 1)
                })
            }
            return reply
          }
        },
        Route(ReadPhotoRequest.self) { request, _ throws(Failure) in
          try await self.serve("photo", request.account) { state throws(Failure) in
            var reply = ReadPhotoReply()
            reply.found = !state.picture.isEmpty
            reply.mediaType = "image/jpeg"
            reply.data = Data(state.picture)
            return reply
          }
        },
        Route(PushRequest.self) { request, _ throws(Failure) in
          try await self.serve("push \(request.operation) \(request.record.kind?.name ?? "")", request.account) {
            state throws(Failure) in try state.push(request)
          }
        },
      ],
      batches: [
        BatchRoute(PullRequest.self) { request, _, yield throws(Failure) in
          let page = try await self.serve(
            "pull \(request.kind) \(request.firstPage) \(request.newestFirst ? "newest" : "made")", request.account
          ) { state throws(Failure) in state.page(request) }
          try await yield(page)
          var reply = PullReply()
          reply.total = page.total
          reply.pages = 1
          return reply
        }
      ])
  }

  private func serve<Reply: Sendable>(
    _ name: String, _ account: MonicaAccount,
    _ work: @escaping @Sendable (inout State) throws(Failure) -> Reply
  ) async throws(Failure) -> Reply {
    let token = try await self.secrets.secret(named: account.tokenName)
    // Other requests may be served meanwhile.
    self.state.withLock { state in
      state.underWay += 1
      state.mostUnderWay = max(state.mostUnderWay, state.underWay)
    }
    await Task.yield()
    let gate = self.state.withLock { state -> Gate? in
      guard state.pause?.request == name else { return nil }
      defer { state.pause = nil }
      return state.pause?.gate
    }
    await gate?.wait()
    var revivals = 0
    let (result, fault) = self.state.withLock { state -> (Result<Reply, Failure>, Fault?) in
      revivals = state.revivals
      state.underWay -= 1
      state.requests.append(name)
      guard !state.isDead else { return (.failure(.cancelled), .crash) }
      var fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
      if let failing = state.failing, name.hasPrefix(failing) { (fault, state.failing) = (.trouble, nil) }
      if let allowance = state.allowance {
        state.allowance = max(0, allowance - 1)
        if allowance == 0 { fault = .rateLimited }
      }
      if let fault { state.happened[fault, default: 0] += 1 }
      switch fault {
      case .unreachable:
        return (.failure(Failure(.unavailable, "MONICA_UNREACHABLE", "Cannot connect")), fault)
      case .trouble: return (.failure(Failure(.unavailable, "MONICA_TROUBLE", "Monica is having trouble")), fault)
      case .rateLimited:
        return (
          .failure(
            Failure(.resourceExhausted, "RATE_LIMITED", "Too many requests", retryAfterMilliseconds: state.rateLimit)),
          fault
        )
      case .refusedToken:
        return (.failure(Failure(.unauthenticated, "TOKEN_INVALID", "This API token is invalid or expired")), fault)
      case .late:
        state.late.append(({ state in _ = try? work(&state) }, Self.lateness))
        return (.failure(Self.timeout), fault)
      case .lostAnswer, .crash, nil:
        guard let token, state.tokens.contains(token) else {
          return (.failure(Failure(.unauthenticated, "TOKEN_INVALID", "This API token is invalid or expired")), nil)
        }
        state.clock += 1
        let result: Result<Reply, Failure>
        do throws(Failure) { result = .success(try work(&state)) } catch { result = .failure(error) }
        self.save(state)
        if fault == .crash { state.isDead = true }
        guard fault == .lostAnswer else { return (result, fault) }
        return (.failure(Self.timeout), fault)
      }
    }
    if fault == .crash {
      _ = self.crashed.withLock { $0?.yield() }
      await withCheckedContinuation { waiting in
        let isRevived = self.state.withLock { state in
          if state.revivals == revivals { state.dying.append(waiting) }
          return state.revivals != revivals
        }
        if isRevived { waiting.resume() }
      }
      throw .cancelled
    }
    return try result.get()
  }

  /// How long a late request takes, in nanoseconds.
  private static let lateness: Int64 = 20_000_000_000
  private static let timeout = Failure(
    .deadlineExceeded, "MONICA_TIMEOUT", "Monica did not answer", details: ["outcome": "unknown"])

  /// Lets time pass: running requests are finished.
  func pass(_ nanoseconds: Int64) {
    self.state.withLock { state in
      let late = state.late.map { (work: $0.work, wait: $0.wait - nanoseconds) }
      state.late = late.filter { $0.wait > 0 }
      for done in late where done.wait <= 0 {
        state.clock += 1
        done.work(&state)
      }
      self.save(state)
    }
  }

  /// Reports the next crash.
  func watch() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    self.crashed.withLock { $0 = continuation }
    return stream
  }

  /// Ends the requests of the dead process, and answers again.
  func revive() {
    let dying = self.state.withLock { state in
      defer { state.dying = [] }
      state.isDead = false
      state.revivals += 1
      return state.dying
    }
    for waiting in dying { waiting.resume() }
  }

  private func save(_ state: State) {
    guard let file else { return }
    var page = PullPage()
    page.records = state.rows.values.flatMap(\.values)
    page.total = UInt32(state.lastID)
    page.page = UInt32(state.clock)
    try? page.serializedData().write(to: URL(fileURLWithPath: file), options: .atomic)
  }

  // MARK: - The web

  /// Changes a record on the web.
  @discardableResult
  func web<Value>(_ work: (inout State) -> Value) -> Value {
    self.state.withLock { state in
      state.clock += 1
      defer { self.save(state) }
      return work(&state)
    }
  }

  /// The requests since the last call.
  func takeRequests() -> [String] {
    self.state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }
}

extension RemoteRecord {
  /// The record as stored: texts without blanks at their ends.
  var tidied: RemoteRecord {
    var record = self
    record.children = []
    record.hasChildren_p = false
    record.unsaid = []
    if case .note? = record.record { record.note.body = record.note.body.trimmingCharacters(in: .whitespaces) }
    if case .call? = record.record { record.call.attachments = [] }
    return record
  }

  func over(_ current: RemoteRecord) -> RemoteRecord {
    var record = self.tidied
    record.monicaID = current.monicaID
    record.clientID = current.clientID
    if let made = current.record?.record.createdAt { record.record = record.record?.made(at: made) }
    return record
  }

  /// Throws the failure for a text that the server, or a proxy before it, refuses.
  func check() throws(Failure) {
    if self.text.contains("REFUSE") { throw Failure(.invalidArgument, "MONICA_REFUSED", "Monica refuses that") }
    if self.text.contains("FORBID") { throw Failure(.permissionDenied, "MONICA_FORBIDDEN", "The server forbids that") }
  }

  /// The text that identifies a record in tests.
  var text: String {
    get { self.record?.text ?? "" }
    set { self.record?.text = newValue }
  }
}

extension AnyRecord {
  /// The text that identifies a record in tests.
  var text: String {
    get {
      switch self {
      case .person(let record): record.firstName
      case .contactField(let record): record.data
      case .address(let record): record.street
      case .note(let record): record.body
      case .task(let record): record.title
      case .activity(let record): record.summary
      case .gift(let record): record.name
      case .tag(let record): record.name
      case .relationship(let record): record.type
      case .reminder(let record): record.title
      case .call(let record): record.note
      case .conversation(let record): record.messages.first?.content ?? ""
      }
    }
    set {
      func changed<Record>(_ record: Record, _ change: (inout Record) -> Void) -> Record {
        var record = record
        change(&record)
        return record
      }
      switch self {
      case .person(let record): self = .person(changed(record) { $0.firstName = newValue })
      case .contactField(let record): self = .contactField(changed(record) { $0.data = newValue })
      case .address(let record): self = .address(changed(record) { $0.street = newValue })
      case .note(let record): self = .note(changed(record) { $0.body = newValue })
      case .task(let record): self = .task(changed(record) { $0.title = newValue })
      case .activity(let record): self = .activity(changed(record) { $0.summary = newValue })
      case .gift(let record): self = .gift(changed(record) { $0.name = newValue })
      case .tag(let record): self = .tag(changed(record) { $0.name = newValue })
      case .relationship(let record): self = .relationship(changed(record) { $0.type = newValue })
      case .reminder(let record): self = .reminder(changed(record) { $0.title = newValue })
      case .call(let record): self = .call(changed(record) { $0.note = newValue })
      case .conversation(let record):
        self = .conversation(changed(record) { if !$0.messages.isEmpty { $0.messages[0].content = newValue } })
      }
    }
  }
}

/// Secrets in memory.
struct MemorySecrets: SecretStore {
  let all = Lock<[String: String]>([:])
  /// The names of all stored secrets, in order.
  let kept = Lock<[String]>([])

  func secret(named name: String) async throws(Failure) -> String? { self.all.withLock { $0[name] } }
  func keep(_ secret: String, named name: String) async throws(Failure) {
    self.all.withLock { $0[name] = secret }
    self.kept.withLock { $0.append(name) }
  }
  func forget(_ name: String) async throws(Failure) { self.all.withLock { $0[name] = nil } }
}
