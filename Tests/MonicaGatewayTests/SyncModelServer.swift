import Bus
import EventLoop
import Foundation
import KithMessages
import Secrets
import Storage
import SwiftProtobuf

@testable import MonicaGateway

/// An honest little model of the remote half with a server behind it: records with stamps, pages, refusals, and faults on
/// request. What it has is kept in a file where one is given, so that it outlives a process that is killed.
final class ModelServer: Sendable {
  /// What can go wrong with a request.
  enum Fault: CaseIterable {
    /// Nobody answers; nothing arrived.
    case unreachable
    /// It arrived, and the answer was lost.
    case lostAnswer
    /// It was not looked at.
    case trouble
    case rateLimited
    case refusedToken
    /// It arrived, and whoever asked dies before the answer. So does what else is asked until ``revive()``.
    case crash
  }

  struct State {
    /// Seconds since 1970.
    var clock: Int64 = 1_700_000_000
    var lastID: UInt64 = 100
    var rows: [RecordKind: [UInt64: RemoteRecord]] = [:]
    var archived: Set<UInt64> = []
    /// Calls whose details somebody has removed on the web.
    var bareCalls: Set<UInt64> = []
    var picture: [UInt8] = []
    var tokens: Set<String> = ["good"]
    /// What goes wrong with the next requests.
    var faults: [Fault?] = []
    var happened: [Fault: Int] = [:]
    var requests: [String] = []
    var isDead = false
    var pageSize = 5
    var underWay = 0
    var mostUnderWay = 0
    var rateLimit: UInt32 = 30_000
  }

  let state = Lock(State())
  let secrets: MemorySecrets
  private let file: String?
  private let death = Lock<[CheckedContinuation<Void, Never>]>([])
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

  /// The way to it.
  var port: LocalBatchPort {
    LocalBatchPort(
      [
        Route(VerifyAccountRequest.self) { request, _ throws(Failure) in
          try await self.serve("verify", request.account) { _ throws(Failure) in
            var reply = VerifyAccountReply()
            reply.userID = 7
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
    _ work: @Sendable (inout State) throws(Failure) -> Reply
  ) async throws(Failure) -> Reply {
    let token = try await self.secrets.secret(named: account.tokenName)
    // Others may ask meanwhile.
    self.state.withLock { state in
      state.underWay += 1
      state.mostUnderWay = max(state.mostUnderWay, state.underWay)
    }
    await Task.yield()
    let (result, fault) = self.state.withLock { state -> (Result<Reply, Failure>, Fault?) in
      state.underWay -= 1
      state.requests.append(name)
      guard !state.isDead else { return (.failure(.cancelled), .crash) }
      let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
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
        return (
          .failure(
            Failure(.deadlineExceeded, "MONICA_TIMEOUT", "Monica did not answer", details: ["outcome": "unknown"])),
          fault
        )
      }
    }
    if fault == .crash {
      _ = self.crashed.withLock { $0?.yield() }
      await withCheckedContinuation { waiting in self.death.withLock { $0.append(waiting) } }
      throw .cancelled
    }
    return try result.get()
  }

  /// Tells of the next crash.
  func watch() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    self.crashed.withLock { $0 = continuation }
    return stream
  }

  /// Lets those go who died while they waited, and answers again.
  func revive() {
    self.state.withLock { $0.isDead = false }
    for waiting in self.death.withLock({ waiting in
      defer { waiting = [] }; return waiting
    }) { waiting.resume() }
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

  /// Somebody does something on the web.
  @discardableResult
  func web<Value>(_ work: (inout State) -> Value) -> Value {
    self.state.withLock { state in
      state.clock += 1
      defer { self.save(state) }
      return work(&state)
    }
  }

  /// What was asked since the last call.
  func takeRequests() -> [String] {
    self.state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }
}

extension ModelServer.State {
  /// Kinds that keep the uuid of whoever made the record.
  private static let withUUID: Set<RecordKind> = [.person, .call, .conversation]

  var stamp: Google_Protobuf_Timestamp { .init(seconds: self.clock) }

  mutating func insert(_ record: RemoteRecord) -> UInt64 {
    guard let kind = record.kind else { return 0 }
    self.lastID += 1
    let id = self.lastID
    var row = record.tidied
    row.monicaID = id
    row.updatedAt = self.stamp
    if !Self.withUUID.contains(kind) { row.clientID = "" }
    self.numberMessages(&row)
    self.rows[kind, default: [:]][id] = row
    self.bump(row)
    if case .relationship(let relationship)? = row.record {
      // The other side is a record of its own.
      self.lastID += 1
      var reverse = row
      reverse.monicaID = self.lastID
      reverse.owner = row.others.first ?? 0
      reverse.others = [row.owner]
      reverse.relationship.type = Self.reverse(of: relationship.type)
      reverse.relationship.reverseType = relationship.type
      self.rows[.relationship]?[id]?.relationship.reverseType = reverse.relationship.type
      self.rows[.relationship]?[self.lastID] = reverse
    }
    return id
  }

  static func reverse(of type: String) -> String { ["parent": "child", "child": "parent"][type] ?? type }

  mutating func edit(_ kind: RecordKind, _ id: UInt64, _ change: (inout RemoteRecord) -> Void) {
    guard var row = self.rows[kind]?[id] else { return }
    change(&row)
    row.updatedAt = self.stamp
    self.numberMessages(&row)
    self.rows[kind]?[id] = row.tidied
    self.bump(row)
  }

  mutating func remove(_ kind: RecordKind, _ id: UInt64) {
    guard let row = self.rows[kind]?.removeValue(forKey: id) else { return }
    self.bump(row)
    if kind == .relationship {
      let reverse = self.rows[.relationship]?.first {
        $0.value.owner == row.others.first && $0.value.others == [row.owner]
      }
      if let reverse { self.rows[.relationship]?[reverse.key] = nil }
    }
    guard kind == .person else { return }
    self.archived.remove(id)
    let all = self.rows
    for (kind, rows) in all {
      for (key, row) in rows {
        if kind == .activity, row.others.contains(id) {
          self.rows[kind]?[key]?.others.removeAll { $0 == id }
          if row.others == [id] { self.rows[kind]?[key] = nil }
        } else if row.owner == id || row.others.contains(id) {
          self.rows[kind]?[key] = nil
        }
      }
    }
  }

  /// Details of a person count as a change of the person.
  private mutating func bump(_ row: RemoteRecord) {
    guard [.contactField, .address, .relationship].contains(row.kind) else { return }
    let stamp = self.stamp
    for person in [row.owner] + row.others { self.rows[.person]?[person]?.updatedAt = stamp }
  }

  private mutating func numberMessages(_ row: inout RemoteRecord) {
    guard row.kind == .conversation else { return }
    for index in row.conversation.messages.indices where row.conversation.messages[index].monicaID == 0 {
      self.lastID += 1
      row.conversation.messages[index].monicaID = self.lastID
    }
  }

  /// A record as it is given: people with what belongs to them.
  func shown(_ kind: RecordKind, _ id: UInt64) -> RemoteRecord? {
    guard var row = self.rows[kind]?[id] else { return nil }
    if kind == .call, self.bareCalls.contains(id) {
      row.call.durationMinutes = 0
      row.call.emotion = ""
      row.call.tags = []
      row.unsaid = ["duration_minutes", "emotion", "tags"]
    }
    guard kind == .person else { return row }
    row.person.displayName = [row.person.firstName, row.person.lastName].filter { !$0.isEmpty }.joined(separator: " ")
    row.person.isArchived = self.archived.contains(id)
    row.person.middleName = ""
    row.unsaid = ["middle_name"]
    row.hasChildren_p = true
    row.children = [RecordKind.contactField, .address, .relationship].flatMap { kind in
      (self.rows[kind] ?? [:]).values.filter { $0.owner == id }.sorted { $0.monicaID < $1.monicaID }
    }
    return row
  }

  func page(_ request: PullRequest) -> PullPage {
    var page = PullPage()
    guard let kind = RecordKind(named: request.kind) else { return page }
    var ids = (self.rows[kind] ?? [:]).values.filter { row in
      if kind == .person, self.archived.contains(row.monicaID) { return false }
      return request.owner == 0 || row.owner == request.owner || row.others.contains(request.owner)
    }
    if [.call, .note].contains(kind) {
      ids.sort { $0.monicaID > $1.monicaID }
    } else if request.newestFirst, kind != .tag {
      ids.sort { ($0.updatedAt.seconds, $0.monicaID) > ($1.updatedAt.seconds, $1.monicaID) }
    } else {
      ids.sort { $0.monicaID < $1.monicaID }
    }
    page.total = UInt32(ids.count)
    page.lastPage = UInt32(max(1, (ids.count + self.pageSize - 1) / self.pageSize))
    page.page = request.firstPage
    let first = (Int(request.firstPage) - 1) * self.pageSize
    page.records = ids.dropFirst(first).prefix(self.pageSize).compactMap { self.shown(kind, $0.monicaID) }
    return page
  }

  mutating func push(_ request: PushRequest) throws(Failure) -> PushReply {
    var reply = PushReply()
    let want = request.record
    guard let kind = want.kind else { throw .invalid(field: "record", "is missing") }
    reply.outcome = .done
    switch request.operation {
    case "create":
      if request.lookFirst, let found = self.trace(of: want, kind) {
        if !self.isSame(found, want) { self.edit(kind, found.monicaID) { $0 = want.over($0) } }
        reply.record = self.shown(kind, found.monicaID) ?? found
        return reply
      }
      for person in [want.owner] + want.others where person != 0 && self.rows[.person]?[person] == nil {
        throw Failure(.notFound, "GONE", "The server no longer has the person.", details: ["record": "person"])
      }
      guard !want.isRefused else { throw Failure(.invalidArgument, "MONICA_REFUSED", "Monica refuses that") }
      let id = self.insert(want)
      reply.record = self.shown(kind, id) ?? want
    case "update":
      guard let current = self.shown(kind, want.monicaID) else {
        reply.outcome = .gone
        return reply
      }
      if !self.isSame(current, want) {
        guard self.isSame(current, request.base) else {
          reply.outcome = .changed
          reply.record = current
          return reply
        }
        guard !want.isRefused else { throw Failure(.invalidArgument, "MONICA_REFUSED", "Monica refuses that") }
        self.bareCalls.remove(want.monicaID)
        self.edit(kind, want.monicaID) { $0 = want.over($0) }
        if kind == .relationship { self.retype(want) }
      }
      reply.record = self.shown(kind, want.monicaID) ?? want
    default:
      let lost = want.monicaID == 0 && request.lookFirst ? self.trace(of: want, kind)?.monicaID : nil
      guard let current = self.shown(kind, lost ?? want.monicaID) else {
        reply.outcome = .gone
        return reply
      }
      guard !request.hasBase || self.isSame(current, request.base) else {
        reply.outcome = .changed
        reply.record = current
        return reply
      }
      self.remove(kind, current.monicaID)
    }
    return reply
  }

  private mutating func retype(_ want: RemoteRecord) {
    let rows = self.rows[.relationship] ?? [:]
    for (key, row) in rows where row.owner == want.others.first && row.others == [want.owner] {
      self.rows[.relationship]?[key]?.relationship.type = Self.reverse(of: want.relationship.type)
      self.rows[.relationship]?[key]?.relationship.reverseType = want.relationship.type
    }
    self.rows[.relationship]?[want.monicaID]?.relationship.reverseType = Self.reverse(of: want.relationship.type)
  }

  private func trace(of want: RemoteRecord, _ kind: RecordKind) -> RemoteRecord? {
    (self.rows[kind] ?? [:]).values.sorted { $0.monicaID > $1.monicaID }.first { row in
      Self.withUUID.contains(kind)
        ? row.clientID == want.clientID : row.owner == want.owner && self.isSame(row, want.tidied)
    }
  }

  /// Whether two states of a record say the same.
  func isSame(_ one: RemoteRecord, _ other: RemoteRecord) -> Bool {
    guard let left = one.record, let right = other.record else { return false }
    return RecordMerge(base: right, local: right, server: left, unsaid: one.unsaid + ["attachments"]).fields.isEmpty
      && Set(one.others) == Set(other.others)
  }
}

extension RemoteRecord {
  /// As it is stored: texts without blanks at their ends.
  fileprivate var tidied: RemoteRecord {
    var record = self
    record.children = []
    record.hasChildren_p = false
    record.unsaid = []
    if case .note? = record.record { record.note.body = record.note.body.trimmingCharacters(in: .whitespaces) }
    if case .call? = record.record { record.call.attachments = [] }
    return record
  }

  fileprivate func over(_ current: RemoteRecord) -> RemoteRecord {
    var record = self.tidied
    record.monicaID = current.monicaID
    record.clientID = current.clientID
    return record
  }

  /// What the server will not have.
  var isRefused: Bool { self.text.contains("REFUSE") }

  /// The text by which a record is told from others.
  var text: String {
    get { self.record?.text ?? "" }
    set { self.record?.text = newValue }
  }
}

extension AnyRecord {
  /// The text by which a record is told from others.
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

  func secret(named name: String) async throws(Failure) -> String? { self.all.withLock { $0[name] } }
  func keep(_ secret: String, named name: String) async throws(Failure) { self.all.withLock { $0[name] = secret } }
  func forget(_ name: String) async throws(Failure) { self.all.withLock { $0[name] = nil } }
}
