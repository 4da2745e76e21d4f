internal import Bus
internal import CivilTime
internal import FoundationEssentials
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf

extension House {
  /// How many records are looked through for when each item was given last.
  private static let mostDoses: UInt32 = 200

  /// Reads the care plan and the newest measurements; nil if there are none, and never were.
  func readPlan() async throws(Failure) -> HousePlan? {
    var every = ListPlanItemsRequest()
    every.all = true
    guard let items = try await self.client.askIfServed(every)?.items else { return nil }
    var plan = HousePlan()
    plan.take(items, withNames: self.tellsDetails)
    if plan.isActive {
      let today = try await self.client.ask(PlanDayRequest())
      if let day = Day(today.day) {
        plan.take(
          yesterday: try await self.client.ask(PlanDayRequest.with { $0.day = day.adding(days: -1).description }),
          today: today,
          tomorrow: try await self.client.ask(PlanDayRequest.with { $0.day = day.adding(days: 1).description }))
      }
      plan.take(try await self.client.ask(ListDosesRequest.with { $0.limit = Self.mostDoses }).doses)
    }
    var newest = ListMeasurementsRequest()
    newest.limit = 1
    guard try await !self.client.ask(newest).measurements.isEmpty else { return items.isEmpty ? nil : plan }
    for kind in HousePlan.kinds where self.tellsDetails {
      newest.kind = kind.rawValue
      if let measured = try await self.client.ask(newest).measurements.first { plan.take(measured) }
    }
    return plan
  }

  /// Records that an item was given, unless a person should know something first: then it is told, and nothing is recorded.
  ///
  /// - Parameter pressedAt: When, in nanoseconds since 1970.
  func give(_ key: String, _ context: CallContext, pressedAt: Int64) async throws(Failure) {
    let items = try await self.client.ask(ListPlanItemsRequest(), CallContext(timeout: context.timeout)).items
    guard let item = items.first(where: { $0.houseKey == key }) else {
      throw .unknownRecord(key, "There is no such item of the plan, or it has ended.")
    }
    var request = GiveRequest()
    request.itemID = item.id
    request.unlessWarned = true
    let answer = try await self.client.call(request, context)
    guard !answer.isReplayed || answer.reply.occurredAt.nanosecondsSince1970 >= pressedAt else { return }
    if answer.reply.hasDose { self.lastRecord = .init(id: answer.reply.dose.id, isDose: true, at: .now) }
    self.tell(answer.reply, of: key)
  }

  private func tell(_ reply: DoseReply, of key: String) {
    var told = ["event_type": PlanNews(reply).rawValue, "key": key]
    if let warning = reply.warnings.first, !reply.hasDose {
      if warning.hasAt { told["at"] = warning.at.iso }
      if warning.hasEarliest { told["earliest"] = warning.earliest.iso }
      if self.tellsDetails, !warning.by.isEmpty { told["by"] = warning.by }
    }
    if self.tellsDetails { told["item"] = reply.item.name }
    self.publish(news: told, to: self.topics.plan)
  }
}
