internal import Bus
internal import KithMessages

extension Tool {
  /// A call as it is told.
  static let call = Shape(
    "Call",
    ["id", "person_id", "person_name", "called_at", "duration_minutes", "emotion", "note", "they_called", "tags"])

  /// The tag of a call that an assistant has recorded, by which people see and find it.
  static let assistantTag = "assistant"

  /// Calls with people.
  static let calls: [Tool] = [
    Tool(
      name: "call_log", title: "Record a call",
      description: "Records a call with somebody, now or at a time. It has the tag \"\(Self.assistantTag)\".",
      inputs: [
        .person, .moment("at", "When the call was; absent = it ended just now."),
        .field("minutes", "Call.duration_minutes", "How long it took."),
        .field("emotion", "Call.emotion", "How it felt."), .field("note", "Call.note", "What it was about."),
        .field("they_called", "Call.they_called", "Whether the other one called."), .requestKey,
      ], output: Shape("Call", [], [ToolCall.notice] + Self.call.parts)
    ) { call throws(Failure) in
      var request = LogCallRequest()
      request.record.personID = try await call.personToRecord()
      if let time = try call.arguments.moment("at", in: call.zone) { request.record.calledAt = time }
      request.record.durationMinutes = call.arguments.number("minutes")
      request.record.emotion = call.arguments.text("emotion")
      request.record.note = call.arguments.text("note")
      request.record.theyCalled = call.arguments.flag("they_called")
      request.record.tags = [Self.assistantTag]
      return try call.told(try await call.write(request))
    },
    Tool(
      name: "calls_list", title: "Calls", description: "Lists calls, newest first: of everybody, or with one person.",
      inputs: [
        .text("person", "An id, or a name that only one person has; absent = everybody."),
        .field("emotion", "CallFilter.emotion", "Only calls that felt so."), .cursor,
      ], output: Shape("ListCallsReply", ["next_cursor"], [ToolCall.notice, .each("calls", Self.call)])
    ) { call throws(Failure) in
      var request = ListCallsRequest()
      request.cursor = call.arguments.text("cursor")
      request.filter.emotion = call.arguments.text("emotion")
      if call.arguments.has("person") {
        guard let person = try await call.personID() else { return try call.told(ListCallsReply()) }
        request.filter.personID = person
      }
      return try await call.list { limit throws(Failure) in
        request.limit = limit
        return try await call.ask(request)
      }
    },
  ]
}
