internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

extension Tool {
  private static let reminder = Shape(
    "Reminder", ["id", "kind", "title", "note", "person_id", "due", "state", "snoozed_until", "day"])

  /// A reply that is one reminder.
  private static let one = Shape("Reminder", [], [ToolCall.notice] + Self.reminder.parts)

  /// Reminders.
  static let reminders: [Tool] = [
    Tool(
      name: "reminders_due", title: "Reminders",
      description: "The reminders that are due now, and the next ones to come.",
      inputs: [.cursor],
      output: Shape(
        "ReminderStatusReply", [],
        [ToolCall.notice] + ToolCall.rest + [.each("due", Self.reminder), .each("pending", Self.reminder)])
    ) { call throws(Failure) in
      try call.parts(of: try await call.ask(ReminderStatusRequest()), most: 20, \.due, \.pending)
    },
    Tool(
      name: "reminder_done", title: "Reminder done",
      description: "Marks a reminder as done; what one of the care plan names is recorded as given.",
      inputs: [.text("id", "The reminder's id.", longest: 64, isRequired: true), .requestKey], output: Self.one
    ) { call throws(Failure) in
      try call.told(try await call.write(DoneReminderRequest.with { $0.id = call.arguments.text("id") }))
    },
    Tool(
      name: "remind_to_call", title: "Remind to call",
      description: "Reminds to call somebody, in some days or on a day.",
      inputs: [
        .person, .field("in_days", "AddCallReminderRequest.in_days", "In how many days, at 10:00."),
        .text("on", "Instead of in_days: YYYY-MM-DD, or YYYY-MM-DD HH:MM in the household's time zone.", longest: 16),
        .field("note", "AddCallReminderRequest.note", "What the call is to be about."), .requestKey,
      ], output: Self.one
    ) { call throws(Failure) in
      var request = AddCallReminderRequest()
      request.personID = try await call.personToRecord()
      request.inDays = call.arguments.number("in_days")
      request.on = call.arguments.text("on")
      request.note = call.arguments.text("note")
      request.timeZone = call.zone.name
      return try call.told(try await call.write(request))
    },
  ]
}
