import Bus
import KithMessages
import Storage
import TestKit
import Testing

@testable import MonicaGateway

/// A server's lists, and the known records.
struct ListModel {
  var pageSize = 100
  /// The server's clock, in seconds since 1970.
  var clock: Int64 = 1_700_000_000
  /// Nanoseconds since 1970.
  var now: Int64 = 1_700_000_000_000_000_000
  var lists: [RecordKind: [UInt64: Int64]] = [:]
  var known: [RecordKind: [UInt64: Int64]] = [:]
  var archived: [UInt64: Int64] = [:]
  var state = PullState()
  /// Lists omit half of the records.
  var hides = false
  /// Something changes between any two pages.
  var isRestless = false
  private var lastID: UInt64 = 0

  init(pageSize: Int = 100) { self.pageSize = pageSize }

  func ids(_ kind: RecordKind) -> [UInt64] { (self.lists[kind] ?? [:]).keys.sorted() }

  mutating func add(_ kind: RecordKind) {
    self.lastID += 1
    self.lists[kind, default: [:]][self.lastID] = self.clock
  }

  mutating func edit(_ kind: RecordKind, _ id: UInt64) {
    let stamp = max(self.clock, (self.lists[kind]?[id] ?? 0) + 1)
    self.lists[kind]?[id] = stamp
    self.clock = max(self.clock, stamp)
  }

  mutating func remove(_ kind: RecordKind, _ id: UInt64) { self.lists[kind]?[id] = nil }
  mutating func archive(_ id: UInt64) { self.archived[id] = self.lists[.person]?.removeValue(forKey: id) }
  mutating func removeArchived(_ id: UInt64) { self.archived[id] = nil }

  mutating func mutate(_ chance: inout SeededGenerator) {
    self.clock += Int64.random(in: 0...2, using: &chance)
    let kind = PullPlan.order.randomElement(using: &chance) ?? .call
    guard Int.random(in: 0..<3, using: &chance) > 0, let id = self.ids(kind).randomElement(using: &chance) else {
      return self.add(kind)
    }
    switch Int.random(in: 0..<4, using: &chance) {
    case 0: self.remove(kind, id)
    case 1 where kind == .person: self.archive(id)
    case 2:
      if let (id, stamp) = self.archived.randomElement(using: &chance) {
        self.archived[id] = nil
        if Bool.random(using: &chance) { self.lists[.person]?[id] = stamp }
      }
    default: self.edit(kind, id)
    }
  }

  /// Runs a pass; `meanwhile` happens between its requests.
  @discardableResult
  mutating func pass(
    isFull: Bool = false, isCommanded: Bool = false, meanwhile: (inout ListModel) -> Void = { _ in }
  ) throws -> [PullPlan.Step] {
    var plan = PullPlan(
      PullState(stored: self.state.stored), PullPlan.Options(isFull: isFull, isCommanded: isCommanded), now: self.now)
    let steps = try self.run(&plan, meanwhile: meanwhile)
    self.state = plan.state
    return steps
  }

  /// Carries out the steps of a plan, until one at which it stops.
  @discardableResult
  mutating func run(
    _ plan: inout PullPlan, until stops: (PullPlan.Step) -> Bool = { _ in false },
    meanwhile: (inout ListModel) -> Void = { _ in }
  ) throws -> [PullPlan.Step] {
    var steps: [PullPlan.Step] = []
    while let step = plan.next, !stops(step) {
      steps.append(step)
      try #require(steps.count < 5_000, "it does not end")
      switch step {
      case .catalogs: plan.tookCatalogs()
      case .page(let kind, let number, let newestFirst):
        let page = self.page(kind, number, newestFirst: newestFirst)
        let known = Set(self.known[kind, default: [:]].keys)
        try plan.took(page) { () throws(Failure) in known }
        if self.isRestless { self.add(.note) }
      case .ask(let kind, let id):
        if self.lists[kind]?[id] != nil || (kind == .person && self.archived[id] != nil) {
          plan.found(id)
        } else {
          plan.missed(id, MissingRecord(row: Int64(id), kind: kind, monicaID: id))
        }
      case .settle(let missing):
        for record in missing {
          let (kind, id) = (record.kind, record.monicaID)
          #expect(self.lists[kind]?[id] == nil && (kind != .person || self.archived[id] == nil), "\(id) is there")
          self.known[kind]?[id] = nil
        }
        plan.settled()
      }
      self.now += 1
      meanwhile(&self)
    }
    return steps
  }

  /// Returns a page and marks it as known, as the store does.
  private mutating func page(_ kind: RecordKind, _ number: UInt32, newestFirst: Bool) -> PullPlan.Page {
    let listed = (self.lists[kind] ?? [:]).filter { !self.hides || $0.key.isMultiple(of: 2) }
    let order = listed.sorted {
      if !newestFirst { return $0.key < $1.key }
      return PullPlan.stamped.contains(kind) && $0.value != $1.value ? $0.value > $1.value : $0.key > $1.key
    }
    let rows = order.dropFirst((Int(number) - 1) * self.pageSize).prefix(self.pageSize)
    let bringsNothing = rows.allSatisfy { self.known[kind]?[$0.key] == $0.value }
    for row in rows { self.known[kind, default: [:]][row.key] = row.value }
    return PullPlan.Page(
      number: number, lastPage: UInt32(max(1, (order.count + self.pageSize - 1) / self.pageSize)), total: order.count,
      ids: rows.map(\.key), newestStamp: rows.first?.value, oldestStamp: rows.last?.value, bringsNothing: bringsNothing)
  }

  var isEqual: Bool {
    PullPlan.order.allSatisfy { kind in
      let known = self.known[kind, default: [:]]
      return self.lists[kind, default: [:]] == known.filter { kind != .person || self.archived[$0.key] == nil }
    }
  }

  func expectEqual() {
    for kind in PullPlan.order {
      let known = self.known[kind, default: [:]].filter { kind != .person || self.archived[$0.key] == nil }
      #expect(self.lists[kind, default: [:]] == known, "\(kind)")
    }
  }
}
