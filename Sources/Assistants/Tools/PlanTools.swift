internal import Bus
internal import KithMessages
internal import SwiftProtobuf

extension Tool {
  private static let item = Shape(
    "PlanItem",
    ["id", "kind", "name", "amount", "unit", "form", "least_minutes", "most_per_day", "stock", "order_soon", "state"])
  private static let dose = Shape(
    "Dose",
    ["id", "item_id", "item_name", "due", "occurred_at", "outcome", "amount", "unit", "reason", "note", "recorder"])
  private static let warning = Shape("PlanWarning", ["kind", "at", "by", "earliest", "count", "most"])
  private static let value = Shape(
    "MeasurementRecord",
    ["id", "kind", "name", "value", "lower", "unit", "occurred_at", "note", "recorder", "unlikely"])

  /// The care plan, and what was measured.
  static let plan: [Tool] = [
    Tool(
      name: "plan_today", title: "The care plan of a day",
      description:
        "What is to be given or done on a day, when, and what of it was given, missed or is due now; and what is given as needed.",
      inputs: [.day, .cursor],
      output: Shape(
        "PlanDay", ["day", "time_zone"],
        [ToolCall.notice] + ToolCall.rest + [
          .each(
            "dues",
            Shape(
              "PlanDue", ["due", "amount", "state", "is_late"],
              [.one("item", Self.item), .one("dose", Self.dose), .each("doubles", Self.dose)])),
          .each(
            "needed",
            Shape("PlanNeed", ["today", "earliest"], [.one("item", Self.item), .one("last", Self.dose)])),
          .each("others", Self.dose),
        ])
    ) { call throws(Failure) in
      let day = try await call.ask(PlanDayRequest.with { $0.day = call.arguments.day("day", today: call.today) })
      return try call.parts(of: day, most: 50, \.dues, \.needed, \.others)
    },
    Tool(
      name: "plan_give", title: "Record that something of the plan was given",
      description:
        "Records that an item of the care plan was given or done. If it was given already, is too early or is one too many, nothing is "
        + "recorded and the result has warnings and no dose: tell the person, and call again with despite_warnings only if they say so.",
      inputs: [
        .text("item", "The id that plan_today gives, or a name that only one item has.", isRequired: true),
        .moment("due", "Which time of the plan it answers; absent = the one that fits."),
        .moment("occurred_at", "When it was given; absent = now."),
        .field("amount", "GiveRequest.amount", "How much; absent = as planned."),
        .field("partly", "GiveRequest.partly", "Whether only a part was taken."),
        .field("note", "GiveRequest.note", "What else the person says of it."), .recorder,
        .flag("despite_warnings", "Record it although the person was told the warnings."), .requestKey,
      ],
      output: Shape(
        "DoseReply", ["due", "occurred_at"],
        [ToolCall.notice, .one("dose", Self.dose), .each("warnings", Self.warning), .one("item", Self.item)])
    ) { call throws(Failure) in
      var request = GiveRequest()
      request.itemID = try await call.planItemID()
      if let due = try call.arguments.moment("due", in: call.zone) { request.due = due }
      if let time = try call.arguments.moment("occurred_at", in: call.zone) { request.occurredAt = time }
      request.amount = call.arguments.text("amount")
      request.partly = call.arguments.flag("partly")
      request.note = call.arguments.text("note")
      request.recorder = call.recorder
      request.confirmed = call.arguments.flag("despite_warnings")
      request.unlessWarned = !request.confirmed
      request.clientID = call.clientID
      return try call.told(try await call.write(request, isInsisting: !request.unlessWarned))
    },
    Tool(
      name: "measure", title: "Record a measurement",
      description:
        "Records a value that somebody measured, such as blood pressure or temperature. A value that is hardly possible is not recorded "
        + "(recorded is absent): ask the person, and call again with despite_unlikely if it is right.",
      inputs: [
        .field("kind", "MeasurementRecord.kind", "What was measured.", isRequired: true),
        .field("value", "MeasurementRecord.value", "The value; of blood pressure the upper one.", isRequired: true),
        .field("lower", "MeasurementRecord.lower", "Of blood pressure: the lower value."),
        .field("unit", "MeasurementRecord.unit"),
        .field("name", "MeasurementRecord.name", "Of the kind other: what was measured."),
        .field("note", "MeasurementRecord.note", "What the person says of it."),
        .moment("occurred_at", "When it was measured; absent = now."), .recorder,
        .flag("despite_unlikely", "Record it although it is hardly possible: the person said that it is right."),
        .requestKey,
      ],
      output: Shape("MeasurementReply", ["recorded"], [ToolCall.notice, .one("measurement", Self.value)])
    ) { call throws(Failure) in
      var request = RecordMeasurementRequest()
      request.measurement.kind = call.arguments.text("kind")
      request.measurement.value = call.arguments.text("value")
      request.measurement.lower = call.arguments.text("lower")
      request.measurement.unit = call.arguments.text("unit")
      request.measurement.name = call.arguments.text("name")
      request.measurement.note = call.arguments.text("note")
      request.measurement.recorder = call.recorder
      if let time = try call.arguments.moment("occurred_at", in: call.zone) { request.occurredAt = time }
      request.unlessUnlikely = !call.arguments.flag("despite_unlikely")
      request.clientID = call.clientID
      return try call.told(try await call.write(request, isInsisting: !request.unlessUnlikely))
    },
    Tool(
      name: "measurements", title: "Measurements",
      description: "Lists what was measured, newest first: of all kinds, or of one.",
      inputs: [
        .field("kind", "MeasurementRecord.kind", "Only this kind."),
        .text("from", "The first day: YYYY-MM-DD, today or yesterday.", longest: 10),
        .text("until", "The last day: YYYY-MM-DD, today or yesterday.", longest: 10), .cursor,
      ],
      output: Shape("ListMeasurementsReply", ["next_cursor"], [ToolCall.notice, .each("measurements", Self.value)])
    ) { call throws(Failure) in
      var request = ListMeasurementsRequest()
      request.kind = call.arguments.text("kind")
      request.from = call.arguments.day("from", today: call.today)
      request.until = call.arguments.day("until", today: call.today)
      request.cursor = call.arguments.text("cursor")
      return try await call.list { limit throws(Failure) in
        request.limit = limit
        return try await call.ask(request)
      }
    },
  ]
}

extension ToolCall {
  /// The item of the plan that the argument `item` names: by its id, or by a name that only one item has.
  fileprivate func planItemID() async throws(Failure) -> String {
    let text = self.arguments.text("item")
    let items = try await self.ask(ListPlanItemsRequest()).items
    if items.contains(where: { $0.id == text }) { return text }
    let named = items.filter { $0.name.foldedName == text.foldedName }
    guard let item = named.first else {
      let names = items.prefix(20).map { "'\($0.name)'" }.joined(separator: ", ")
      throw .invalid(
        field: "item", "is no item of the plan. \(items.isEmpty ? "The plan is empty." : "It has \(names).")")
    }
    guard named.count == 1 else {
      throw .invalid(
        field: "item", "is the name of several: \(named.map(\.id).joined(separator: ", ")). Ask which, and give its id."
      )
    }
    return item.id
  }
}
