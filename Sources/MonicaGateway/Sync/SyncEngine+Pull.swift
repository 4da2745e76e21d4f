internal import Bus
internal import EventLoop
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension SyncEngine {
  /// Carries out the next step of reading.
  func perform(_ step: PullPlan.Step) async throws(Failure) {
    switch step {
    case .catalogs: try await self.readCatalogs()
    case .page(let kind, let number, let newestFirst):
      try await self.readPage(of: kind, number, newestFirst: newestFirst)
    case .ask(let kind, let id): try await self.ask(kind, id)
    case .settle: try await self.settle()
    }
    self.tell()
  }

  private func readCatalogs() async throws(Failure) {
    let account = try self.usedAccount()
    var request = ReadCatalogRequest()
    request.account = account
    let reply = try await self.remote.ask(request, self.reading)
    try await self.advance { plan, _, transaction throws(Failure) in
      for (catalog, entries) in Dictionary(grouping: reply.entries, by: \.catalog) {
        try transaction.catalog.replace(catalog, with: entries)
      }
      plan.tookCatalogs()
    }
  }

  private func readPage(of kind: RecordKind, _ number: UInt32, newestFirst: Bool) async throws(Failure) {
    let page = try await self.page(of: kind, number, newestFirst: newestFirst)
    FaultPoint.monicaPageRead.pass()
    if newestFirst {
      self.report.expect(page.records.count)
    } else if number == 1 {
      self.report.expect(Int(page.total))
    }
    let isNews = try await self.bringPeople(namedBy: page.records)
    let (names, now) = (self.names, self.now())
    try await self.advance { plan, report, transaction throws(Failure) in
      let outcome = try transaction.merge(page.records, &plan, &report, now: now)
      let bringsNothing = !isNews && !outcome.isNews
      if !bringsNothing {
        let lacks = names.lacks(page.records)
        if lacks.catalog { plan.met(unknownName: false) }
        if lacks.tags { plan.met(unknownName: true) }
      }
      try plan.took(PullPlan.Page(page, bringsNothing: bringsNothing)) { () throws(Failure) in
        try transaction.records.serverIDs(kind)
      }
    }
    FaultPoint.monicaPageStored.pass()
  }

  /// Requests a page of a list.
  ///
  /// - Parameter owner: Only the records of this person; 0 for all.
  func page(
    of kind: RecordKind, _ number: UInt32, newestFirst: Bool, owner: UInt64 = 0, isUrgent: Bool = false
  ) async throws(Failure) -> PullPage {
    let account = try self.usedAccount()
    var request = PullRequest()
    request.account = account
    request.kind = kind.name
    request.newestFirst = newestFirst
    request.firstPage = number
    request.lastPage = number
    request.owner = owner
    request.urgent = isUrgent
    let received = Lock(PullPage())
    let reply = try await self.remote.call(request, self.reading) { page throws(Failure) in
      received.withLock { all in
        let records = all.records
        all = page
        all.records = records + page.records
      }
    }
    var page = received.withLock { $0 }
    page.page = number
    page.total = reply.total
    return page
  }

  /// Reads the unknown people whom records name: archived people, or people known only through others.
  ///
  /// - Returns: True if any were stored.
  private func bringPeople(namedBy records: [RemoteRecord]) async throws(Failure) -> Bool {
    var isNews = false
    try await self.readPeople(namedBy: records) { records throws(Failure) in
      let now = self.now()
      let outcome = try await self.advance { plan, report, transaction throws(Failure) in
        try transaction.merge(records, &plan, &report, now: now)
      }
      isNews = isNews || outcome?.isNews ?? false
      self.tell()
    }
    return isNews
  }

  /// Reads the unknown people whom records name, one by one. Each is stored before the next is requested, so that a
  /// rate limit in between loses nothing.
  ///
  /// - Parameter store: Stores records. If there are people to read, it first gets the records, and stores those that
  ///   name no unknown person, so that the relationships of the people who are read find the others. A relationship
  ///   belongs to the smaller of its two ids, so the greater ids are read first.
  func readPeople(
    namedBy records: [RemoteRecord], isUrgent: Bool = false,
    store: ([RemoteRecord]) async throws(Failure) -> Void
  ) async throws(Failure) {
    let listed = Set(records.filter { $0.kind == .person }.map(\.monicaID))
    let named = Set((records + records.flatMap(\.children)).flatMap { [$0.owner] + $0.others })
      .subtracting(listed).subtracting([0])
    guard !named.isEmpty else { return }
    let known = try await self.storage.read { view throws(Failure) in try view.records.serverIDs(.person) }
    let unknown = named.subtracting(known)
    guard !unknown.isEmpty else { return }
    try await store(records)
    for id in unknown.sorted(by: >) {
      if let person = try await self.read(.person, id, isUrgent: isUrgent) { try await store([person]) }
    }
  }

  /// Reads one record; nil if the server no longer has it.
  func read(_ kind: RecordKind, _ id: UInt64, isUrgent: Bool = false) async throws(Failure) -> RemoteRecord? {
    let account = try self.usedAccount()
    var request = ReadRecordRequest()
    request.account = account
    request.kind = kind.name
    request.monicaID = id
    request.urgent = isUrgent
    let reply = try await self.remote.ask(request, self.reading)
    return reply.found ? reply.record : nil
  }

  private func ask(_ kind: RecordKind, _ id: UInt64) async throws(Failure) {
    let found = try await self.read(kind, id)
    if let found { _ = try await self.bringPeople(namedBy: [found]) }
    let now = self.now()
    try await self.advance { plan, report, transaction throws(Failure) in
      if let found {
        _ = try transaction.merge([found], &plan, &report, now: now)
        plan.found(id)
      } else {
        plan.missed(id, try transaction.records.missing(kind, id))
      }
    }
  }

  private func settle() async throws(Failure) {
    let now = self.now()
    try await self.advance { plan, report, transaction throws(Failure) in
      // A refresh since may have found some of them.
      guard case .settle(let missing)? = plan.next else { return }
      report.count(deleted: try transaction.records.settle(missing: missing, now: now).deleted)
      plan.settled()
    }
    FaultPoint.monicaPageStored.pass()
  }

  /// Stores the result of a step, and the position of the reading, in one commit.
  ///
  /// - Returns: The result of the body; nil if nothing is to be read any more.
  @discardableResult
  private func advance<Value: Sendable>(
    _ body:
      @escaping @Sendable (inout PullPlan, inout SyncReport, Transaction) throws(Failure) -> Value
  ) async throws(Failure) -> Value? {
    guard let plan = self.plan else { return nil }
    let (before, now) = (self.report, self.now())
    let (after, report, names, value) = try await self.write {
      transaction throws(Failure) -> (PullPlan, SyncReport, KnownNames?, Value) in
      var (next, report) = (plan, before)
      let value = try body(&next, &report, transaction)
      if next.state != plan.state { try transaction.accounts.setPullState(next.state.stored) }
      try transaction.publish(&report, now: now)
      return (next, report, next.state != plan.state ? try KnownNames(transaction) : nil, value)
    }
    self.plan = after
    self.report = report
    if let names { self.names = names }
    return value
  }
}

extension PullPlan.Page {
  fileprivate init(_ page: PullPage, bringsNothing: Bool) {
    self.init(
      number: page.page, lastPage: page.lastPage, total: Int(page.total), ids: page.records.map(\.monicaID),
      newestStamp: page.records.first?.updatedAt.seconds, oldestStamp: page.records.last?.updatedAt.seconds,
      bringsNothing: bringsNothing)
  }
}

extension MergeReport {
  /// Whether any record was new or changed.
  fileprivate var isNews: Bool { self.added > 0 || self.updated > 0 || self.conflicts > 0 }
}

extension Transaction {
  /// Merges records of the server into the store.
  func merge(_ records: [RemoteRecord], now: Int64) throws(Failure) -> MergeReport {
    let rules = Dictionary(
      (records + records.flatMap(\.children)).map {
        (RemoteKey(kind: $0.kind, id: $0.monicaID), MergeRule($0, now: now))
      },
      uniquingKeysWith: { $1 })
    return try self.records.merge(records, now: now) { local, server throws(Failure) in
      let key = RemoteKey(kind: server.kind, id: server.record.monicaID)
      return rules[key]?.read(local, server) ?? .ignore
    }
  }
}

extension Transaction {
  /// Merges records of the server into the store, as a part of a pass.
  fileprivate func merge(
    _ records: [RemoteRecord], _ plan: inout PullPlan, _ report: inout SyncReport, now: Int64
  ) throws(Failure) -> MergeReport {
    let outcome = try self.merge(records, now: now)
    plan.stored(outcome)
    report.count(outcome)
    return outcome
  }
}

/// The kind and id of a record on the server.
private struct RemoteKey: Hashable {
  let kind: RecordKind?
  let id: UInt64
}

extension RemoteRecord {
  /// The kind of the record in the message.
  var kind: RecordKind? { self.record?.kind }
}
