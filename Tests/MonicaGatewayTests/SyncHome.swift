import Bus
import Digest
import EventLoop
import Foundation
import KithMessages
import Logging
import Secrets
import Storage
import SwiftProtobuf

@testable import MonicaGateway

/// A real store, the engine on it, and a model of the server.
final class SyncHome: Sendable {
  private struct Parts {
    var storage: StorageActor
    var engine: SyncEngine
    var router: Router
  }

  static let start: Int64 = 1_700_000_000_000_000_000
  static let minute: Int64 = 60_000_000_000
  /// PHP's `max_execution_time`, within which the model server finishes a late request.
  static let timeLimit: Int64 = 30_000_000_000

  let root: String
  let server: ModelServer
  let secrets = MemorySecrets()
  private let clock = Lock((now: SyncHome.start, uptime: Int64(0)))
  private let log: Lock<[LoggedEvent]>
  private let parts: Lock<Parts>
  private let timeLimit: Int64?
  private let delay: Int64

  /// - Parameters:
  ///   - root: An existing directory to continue with; nil for a new one.
  ///   - timeLimit: The server's time limit as the engine is configured; nil for none.
  ///   - delay: By how many nanoseconds the engine sleeps too long each time, as on a busy machine.
  init(
    root: String? = nil, isLoggedIn: Bool = true, serverFile: String? = nil, timeLimit: Int64? = SyncHome.timeLimit,
    delay: Int64 = 0
  ) async throws {
    let root = try root ?? Self.directory()
    self.root = root
    (self.timeLimit, self.delay) = (timeLimit, delay)
    self.server = ModelServer(secrets: self.secrets, file: serverFile)
    let log = Lock<[LoggedEvent]>([])
    self.log = log
    let clock = self.clock
    self.parts = Lock(try Self.open(root, self.server, self.secrets, log, clock, timeLimit, delay))
    if isLoggedIn {
      try await self.secrets.keep("good", named: MonicaEndpoint.cloud.tokenName)
      try await self.storage.write { transaction throws(Failure) in
        let account = AccountRecord(endpoint: MonicaEndpoint.cloud.text, userID: 7, userName: "Ann Lee")
        try transaction.accounts.login(account, now: SyncHome.start)
      }
    }
    try await self.engine.start(startsNow: false, interval: nil)
  }

  static func directory() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/kith-monica-" + UUIDv7.make().text
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private static func open(
    _ root: String, _ server: ModelServer, _ secrets: MemorySecrets, _ log: Lock<[LoggedEvent]>,
    _ clock: Lock<(now: Int64, uptime: Int64)>, _ timeLimit: Int64?, _ delay: Int64
  ) throws -> Parts {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let storage = try StorageActor(directory: root + "/state", logger: logger) { events in
      log.withLock { $0 += events }
    }
    let engine = SyncEngine(
      storage: storage, remote: server.port, secrets: secrets, alarm: nil, logger: logger, timeLimit: timeLimit,
      now: { clock.withLock { $0.now } }, uptime: { clock.withLock { $0.uptime } },
      sleep: { Self.pass($0 + delay, clock, server) }, jitter: { 0.5 })
    let router = Router(
      engine.routes, journal: storage, contentKey: HMACKey(Array("key".utf8)), logger: logger)
    return Parts(storage: storage, engine: engine, router: router)
  }

  var storage: StorageActor { self.parts.withLock { $0.storage } }
  var engine: SyncEngine { self.parts.withLock { $0.engine } }
  var router: Router { self.parts.withLock { $0.router } }
  var now: Int64 { self.clock.withLock { $0.now } }
  var events: [LoggedEvent] { self.log.withLock { $0 } }

  /// Lets time pass.
  func pass(_ nanoseconds: Int64) { Self.pass(nanoseconds, self.clock, self.server) }

  private static func pass(_ nanoseconds: Int64, _ clock: Lock<(now: Int64, uptime: Int64)>, _ server: ModelServer) {
    clock.withLock { clock in
      clock.now += nanoseconds
      clock.uptime += nanoseconds
    }
    server.pass(nanoseconds)
  }

  /// Sets the clock.
  func setClock(by nanoseconds: Int64) { self.clock.withLock { $0.now += nanoseconds } }

  /// Makes a home for a test, and deletes it afterwards.
  static func with(
    isLoggedIn: Bool = true, timeLimit: Int64? = SyncHome.timeLimit, delay: Int64 = 0,
    _ work: (SyncHome) async throws -> Void
  ) async throws {
    let home = try await SyncHome(isLoggedIn: isLoggedIn, timeLimit: timeLimit, delay: delay)
    try await work(home)
    await home.close()
  }

  /// A home with Ann and notes of hers, all on both sides; `there` has the server's ids of the notes.
  static func withNotes(
    _ count: Int, _ work: (SyncHome, _ ann: Person, _ there: [UInt64]) async throws -> Void
  ) async throws {
    try await Self.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      for number in 0..<count { try await home.note(ann, "note \(number)") }
      try await home.sync(full: true)
      try await work(home, ann, home.server.rows(.note).map(\.monicaID))
    }
  }

  func close() async {
    await self.engine.stop()
    await self.storage.close()
    try? FileManager.default.removeItem(atPath: self.root)
  }

  /// Simulates the death of the process: only the store survives. Then starts again.
  func crash() async throws {
    let (engine, storage) = (self.engine, self.storage)
    await storage.close()
    self.server.revive()
    await engine.stop()
    let parts = try Self.open(
      self.root, self.server, self.secrets, self.log, self.clock, self.timeLimit, self.delay)
    self.parts.withLock { $0 = parts }
    try await parts.engine.start(startsNow: false, interval: nil)
  }

  /// Waits until nothing is running.
  func rest() async { while let loop = await self.engine.loop { await loop.value } }

  // MARK: - Commands

  @discardableResult
  func sync(full: Bool = false, pushOnly: Bool = false) async throws -> MonicaStatus {
    var request = MonicaSyncRequest()
    request.full = full
    request.pushOnly = pushOnly
    return try await self.router.ask(request)
  }

  func status() async throws -> MonicaStatus { try await self.router.ask(MonicaStatusRequest()) }

  @discardableResult
  func resolve(_ id: String, keep: String, _ fields: [String: String] = [:]) async throws -> [QueueEntry] {
    var request = ResolveConflictRequest()
    request.id = id
    request.keep = keep
    request.fields = fields
    return try await self.router.ask(request).entries
  }

  /// Decides on all records at once that the server does not have any more.
  @discardableResult
  func resolveDeletions(keep: String) async throws -> [QueueEntry] {
    var request = ResolveConflictRequest()
    request.allDeletedOnServer = true
    request.keep = keep
    return try await self.router.ask(request).entries
  }

  // MARK: - Records

  @discardableResult
  func create<R: SyncedRecord>(_ record: R) async throws -> R {
    let now = self.now
    return try await self.storage.write { transaction throws(Failure) in
      try transaction.records.create(record, now: now)
    }
  }

  @discardableResult
  func update<R: SyncedRecord>(
    _ type: R.Type, _ id: String, _ change: @escaping @Sendable (inout R) -> Void
  ) async throws -> R {
    let now = self.now
    return try await self.storage.write { transaction throws(Failure) in
      var record = try transaction.records.require(type, id)
      change(&record)
      return try transaction.records.update(record, now: now)
    }
  }

  func delete<R: SyncedRecord>(_ type: R.Type, _ id: String) async throws {
    let now = self.now
    try await self.storage.write { transaction throws(Failure) in
      _ = try transaction.records.delete(type, id, now: now)
    }
  }

  func restore<R: SyncedRecord>(_ type: R.Type, _ id: String) async throws {
    let now = self.now
    try await self.storage.write { transaction throws(Failure) in
      _ = try transaction.records.restore(type, id, now: now)
    }
  }

  func get<R: SyncedRecord>(_ type: R.Type, _ id: String) async throws -> R {
    try await self.storage.read { view throws(Failure) in try view.records.require(type, id) }
  }

  /// Every record of a kind that is not deleted.
  func all<R: SyncedRecord>(_ type: R.Type, deleted: Bool = false) async throws -> [R] {
    try await self.storage.read { view throws(Failure) in
      var records: [R] = []
      var query = RecordQuery(
        limit: 500, includesDeleted: deleted, includesArchived: true, includesPartial: true)
      repeat {
        let page = try view.records.page(type, query)
        records += page.records
        query.cursor = page.nextCursor
      } while !query.cursor.isEmpty
      return records
    }
  }

  func queue() async throws -> [QueueEntry] {
    try await self.storage.read { view throws(Failure) in try view.outbox.page(limit: 500).entries }
  }

  func conflicts() async throws -> [RecordConflict] {
    try await self.storage.read { view throws(Failure) in try view.outbox.conflicts(limit: 500).conflicts }
  }

  // MARK: - Examples

  @discardableResult
  func person(_ name: String) async throws -> Person { try await self.create(Person.with { $0.firstName = name }) }

  @discardableResult
  func call(_ person: Person, _ note: String) async throws -> Call {
    let now = self.now
    return try await self.create(
      Call.with {
        $0.personID = person.id
        $0.calledAt = .init(nanosecondsSince1970: now)
        $0.note = note
      })
  }

  @discardableResult
  func note(_ person: Person, _ body: String) async throws -> Note {
    try await self.create(
      Note.with {
        $0.personID = person.id
        $0.body = body
      })
  }
}

extension ModelServer {
  /// Creates a record on the web.
  @discardableResult
  func make(_ record: AnyRecord, owner: UInt64 = 0, others: [UInt64] = []) -> UInt64 {
    self.web { state in
      var remote = RemoteRecord()
      remote.record = record
      remote.owner = owner
      remote.others = others
      return state.insert(remote)
    }
  }

  @discardableResult
  func makePerson(_ name: String) -> UInt64 { self.make(.person(Person.with { $0.firstName = name })) }

  func edit(_ kind: RecordKind, _ id: UInt64, _ change: (inout RemoteRecord) -> Void) {
    self.web { $0.edit(kind, id, change) }
  }

  func remove(_ kind: RecordKind, _ id: UInt64) { self.web { $0.remove(kind, id) } }

  func rows(_ kind: RecordKind) -> [RemoteRecord] {
    self.state.withLock { ($0.rows[kind] ?? [:]).values.sorted { $0.monicaID < $1.monicaID } }
  }

  func texts(_ kind: RecordKind) -> [String] { self.rows(kind).map(\.text).sorted() }

  /// A backup of all records.
  func backup() -> [RecordKind: [UInt64: RemoteRecord]] { self.state.withLock { $0.rows } }

  func restore(_ backup: [RecordKind: [UInt64: RemoteRecord]]) { self.state.withLock { $0.rows = backup } }

  /// The faults of the next requests.
  func fail(_ faults: [Fault?]) { self.state.withLock { $0.faults += faults } }
}
