public import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension ReminderActor {
  /// Every method of `kith.v1.Reminders`.
  public nonisolated var routes: [Route] {
    [
      Route(answering: SetDailyReminderRequest.self) { request, context throws(Failure) in
        try await self.setDaily(request, context)
      },
      Route(ReminderStatusRequest.self) { _, _ throws(Failure) in try await self.status() },
      Route(answering: AddCallReminderRequest.self) { request, context throws(Failure) in
        try await self.addCall(request, context)
      },
      Route(ListRemindersRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in try view.reminders.page(request) }
      },
      Route(answering: SnoozeReminderRequest.self) { request, context throws(Failure) in
        try await self.snooze(request, context)
      },
      Route(answering: DoneReminderRequest.self) { request, context throws(Failure) in
        try await self.end(DoneReminderRequest.self, request.id, as: "done", context)
      },
      Route(answering: RemoveReminderRequest.self) { request, context throws(Failure) in
        try await self.end(RemoveReminderRequest.self, request.id, as: "removed", context)
      },
    ]
  }

  private func setDaily(
    _ request: SetDailyReminderRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<DailyReminder> {
    let (now, systemZone, word) = (self.now(), self.systemZone(), self.deliveryWord)
    let answer = try await self.storage.commit(SetDailyReminderRequest.self, context) { transaction throws(Failure) in
      var daily = try DailyReminder(request, before: transaction.reminders.daily(), now: now, systemZone: systemZone)
      try transaction.reminders.setDaily(daily)
      daily.show(in: systemZone, delivery: word)
      return daily
    }
    self.wake()
    return answer
  }

  private func status() async throws(Failure) -> ReminderStatusReply {
    let (zone, word) = (self.systemZone(), self.deliveryWord)
    return try await self.storage.read { view throws(Failure) in
      var reply = ReminderStatusReply()
      reply.daily = try view.reminders.daily()
      reply.daily.show(in: zone, delivery: word)
      reply.due = try view.reminders.due()
      reply.pending = try view.reminders.coming()
      return reply
    }
  }

  private func addCall(
    _ request: AddCallReminderRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<Reminder> {
    let now = self.now()
    var reminder = Reminder()
    reminder.id = UUIDv7.make().text
    reminder.kind = "call"
    reminder.personID = request.personID
    reminder.title = try await self.nameOfPerson(request.personID)
    reminder.note = try CallReminderRules.note(request.note)
    let zone = try CallReminderRules.zone(request.timeZone) ?? self.systemZone()
    let (day, instant) = try CallReminderRules.time(request, now: now, zone: zone)
    reminder.day = day.description
    reminder.due = .init(nanosecondsSince1970: instant)
    reminder.state = "waiting"
    reminder.createdAt = .init(nanosecondsSince1970: now)
    reminder.updatedAt = reminder.createdAt
    let answer = try await self.storage.commit(AddCallReminderRequest.self, context) {
      [reminder] transaction throws(Failure) in
      try transaction.reminders.put(reminder)
      return reminder
    }
    self.wake()
    return answer
  }

  private func snooze(_ request: SnoozeReminderRequest, _ context: CallContext) async throws(Failure) -> Answer<
    Reminder
  > {
    let (now, systemZone) = (self.now(), self.systemZone())
    let answer = try await self.storage.commit(SnoozeReminderRequest.self, context) { transaction throws(Failure) in
      let zone = try transaction.reminders.daily().zone ?? systemZone
      let reminder = try transaction.reminders.require(request.id).snoozed(
        minutes: request.minutes, now: now, zone: zone)
      try transaction.reminders.put(reminder)
      return reminder
    }
    self.wake()
    return answer
  }

  private func end<C: Command>(
    _ type: C.Type, _ id: String, as state: String, _ context: CallContext
  ) async throws(Failure) -> Answer<Reminder> where C.Reply == Reminder {
    let now = self.now()
    return try await self.storage.commit(type, context) { transaction throws(Failure) in
      var reminder = try transaction.reminders.require(id)
      guard reminder.state != state else { return reminder }
      reminder.state = state
      reminder.updatedAt = .init(nanosecondsSince1970: now)
      try transaction.reminders.put(reminder)
      return reminder
    }
  }
}
