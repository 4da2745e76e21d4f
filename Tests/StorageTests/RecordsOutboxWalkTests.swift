import Bus
import GRDB
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Storage

/// Random edits, attempts, lost replies and crashes, against a household and a server that are plain dictionaries.
@Suite struct RecordsOutboxWalkTests {
  @Test(arguments: testSeeds(short: 6, full: 160)) func nothingIsLostAndNothingIsMadeTwice(seed: UInt64) throws {
    var walk = try OutboxWalk(seed: seed)
    for step in 0..<120 {
      try walk.step()
      if step.isMultiple(of: 8) { try walk.check() }
    }
    try walk.settle()
  }
}

private struct OutboxWalk {
  private struct Item {
    let kind: RecordKind
    let owner: String
    var text: String
    var deletedAt: Int64?
  }

  private struct OnServer: Equatable {
    let kind: RecordKind
    let owner: UInt64
    let clientID: String
    var text: String
  }

  private let fixture: ContactsFixture
  private var random: SeededGenerator
  private var now: Int64 = 1
  private var items: [String: Item] = [:]
  private var server: [UInt64: OnServer] = [:]
  private var nextID: UInt64 = 1
  private var flying: [OutboxEntry] = []
  /// Ids in creation order: a dictionary's order differs from run to run.
  private var order: [String] = []

  init(seed: UInt64) throws {
    self.fixture = try ContactsFixture()
    self.random = SeededGenerator(seed: seed)
  }

  // MARK: - Steps

  mutating func step() throws {
    self.now += 1
    switch Int.random(in: 0..<20, using: &self.random) {
    case 0..<4: try self.create()
    case 4..<7: try self.edit()
    case 7..<9: try self.delete()
    case 9: try self.restore()
    case 10..<14: try self.begin()
    case 14..<18: try self.end()
    case 18: try self.crash()
    default: try self.retryOrClear()
    }
  }

  private mutating func create() throws {
    let people = self.ids { $0.kind == .person && $0.deletedAt == nil }
    let kind: RecordKind =
      people.isEmpty ? .person : [.person, .call, .note, .note].randomElement(using: &self.random) ?? .note
    let id = UUIDv7.make().text
    let owner = kind == .person ? "" : people.randomElement(using: &self.random) ?? ""
    let text = "made \(self.now)"
    try self.fixture.write { [now] in try $0.create(Self.record(kind, id: id, owner: owner, text: text), now: now) }
    self.items[id] = Item(kind: kind, owner: owner, text: text)
    self.order.append(id)
  }

  private mutating func edit() throws {
    guard let id = self.ids(where: { $0.deletedAt == nil }).randomElement(using: &self.random),
      let item = self.items[id]
    else { return }
    // Sometimes back to an earlier text.
    let text = Bool.random(using: &self.random) ? "edit \(self.now)" : "edit \(self.now % 3)"
    try self.fixture.write { [now] in
      try $0.update(Self.record(item.kind, id: id, owner: item.owner, text: text), now: now)
    }
    self.items[id]?.text = text
  }

  private mutating func delete() throws {
    guard let id = self.ids(where: { $0.deletedAt == nil }).randomElement(using: &self.random),
      let item = self.items[id]
    else { return }
    try self.fixture.write { [now] in try $0.delete(item.kind, id, now: now) }
    self.softDelete(id)
  }

  private mutating func restore() throws {
    guard let id = self.ids(where: { $0.deletedAt != nil }).randomElement(using: &self.random),
      let item = self.items[id]
    else { return }
    guard item.owner.isEmpty || self.items[item.owner]?.deletedAt == nil else {
      let (fixture, now) = (self.fixture, self.now)
      #expect(throws: Failure.self) { try fixture.write { try $0.restore(item.kind, id, now: now) } }
      return
    }
    try self.fixture.write { [now] in try $0.restore(item.kind, id, now: now) }
    self.undelete(id)
  }

  private mutating func begin() throws {
    let due = try self.fixture.read { [now] in try $0.outbox.due(now: now, limit: 5) }
    for entry in due {
      // A record is created before those that depend on it.
      if entry.operation == .create, entry.kind != .person { #expect(entry.record.owner != 0) }
    }
    self.flying += try self.fixture.write { [now] in try $0.outbox.begin(due.map(\.row), now: now) }
  }

  private mutating func end() throws {
    guard !self.flying.isEmpty else { return }
    let entry = self.flying.remove(at: Int.random(in: self.flying.indices, using: &self.random))
    switch Int.random(in: 0..<8, using: &self.random) {
    case 0: try self.fail(entry, isUnsure: false, isFinal: Bool.random(using: &self.random))
    case 1: try self.fail(entry, isUnsure: true, isFinal: false)
    case 2:
      _ = self.carryOut(entry)
      try self.fail(entry, isUnsure: true, isFinal: false)
    default: try self.conclude(entry)
    }
  }

  private mutating func crash() throws {
    for entry in self.flying where Bool.random(using: &self.random) { _ = self.carryOut(entry) }
    self.flying = []
    try self.fixture.write { try $0.outbox.settleInterrupted(busyUntil: 0) }
  }

  private mutating func retryOrClear() throws {
    let entries = try self.fixture.read { try $0.outbox.page(limit: 500) }.entries
    guard let entry = entries.randomElement(using: &self.random), let item = self.items[entry.id] else { return }
    guard Bool.random(using: &self.random) else {
      _ = try self.fixture.write { [now] in try $0.outbox.retry([], now: now) }
      return
    }
    let (base, mayHaveArrived) = try self.fixture.read { view in
      try view.attempt { database in
        let row = try Int64.fetchOne(database, sql: "SELECT id FROM record WHERE uuid = ?", arguments: [entry.id]) ?? 0
        return (
          try RecordWriter(database: database).read(row)?.base,
          try OutboxRows(database: database).find(row)?.sent != nil
        )
      }
    }
    // A request that arrived although it was given up is found only by the next pull, which this test does not run.
    guard !mayHaveArrived else { return }
    _ = try self.fixture.write { [now] in try $0.outbox.clear([entry.id], now: now) }
    if let base {
      self.items[entry.id]?.text = base.text
      if item.deletedAt != nil { self.undelete(entry.id) }
    } else if item.deletedAt == nil {
      self.softDelete(entry.id)
    }
  }

  // MARK: - The server

  /// - Returns: The server's reply; nil if it no longer has the record or its owner.
  private mutating func carryOut(_ entry: OutboxEntry) -> RemoteRecord? {
    let known = self.server[entry.record.monicaID] != nil ? entry.record.monicaID : nil
    let found = known ?? (entry.isUnsure ? self.server.first { $0.value.clientID == entry.id }?.key : nil)
    switch entry.operation {
    case .delete:
      guard let found else { return nil }
      self.server = self.server.filter { $0.key != found && $0.value.owner != found }
      return nil
    case .create, .update:
      guard entry.operation == .create || found != nil || entry.record.monicaID == 0 else { return nil }
      guard entry.kind == .person || self.server[entry.record.owner] != nil else { return nil }
      let id = found ?? self.nextID
      if found == nil { self.nextID += 1 }
      self.server[id] = OnServer(
        kind: entry.kind, owner: entry.record.owner, clientID: entry.id, text: entry.record.record?.text ?? "")
      var answer = entry.record
      answer.monicaID = id
      answer.updatedAt = .init(nanosecondsSince1970: self.now)
      return answer
    }
  }

  private mutating func conclude(_ entry: OutboxEntry) throws {
    let answer = self.carryOut(entry)
    try self.fixture.write { [now] transaction in
      if let answer {
        try transaction.outbox.arrived(entry.row, server: answer, now: now)
      } else if entry.operation == .delete {
        try transaction.outbox.deleted(entry.row, now: now)
      } else if entry.operation == .update {
        try transaction.outbox.gone(entry.row, now: now)
        // A person chooses to create it again.
        guard try transaction.outbox.entries(of: [entry.id]).first?.state == "conflict" else { return }
        let local = try transaction.outbox.conflict(of: entry.id).local
        _ = try transaction.outbox.resolve(entry.id, as: local, now: now)
      } else {
        try transaction.outbox.failed(entry.row, error: Status(), nextAttemptAt: now + 3, isUnsure: false, now: now)
      }
    }
  }

  private mutating func fail(_ entry: OutboxEntry, isUnsure: Bool, isFinal: Bool) throws {
    // An attempt that may have arrived before may still have arrived.
    let isUnsure = isUnsure || entry.isUnsure
    var error = Status()
    error.reason = "NO_NETWORK"
    try self.fixture.write { [now] in
      try $0.outbox.failed(
        entry.row, error: error, nextAttemptAt: isFinal && !isUnsure ? nil : now + 3, isUnsure: isUnsure, now: now)
    }
  }

  // MARK: - What has to hold

  func check() throws {
    let flying = Set(self.flying.map(\.row))
    try self.fixture.read { view in
      for id in self.order {
        let (item, record) = (try #require(self.items[id]), try #require(try view.records.find(id)))
        #expect(record.text == item.text)
        #expect(record.record.hasDeletedAt == (item.deletedAt != nil), "\(item.kind) \(id)")
      }
      try view.attempt { database in
        for row in try Row.fetchAll(
          database,
          sql: """
            SELECT record.id, state, outbox.record IS NOT NULL AS waits, sent IS NOT NULL AS sent, operation,
              monica_id IS NOT NULL AS known, deleted_at IS NOT NULL AS deleted, base IS NOT NULL AS base,
              next_attempt_at IS NULL AS stuck
            FROM record LEFT JOIN outbox ON outbox.record = record.id
            """)
        {
          let state = try #require(RecordState(rawValue: row["state"]))
          #expect((state != .synced) == (row["waits"] as Bool))
          #expect((state == .syncing) == flying.contains(row["id"]))
          if state == .syncing { #expect(row["sent"] as Bool) }
          if state == .pending { #expect(!(row["stuck"] as Bool)) }
          #expect((row["known"] as Bool) == (row["base"] as Bool))
          if row["waits"] as Bool, state != .syncing {
            let operation: String = row["operation"]
            #expect((operation == "delete") == (row["deleted"] as Bool))
            if operation != "delete" { #expect((operation == "update") == (row["known"] as Bool)) }
          }
        }
      }
      #expect(try view.outbox.page(limit: 500).entries.count == view.outbox.counts().all)
    }
    #expect(Set(self.server.values.map(\.clientID)).count == self.server.count)
  }

  /// Sends everything; then both sides are equal and the queue is empty.
  mutating func settle() throws {
    for _ in 0..<20 {
      self.now += 10
      while !self.flying.isEmpty { try self.conclude(self.flying.removeFirst()) }
      _ = try self.fixture.write { [now] in try $0.outbox.retry([], now: now) }
      try self.begin()
    }
    for _ in 0..<100 where try self.fixture.read({ try $0.outbox.counts().all }) > 0 {
      self.now += 10
      try self.begin()
      try #require(!self.flying.isEmpty, "something waits that cannot go")
      while !self.flying.isEmpty { try self.conclude(self.flying.removeFirst()) }
    }
    #expect(try self.fixture.queued().isEmpty)
    try self.check()
    try self.pull()
    let ours = try self.fixture.read { view in
      try self.order.compactMap { id -> String? in
        guard let record = try view.records.find(id), !record.record.hasDeletedAt else { return nil }
        return "\(record.kind) \(record.record.monicaID) \(id) \(record.text)"
      }
    }
    #expect(ours.sorted() == self.server.map { "\($1.kind) \($0) \($1.clientID) \($1.text)" }.sorted())
    #expect(try self.fixture.check() == "ok")
  }

  /// The server's lists then bring nothing new.
  private func pull() throws {
    let listed = self.server.sorted { $0.key < $1.key }.map { id, record in
      var remote = RemoteRecord(
        Self.record(record.kind, id: "", owner: "", text: record.text), id: id, owner: record.owner, at: self.now)
      remote.clientID = record.clientID
      return remote
    }
    let report = try self.fixture.write { [now] transaction in
      try transaction.records.merge(listed, now: now) { _, _ in .take }
    }
    #expect(report.unchanged == listed.count, "\(report)")
  }

  // MARK: -

  private mutating func softDelete(_ id: String) {
    for other in self.order where other == id || self.items[other]?.owner == id {
      if self.items[other]?.deletedAt == nil { self.items[other]?.deletedAt = self.now }
    }
  }

  private mutating func undelete(_ id: String) {
    let moment = self.items[id]?.deletedAt
    for other in self.order
    where other == id || (self.items[other]?.owner == id && self.items[other]?.deletedAt == moment) {
      self.items[other]?.deletedAt = nil
    }
  }

  private func ids(where matches: (Item) -> Bool) -> [String] {
    self.order.filter { self.items[$0].map(matches) ?? false }
  }

  private static func record(_ kind: RecordKind, id: String, owner: String, text: String) -> AnyRecord {
    switch kind {
    case .person:
      var person = Person(first: text)
      person.id = id
      return person.any
    case .call:
      var call = Call()
      call.id = id
      call.personID = owner
      call.note = text
      return call.any
    default:
      var note = Note()
      note.id = id
      note.personID = owner
      note.body = text
      return note.any
    }
  }
}

extension RemoteRecord.OneOf_Record {
  fileprivate var text: String {
    switch self {
    case .person(let person): person.firstName
    case .call(let call): call.note
    case .note(let note): note.body
    default: ""
    }
  }
}

extension OutboxCounts {
  fileprivate var all: Int { self.pending + self.syncing + self.failed + self.conflicts }
}

extension Transaction {
  fileprivate func create(_ record: AnyRecord, now: Int64) throws {
    func create<R: SyncedRecord>(_ record: R) throws { _ = try self.records.create(record, now: now) }
    try create(record.record)
  }

  fileprivate func update(_ record: AnyRecord, now: Int64) throws {
    func update<R: SyncedRecord>(_ record: R) throws { _ = try self.records.update(record, now: now) }
    try update(record.record)
  }

  fileprivate func delete(_ kind: RecordKind, _ id: String, now: Int64) throws {
    func delete<R: SyncedRecord>(_ type: R.Type) throws { _ = try self.records.delete(type, id, now: now) }
    try delete(kind.type)
  }

  fileprivate func restore(_ kind: RecordKind, _ id: String, now: Int64) throws {
    func restore<R: SyncedRecord>(_ type: R.Type) throws { _ = try self.records.restore(type, id, now: now) }
    try restore(kind.type)
  }
}
