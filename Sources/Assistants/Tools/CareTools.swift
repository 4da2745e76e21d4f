internal import Bus
internal import KithMessages

extension Tool {
  private static let entry = Shape(
    "CareRecord",
    [
      "id", "category", "occurred_at", "memo", "transcript", "recorder", "review", "state", "suggested_category",
      "updated_at",
    ])

  private static let reply = Shape("CareReply", [], [ToolCall.notice, .one("record", Self.entry)])
  private static let entries = Shape("ListCareReply", ["next_cursor"], [ToolCall.notice, .each("records", Self.entry)])

  /// Care for one person at home.
  static let care: [Tool] = [
    Tool(
      name: "care_log", title: "Record care",
      description:
        "Records one thing that happened in the care at home: medication, a meal and so on, now or at a time.",
      inputs: [
        .field("category", "CareRecord.category", "What kind of thing it was.", isRequired: true),
        .field("memo", "RecordCareRequest.memo", "What happened, in the words of the person who says it."),
        .moment("occurred_at", "When it happened; absent = now."),
        .recorder, .requestKey,
      ], output: Self.reply
    ) { call throws(Failure) in
      var request = RecordCareRequest()
      request.category = call.arguments.text("category")
      request.memo = call.arguments.text("memo")
      if let time = try call.arguments.moment("occurred_at", in: call.zone) { request.occurredAt = time }
      request.recorder = call.recorder
      return try call.told(try await call.write(request))
    },
    Tool(
      name: "care_list", title: "Entries of care",
      description: "Lists what was recorded about the care of a day, or the newest entries of all days.",
      inputs: [.day, .field("category", "CareRecord.category", "Only this kind."), .cursor], output: Self.entries
    ) { call throws(Failure) in
      var request = ListCareRequest()
      request.day = call.arguments.day("day", today: call.today)
      request.category = call.arguments.text("category")
      request.cursor = call.arguments.text("cursor")
      return try await call.list { limit throws(Failure) in
        request.limit = limit
        return try await call.ask(request)
      }
    },
    Tool(
      name: "care_search", title: "Search care", description: "Finds entries of care by words of memo and transcript.",
      inputs: [.text("text", "The words.", isRequired: true), .cursor], output: Self.entries
    ) { call throws(Failure) in
      var request = SearchCareRequest()
      request.text = call.arguments.text("text")
      request.cursor = call.arguments.text("cursor")
      return try await call.list { limit throws(Failure) in
        request.limit = limit
        return try await call.ask(request)
      }
    },
    Tool(
      name: "care_summary", title: "A day of care",
      description: "The summary of the care of a day as text, as the family shares it.",
      inputs: [.day, .field("language", "CareSummaryRequest.language", "Absent = the household's.")],
      output: Shape(
        "CareSummaryReply", ["day", "language", "records", "unreviewed", "text"], [ToolCall.notice], longestText: 20_000
      )
    ) { call throws(Failure) in
      var request = CareSummaryRequest()
      request.day = call.arguments.day("day", today: call.today)
      request.language = call.arguments.text("language")
      request.short = true
      return try call.told(try await call.ask(request))
    },
    Tool(
      name: "care_correct", title: "Correct care",
      description: "Corrects an entry of care. What it said before is kept, and people see who corrected it.",
      inputs: [
        .text("id", "The entry's id.", longest: 64, isRequired: true),
        .field("category", "CareRecord.category", "The right kind."),
        .field("memo", "CareRecord.memo", "The right memo."),
        .field("transcript", "CareRecord.transcript", "The right words of a recording."),
        .moment("occurred_at", "The right time."), .requestKey,
      ], output: Self.reply
    ) { call throws(Failure) in
      var request = UpdateCareRequest()
      request.record.id = call.arguments.text("id")
      request.record.category = call.arguments.text("category")
      request.record.memo = call.arguments.text("memo")
      request.record.transcript = call.arguments.text("transcript")
      if let time = try call.arguments.moment("occurred_at", in: call.zone) { request.record.occurredAt = time }
      request.fields = ["category", "memo", "transcript", "occurred_at"].filter(call.arguments.has)
      guard !request.fields.isEmpty else {
        throw .invalid(field: "id", "is all that was given. Say what is to change.")
      }
      request.correctedBy = call.assistant.name
      return try call.told(try await call.write(request))
    },
  ]
}
