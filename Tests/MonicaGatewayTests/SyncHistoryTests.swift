import Bus
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

/// Random histories: the same records are changed here and on the web, answers are lost, the process dies. In the end
/// both sides are equal, and no record is lost or duplicated unless it was deleted.
@Suite(.timeLimit(.minutes(10))) struct SyncHistoryTests {
  static let seen = Lock<[ModelServer.Fault: Int]>([:])

  @Test func bothSidesEndEqualAndEveryFaultHappened() async throws {
    let seeds = testSeeds(from: 0, short: 40, full: 400)
    for seed in seeds { try await self.run(seed) }
    try tally(histories: seeds.count, faults: Self.seen.withLock { $0.values.reduce(0, +) })
    guard seeds.count >= 40 else { return }
    for fault in ModelServer.Fault.allCases {
      #expect(Self.seen.withLock { $0[fault] ?? 0 } > 0, "\(fault) never happened")
    }
  }

  func run(_ seed: UInt64) async throws {
    var history = History(seed: seed, home: try await SyncHome())
    for _ in 0..<history.chance.next(6...12) {
      for _ in 0..<history.chance.next(0...6) { try await history.changeHere() }
      for _ in 0..<history.chance.next(0...5) { try await history.changeOnWeb() }
      try await history.sync()
    }
    try await history.settle()
    try await history.check()
    Self.seen.withLock { $0.merge(history.happened, uniquingKeysWith: +) }
    await history.home.close()
  }
}

extension SeededGenerator {
  mutating func next(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

extension AnyRecord {
  /// Marks a task as done, or as not done.
  fileprivate mutating func tick() {
    guard case .task(var task) = self else { return }
    task.isCompleted.toggle()
    self = .task(task)
  }
}

/// One history.
struct History {
  var chance: SeededGenerator
  let home: SyncHome
  let seed: UInt64
  var lastMark = 0
  /// Marks of records that may have been deleted, or whose person may have been.
  var doubtful: Set<String> = []
  /// Ids of records that were created on the web.
  var madeOnWeb: Set<UInt64> = []
  /// The marks of all records, with those of their people.
  var marks: [String: [String]] = [:]

  init(seed: UInt64, home: SyncHome) {
    self.seed = seed
    self.chance = SeededGenerator(seed: seed)
    self.home = home
  }

  var happened: [ModelServer.Fault: Int] { self.home.server.state.withLock { $0.happened } }

  static let kinds: [RecordKind] = [
    .person, .contactField, .note, .task, .activity, .gift, .relationship, .reminder, .call, .conversation,
  ]

  mutating func mark(_ people: [String]) -> String {
    self.lastMark += 1
    let mark = "m\(self.seed)x\(self.lastMark)."
    self.marks[mark] = people
    return mark
  }

  /// The mark of a text, which edits keep at its beginning.
  static func mark(_ text: String) -> String {
    text.firstIndex(of: ".").map { String(text[...$0]) } ?? text
  }

  func example(_ kind: RecordKind, _ mark: String) -> AnyRecord {
    switch kind {
    case .person: .person(.with { $0.firstName = mark })
    case .contactField:
      .contactField(
        .with {
          $0.type = "email"; $0.data = mark
        })
    case .address: .address(.with { $0.street = mark })
    case .note: .note(.with { $0.body = mark })
    case .task: .task(.with { $0.title = mark })
    case .activity:
      .activity(
        .with {
          $0.summary = mark; $0.happenedOn = "2026-01-02"; $0.type = "walk"
        })
    case .gift:
      .gift(
        .with {
          $0.name = mark; $0.status = "idea"
        })
    case .tag: .tag(.with { $0.name = mark })
    case .relationship: .relationship(.with { $0.type = "parent" })
    case .reminder:
      .reminder(
        .with {
          $0.title = mark; $0.initialDate = "2026-01-02"; $0.frequency = "year"; $0.every = 1
        })
    case .call:
      .call(
        .with {
          $0.note = mark
          $0.calledAt = .init(seconds: 1_700_000_000)
          $0.durationMinutes = 5
          $0.tags = ["plan"]
        })
    case .conversation:
      .conversation(
        .with {
          $0.channel = "text"
          $0.happenedAt = .init(seconds: 1_700_000_000)
          $0.messages = [
            .with {
              $0.id = "c" + mark; $0.content = mark; $0.writtenAt = .init(seconds: 1_700_000_000)
            }
          ]
        })
    }
  }

  // MARK: - Changes

  func trace(_ text: @autoclosure () -> String) {
    if isOneHistory { print(text()) }
  }

  mutating func changeHere() async throws {
    let people = try await self.home.all(Person.self)
    let kind = Self.kinds.randomElement(using: &self.chance) ?? .person
    guard kind != .person || people.count < 6, self.chance.next(0...2) == 0 || people.isEmpty else {
      return try await self.editHere(kind)
    }
    guard let owner = people.randomElement(using: &self.chance), kind != .person else {
      let mark = self.mark([])
      self.trace("HERE create person \(mark)")
      try await self.home.create(Person.with { $0.firstName = mark })
      return
    }
    let other = people.filter { $0.id != owner.id }.randomElement(using: &self.chance)
    if kind == .relationship, try await self.areRelated(owner.id, other?.id ?? owner.id) { return }
    let mark =
      kind == .relationship
      ? "" : self.mark([Self.mark(owner.firstName)] + (other.map { [Self.mark($0.firstName)] } ?? []))
    var record = self.example(kind, mark)
    switch record {
    case .activity(var activity):
      activity.participants = [owner.id] + (other.map { [$0.id] } ?? [])
      record = .activity(activity)
    case .relationship(var relationship):
      relationship.otherID = other?.id ?? ""
      record = .relationship(relationship)
    default: break
    }
    if kind != .relationship { record.text += self.chance.next(0...12) == 0 ? " REFUSE" : "" }
    self.trace("HERE create \(kind) \(record.text) of \(owner.firstName) \(other?.firstName ?? "")")
    func create<R: SyncedRecord>(_ record: R) async throws {
      var record = record
      record.personID = owner.id
      try await self.home.create(record)
    }
    try await create(record.record)
  }

  /// Whether two people are related, here or on the server. The server stores each relationship twice, once for each
  /// side: two relationships of the same people could be mistaken for the sides of one.
  func areRelated(_ one: String, _ other: String) async throws -> Bool {
    let people = Dictionary(uniqueKeysWithValues: try await self.home.all(Person.self).map { ($0.id, $0.monicaID) })
    guard one != other, let first = people[one], let second = people[other] else { return true }
    return try await self.home.all(Relationship.self).contains { Set([$0.personID, $0.otherID]) == [one, other] }
      || self.home.server.rows(.relationship).contains { Set([$0.owner] + $0.others) == [first, second] }
  }

  mutating func editHere(_ kind: RecordKind) async throws {
    guard var record = try await self.all(kind).randomElement(using: &self.chance) else { return }
    let mark = Self.mark(record.text)
    if self.chance.next(0...5) == 0 {
      if kind == .person { self.doubt(person: mark) } else { self.doubtful.insert(mark) }
      self.trace("HERE delete \(kind) \(record.text) \(record.record.monicaID)")
      func delete<R: SyncedRecord>(_ record: R) async throws {
        try await self.home.delete(R.self, record.id)
        guard self.chance.next(0...3) == 0 else { return }
        let now = self.home.now
        self.trace("HERE restore")
        try? await self.home.storage.write { transaction throws(Failure) in
          _ = try transaction.records.restore(R.self, record.id, now: now)
        }
      }
      return try await delete(record.record)
    }
    Self.edit(&record, mark, &self.chance)
    self.trace("HERE edit \(kind) \(record.text) \(record.record.monicaID)")
    func update<R: SyncedRecord>(_ record: R) async throws {
      try await self.home.update(R.self, record.id) { $0 = record }
    }
    try await update(record.record)
  }

  /// An edit of a record, here or on the web.
  static func edit(_ record: inout AnyRecord, _ mark: String, _ chance: inout SeededGenerator) {
    let word = String(chance.next(0...99))
    switch (record, chance.next(0...3)) {
    case (.relationship(var relationship), _):
      relationship.type = ["parent", "child", "friend"].randomElement(using: &chance) ?? "friend"
      record = .relationship(relationship)
    case (.person(var person), 0):
      person.job = word
      record = .person(person)
    case (.person(var person), 1):
      person.tags = chance.next(0...1) == 0 ? person.tags + [word] : Array(person.tags.dropLast())
      record = .person(person)
    case (.person(var person), 2):
      person.description_p += word
      record = .person(person)
    case (.call(var call), 0):
      call.durationMinutes = UInt32(chance.next(0...60))
      record = .call(call)
    case (.task, 0): record.tick()
    case (.conversation(var conversation), 0...1):
      conversation.messages.append(
        .with {
          $0.id = UUIDv7.make().text; $0.content = word; $0.writtenAt = .init(seconds: 1_700_000_100)
        })
      record = .conversation(conversation)
    case (_, 0...2): record.text += " " + word
    default: record.text = mark + word
    }
  }

  mutating func doubt(person: String) {
    self.doubtful.insert(person)
    for (mark, people) in self.marks where people.contains(person) { self.doubtful.insert(mark) }
  }

  mutating func changeOnWeb() async throws {
    let server = self.home.server
    let kind = Self.kinds.randomElement(using: &self.chance) ?? .person
    let people = server.rows(.person)
    if self.chance.next(0...2) == 0 || people.isEmpty {
      guard kind != .person || people.count < 6 else { return }
      guard let owner = people.randomElement(using: &self.chance), kind != .person else {
        let id = server.makePerson(self.mark([]))
        self.madeOnWeb.insert(id)
        self.trace("WEB person \(id)")
        return
      }
      let other = people.filter { $0.monicaID != owner.monicaID }.randomElement(using: &self.chance)
      if kind == .relationship {
        let local = try await self.home.all(Person.self)
        func id(_ monicaID: UInt64) -> String { local.first { $0.monicaID == monicaID }?.id ?? "" }
        guard let other, try await !self.areRelated(id(owner.monicaID), id(other.monicaID)) else { return }
      }
      let mark =
        kind == .relationship ? "" : self.mark([Self.mark(owner.text)] + (other.map { [Self.mark($0.text)] } ?? []))
      let others: [UInt64] =
        switch kind {
        case .activity: [owner.monicaID] + (other.map { [$0.monicaID] } ?? [])
        case .relationship: other.map { [$0.monicaID] } ?? []
        default: []
        }
      let id = server.make(self.example(kind, mark), owner: owner.monicaID, others: others)
      self.madeOnWeb.insert(id)
      self.trace("WEB create \(kind) \(id) \(mark) of \(owner.monicaID) \(others)")
      return
    }
    guard let row = server.rows(kind).randomElement(using: &self.chance) else { return }
    let mark = Self.mark(row.text)
    // A record that was created here and is not known to have arrived is searched for by its content, if it has no
    // other mark. Of such a record only a task's completion may be changed.
    let open = try await self.all(kind, deleted: true).filter { $0.record.monicaID == 0 }.map { Self.mark($0.text) }
    let isSought = open.contains(mark) && !ModelServer.State.withUUID.contains(kind)
    guard !isSought || kind == .task else { return }
    let what = isSought ? 7 : self.chance.next(0...7)
    self.trace("WEB \(what) \(kind) \(row.monicaID) \(row.text)")
    switch what {
    case 0:
      if kind == .person { self.doubt(person: mark) } else { self.doubtful.insert(mark) }
      server.remove(kind, row.monicaID)
    case 1 where kind == .person:
      server.web { state in
        if !state.archived.insert(row.monicaID).inserted { state.archived.remove(row.monicaID) }
      }
    case 1 where kind == .call: server.web { _ = $0.bareCalls.insert(row.monicaID) }
    default:
      guard var record = row.record, kind != .relationship else { return }
      if isSought { record.tick() } else { Self.edit(&record, mark, &self.chance) }
      server.edit(kind, row.monicaID) { $0.record = record }
    }
  }

  // MARK: - Sync

  mutating func sync() async throws {
    let server = self.home.server
    // At once, while the server may still be running a request, or much later.
    self.home.pass(
      self.chance.next(0...2) == 0
        ? Int64(self.chance.next(0...40)) * 1_000_000_000 : Int64(self.chance.next(1...400)) * SyncHome.minute)
    let faults = (0..<self.chance.next(0...30)).map { _ -> ModelServer.Fault? in
      self.chance.next(0...3) == 0 ? ModelServer.Fault.allCases.randomElement(using: &self.chance) : nil
    }
    server.state.withLock { $0.faults = faults }
    let (full, pushOnly) = (self.chance.next(0...5) == 0, self.chance.next(0...3) == 0)
    let (home, crashes) = (self.home, server.watch())
    let pass = Task { _ = try? await home.sync(full: full, pushOnly: !full && pushOnly) }
    // Either it ends or the process dies.
    let isOver = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await pass.value
        return true
      }
      group.addTask {
        for await _ in crashes { return false }
        return true
      }
      let isOver = await group.next() ?? true
      if !isOver { try? await home.crash() }
      group.cancelAll()
      return isOver
    }
    let isDead = server.state.withLock { state in
      state.faults = []
      return state.isDead
    }
    // Work that continued after the pass may have died too.
    if isDead { try await home.crash() }
    if !isOver { await pass.value }
    // Work that continues may still learn that its token was refused.
    await home.rest()
    self.trace("SYNC full \(full) push \(pushOnly) over \(isOver) \(faults.compactMap { $0 }) \(server.takeRequests())")
    let queue0 = try await home.queue()
    self.trace("QUEUE \(queue0.map { "\($0.operation) \($0.kind) \($0.state) \($0.error.message)" })")
    if try await home.status().state != "logged_in" {
      // After a refused token, log in again.
      var login = LoginRequest()
      login.cloud = true
      login.token = "good"
      _ = try await home.router.ask(login)
      await home.rest()
    }
  }
}
