internal import Bus
internal import CivilTime
internal import Fields
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension CarePlanActor {
  func give(_ request: GiveRequest, _ context: CallContext) async throws(Failure) -> Answer<DoseReply> {
    let now = self.now()
    try request.check(GiveRequest.fields, now: now)
    let amount = try PlanItem.quantity(request.amount, "amount")
    let time = try DoseTime(
      request.hasOccurredAt ? request.occurredAt : nil, request.hasDue ? request.due : nil, now: now)
    return try await self.storage.commit(GiveRequest.self, context) { transaction throws(Failure) in
      try transaction.once(request.clientID) { () throws(Failure) in
        var dose = Dose()
        dose.knownOutcome = request.partly ? .partly : .given
        dose.amount = amount
        dose.note = request.note
        dose.recorder = request.recorder
        dose.confirmed = request.confirmed
        return try transaction.record(
          dose, of: request.itemID, time, unlessWarned: request.unlessWarned, by: context.principal, now: now)
      }
    }
  }

  func skip(_ request: SkipRequest, _ context: CallContext) async throws(Failure) -> Answer<DoseReply> {
    let now = self.now()
    try request.check(SkipRequest.fields, now: now)
    let time = try DoseTime(nil, request.hasDue ? request.due : nil, now: now)
    return try await self.storage.commit(SkipRequest.self, context) { transaction throws(Failure) in
      try transaction.once(request.clientID) { () throws(Failure) in
        var dose = Dose()
        dose.knownOutcome = .skipped
        dose.reason = request.reason
        dose.recorder = request.recorder
        return try transaction.record(
          dose, of: request.itemID, time, unlessWarned: request.unlessWarned, by: context.principal, now: now)
      }
    }
  }

  func undo(_ request: UndoDoseRequest, _ context: CallContext) async throws(Failure) -> Answer<DoseReply> {
    let now = self.now()
    return try await self.storage.commit(UndoDoseRequest.self, context) { transaction throws(Failure) in
      var dose = try transaction.doses.require(request.id)
      if !dose.hasDeletedAt {
        dose.deletedAt = .init(nanosecondsSince1970: now)
        dose.deletedBy = try transaction.care.recorder(for: context.principal)
        try transaction.doses.put(dose, amount: Quantity(dose.amount)?.hundredths ?? 0)
      }
      return try transaction.reply(dose, [])
    }
  }
}

/// When something was given, and which time it answers.
struct DoseTime: Sendable {
  /// Nanoseconds since 1970.
  let instant: Int64
  /// nil = the one that fits.
  let due: Int64?

  /// Of something that is given now.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  init(now: Int64, due: Int64) { (self.instant, self.due) = (now, due) }

  /// - Throws: `FIELD_INVALID` for a time that has not come.
  init(_ given: Google_Protobuf_Timestamp?, _ due: Google_Protobuf_Timestamp?, now: Int64) throws(Failure) {
    self.instant = given?.nanosecondsSince1970 ?? now
    self.due = due?.nanosecondsSince1970
    try PastTime.check(self.instant, now: now, field: "occurred_at")
    guard self.due.map({ (0...now + 366 * 86_400_000_000_000).contains($0) }) ?? true else {
      throw .invalid(field: "due", "must be a time of the plan. Check the date.")
    }
  }
}

extension Transaction {
  /// Records under the id that a client gave once.
  fileprivate func once(_ clientID: String, _ make: () throws(Failure) -> DoseReply) throws(Failure) -> DoseReply {
    // What was not recorded, because of a warning, has no id to come back to.
    var unrecorded: DoseReply?
    do throws(Failure) {
      return try self.creations.once(clientID, of: "dose", id: { $0.dose.id }) { id throws(Failure) in
        try self.doses.get(id).map { dose throws(Failure) in try self.reply(dose, dose.warnings) }
      } make: { () throws(Failure) in
        let reply = try make()
        guard !reply.hasDose else { return reply }
        unrecorded = reply
        // It leaves this function only as the reply.
        throw .cancelled
      }
    } catch {
      guard let unrecorded else { throw error }
      return unrecorded
    }
  }

  /// Records a dose, and what a person should know of it.
  func record(
    _ given: Dose, of id: String, _ time: DoseTime, unlessWarned: Bool, by principal: Principal, now: Int64
  ) throws(Failure) -> DoseReply {
    var dose = given
    let item = try self.plan.require(id).shown
    let around = min(time.instant, time.due ?? time.instant)..<max(time.instant, time.due ?? time.instant) + 1
    let rules = try self.rules(of: item, around: around)
    let due =
      try time.due.map { due throws(Failure) in
        guard let known = rules.schedule.dues(from: due, to: due + 1).first else {
          throw .invalid(field: "due", "'\(item.name)' is not due at that time. `kith plan` lists the times.")
        }
        return known
      } ?? (item.asNeeded ? nil : rules.due(at: time.instant))
    let isGiven = dose.knownOutcome != .skipped
    guard isGiven || due != nil else {
      throw .invalid(
        field: "due",
        item.asNeeded
          ? "'\(item.name)' is given as needed: there is no time to skip."
          : "nothing of '\(item.name)' is due near now; name the time. `kith plan` lists the times.")
    }
    let warnings = rules.warnings(at: time.instant, due: due, isGiven: isGiven)
    guard warnings.isEmpty || !unlessWarned else {
      var reply = DoseReply()
      reply.warnings = warnings
      reply.item = item
      reply.occurredAt = .init(nanosecondsSince1970: time.instant)
      if let due { reply.due = .init(nanosecondsSince1970: due.instant) }
      return reply
    }
    // As it was called, and counted, at that time.
    let said = due?.item ?? item
    dose.id = UUIDv7.make().text
    dose.itemID = item.id
    dose.itemName = said.name
    dose.unit = said.unit
    if let due {
      dose.due = .init(nanosecondsSince1970: due.instant)
      dose.timeKey = due.key
    }
    dose.occurredAt = .init(nanosecondsSince1970: time.instant)
    // How much of a part was taken only a person knows.
    if dose.knownOutcome == .given, dose.amount.isEmpty { dose.amount = due?.amount ?? item.amount }
    if dose.recorder.isEmpty { dose.recorder = try self.care.recorder(for: principal) }
    dose.warnings = warnings
    dose.createdAt = .init(nanosecondsSince1970: now)
    let counted = said.unit == item.unit ? Quantity(dose.amount)?.hundredths ?? 0 : 0
    try self.doses.put(dose, amount: counted)
    return try self.reply(dose, warnings)
  }

  fileprivate func reply(_ dose: Dose, _ warnings: [PlanWarning]) throws(Failure) -> DoseReply {
    var reply = DoseReply()
    reply.dose = dose
    reply.warnings = warnings
    reply.occurredAt = dose.occurredAt
    if dose.hasDue { reply.due = dose.due }
    reply.item = try self.plan.require(dose.itemID).shown
    return reply
  }
}
