public import Bus
public import CivilTime
internal import Fields
internal import KithMessages
public import Storage

/// Keeps the care plan, and records what was given and measured. Nothing that a person says is refused because of the plan, and nothing is
/// recorded that no person said.
public actor CarePlanActor {
  /// How many items a plan may have, ended ones among them.
  private static let mostItems = 200
  /// How many versions a reply has.
  private static let mostVersions = 20

  let storage: StorageActor
  let now: @Sendable () -> Int64

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: The store.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  public init(storage: StorageActor, now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds) {
    self.storage = storage
    self.now = now
  }

  /// Gives all items the zone of the settings: this machine's may have changed while it was off.
  ///
  /// - Throws: A failure of the store.
  public func start() async throws(Failure) {
    let now = self.now()
    try await self.storage.write { transaction throws(Failure) in
      try transaction.plan.move(to: try transaction.careZone().name, now: now)
    }
  }

  // MARK: - Items

  func add(_ request: AddPlanItemRequest, _ context: CallContext) async throws(Failure) -> Answer<PlanItem> {
    let now = self.now()
    let stock = try PlanItem.quantity(request.stock, "stock")
    return try await self.storage.commit(AddPlanItemRequest.self, context) { transaction throws(Failure) in
      try transaction.creations.once(request.clientID, of: "plan item", id: { $0.id }) { id throws(Failure) in
        try transaction.plan.get(id)?.shown
      } make: { () throws(Failure) in
        guard try transaction.plan.all(withEnded: true).count < Self.mostItems else {
          throw .invalid(field: "item", "is one too many: the plan has \(Self.mostItems). Change one that has ended.")
        }
        var item = PlanItem()
        try item.change([], as: request.item, used: 0, now: now)
        item.id = UUIDv7.make().text
        item.knownState = .active
        item.createdAt = .init(nanosecondsSince1970: now)
        let zone = try transaction.careZone()
        if item.from.isEmpty { item.from = zone.day(at: now).description }
        try transaction.store(&item, in: zone, by: context.principal, now: now)
        if let left = Quantity(stock) { try transaction.plan.count(item.id, left: left.hundredths) }
        return try transaction.plan.require(item.id).shown
      }
    }
  }

  func change(_ request: ChangePlanItemRequest, _ context: CallContext) async throws(Failure) -> Answer<PlanItem> {
    let now = self.now()
    return try await self.edit(ChangePlanItemRequest.self, request.item.id, context) {
      item, transaction throws(Failure) in
      if request.hasIfUpdatedAt, request.ifUpdatedAt != item.updatedAt {
        throw .changedMeanwhile("This item", at: item.updatedAt, now: [])
      }
      let used = try transaction.plan.versions(of: item.id).flatMap(\.item.times).map(\.slot).max() ?? 0
      try item.change(request.fields, as: request.item, used: used, now: now)
    }
  }

  func set<C: Command>(
    _ command: C.Type, _ id: String, to state: PlanState, _ context: CallContext
  ) async throws(Failure) -> Answer<PlanItem> where C.Reply == PlanItem {
    try await self.edit(command, id, context) { item, _ throws(Failure) in item.knownState = state }
  }

  func stock(_ request: StockPlanItemRequest, _ context: CallContext) async throws(Failure) -> Answer<PlanItem> {
    guard request.left.isEmpty != request.added.isEmpty else {
      throw .invalid(field: "left", "give what is left, or what was added.")
    }
    let left = Quantity(try PlanItem.quantity(request.left, "left"))
    let added = Quantity(try PlanItem.quantity(request.added, "added"))
    return try await self.storage.commit(StockPlanItemRequest.self, context) { transaction throws(Failure) in
      let before = try transaction.plan.require(request.id)
      if let added, before.left != nil {
        try transaction.plan.add(request.id, added.hundredths)
      } else {
        try transaction.plan.count(request.id, left: (left ?? added)?.hundredths)
      }
      return try transaction.plan.require(request.id).shown
    }
  }

  /// Changes an item. What it said before stays the plan of the time before.
  private func edit<C: Command>(
    _ command: C.Type, _ id: String, _ context: CallContext,
    _ change: @escaping @Sendable (inout PlanItem, Transaction) throws(Failure) -> Void
  ) async throws(Failure) -> Answer<PlanItem> where C.Reply == PlanItem {
    let now = self.now()
    return try await self.storage.commit(command, context) { transaction throws(Failure) in
      let before = try transaction.plan.require(id).item
      var item = before
      try change(&item, transaction)
      if item != before {
        try transaction.store(&item, in: try transaction.careZone(), by: context.principal, now: now)
        // What was counted in another unit says nothing any more.
        if item.unit != before.unit { try transaction.plan.count(id, left: nil) }
      }
      return try transaction.plan.require(id).shown
    }
  }

  func items(_ request: ListPlanItemsRequest) async throws(Failure) -> ListPlanItemsReply {
    try await self.storage.read { view throws(Failure) in
      var reply = ListPlanItemsReply()
      reply.items = try view.plan.all(withEnded: request.all).map(\.shown)
      for index in reply.items.indices { reply.items[index].note = "" }
      return reply
    }
  }

  func item(_ request: GetPlanItemRequest) async throws(Failure) -> PlanItem {
    try await self.storage.read { view throws(Failure) in
      var item = try view.plan.require(request.id).shown
      let before = try view.plan.versions(of: request.id).dropLast().reversed()
      item.versions = before.dropFirst(Int(request.skipVersions)).prefix(Self.mostVersions).map(\.self)
      return item
    }
  }

  // MARK: - Days

  func day(_ request: PlanDayRequest) async throws(Failure) -> PlanDay {
    let now = self.now()
    return try await self.storage.read { view throws(Failure) in
      guard let day = request.day.isEmpty ? try view.careZone().day(at: now) : Day(request.day) else {
        throw .invalid(field: "day", "must be a day as YYYY-MM-DD.")
      }
      try day.requireNear("day")
      return try view.planDays(from: day, through: day, now: now).first ?? PlanDay()
    }
  }

  func history(_ request: ListDosesRequest) async throws(Failure) -> ListDosesReply {
    try await self.storage.read { view throws(Failure) in
      try view.doses.page(request, in: try view.span(from: request.from, until: request.until))
    }
  }
}

extension Planned {
  /// The item with what is left of it.
  var shown: PlanItem {
    var item = self.item
    guard let left = self.left else { return item }
    item.stock = Quantity(hundredths: left).description
    item.orderSoon = Quantity(item.orderAt).map { left <= $0.hundredths } ?? false
    return item
  }
}

extension DatabaseView {
  /// The time zone of the settings of care.
  public func careZone() throws(Failure) -> Zone { try Zone.reading(try self.care.settings().timeZone) }

  /// What is known of an item around a span of time.
  func rules(of item: PlanItem, around span: Range<Int64>) throws(Failure) -> DoseRules {
    let day: Int64 = 86_400_000_000_000
    let versions = try self.plan.versions(of: item.id)
    let hours = versions.map(\.item.everyHours).max() ?? 0
    let reach = max(3 * day, Int64(item.leastMinutes) * 60_000_000_000 + day, Int64(hours) * 3_600_000_000_000 + day)
    let around = span.lowerBound - reach..<span.upperBound + reach
    // A time is never moved by more than a day, or its hours: what the plan said long before does not matter, nor what it says long
    // afterwards. Only the names of times of every some hours count from the first version.
    let isHourly = versions.contains { $0.item.isHourly }
    let first = isHourly ? 0 : versions.lastIndex { $0.start <= around.lowerBound } ?? 0
    let near = versions[first...].filter { $0.start <= around.upperBound }
    return DoseRules(
      item: item, schedule: PlanSchedule(versions: near), doses: try self.doses.of(item.id, in: around))
  }

  /// The span of two days in the zone of the settings; an empty text is no bound.
  func span(from first: String, until last: String) throws(Failure) -> Range<Int64> {
    let zone = try self.careZone()
    var bounds: (Int64, Int64) = (.min, .max)
    if !first.isEmpty {
      guard let day = Day(first) else { throw .invalid(field: "from", "must be a day as YYYY-MM-DD.") }
      bounds.0 = zone.start(of: day)
    }
    if !last.isEmpty {
      guard let day = Day(last) else { throw .invalid(field: "until", "must be a day as YYYY-MM-DD.") }
      bounds.1 = zone.start(of: day.adding(days: 1))
    }
    guard bounds.0 < bounds.1 else { throw .invalid(field: "until", "is before the first day.") }
    return bounds.0..<bounds.1
  }
}

extension Transaction {
  /// Stores what an item says from now on.
  func store(_ item: inout PlanItem, in zone: Zone, by principal: Principal, now: Int64) throws(Failure) {
    item.updatedAt = .init(nanosecondsSince1970: now)
    item.updatedBy = try self.care.recorder(for: principal)
    item.timeZone = zone.name
    try self.plan.put(item, validFrom: now)
  }
}
