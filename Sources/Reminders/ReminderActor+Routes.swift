public import Bus
internal import CarePlan
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension ReminderActor {
  /// Every method of `kith.v1.Reminders` and `kith.v1.Channels`.
  public nonisolated var routes: [Route] { self.reminderRoutes + self.channelRoutes }

  private nonisolated var reminderRoutes: [Route] {
    [
      Route(answering: SetDailyReminderRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.setDaily(request, context)
      },
      Route(ReminderStatusRequest.self) { _, _ throws(Failure) in try await self.status() },
      Route(answering: AddCallReminderRequest.self) { request, context throws(Failure) in
        try await self.addCall(request, context)
      },
      Route(ListRemindersRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in try view.reminders.page(request) }
      },
      Route(answering: SnoozeReminderRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.snooze(request, context)
      },
      Route(answering: DoneReminderRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.end(DoneReminderRequest.self, request.id, as: .done, context)
      },
      Route(answering: SkipReminderRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.skip(request, context)
      },
      Route(answering: RemoveReminderRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.end(RemoveReminderRequest.self, request.id, as: .removed, context)
      },
      Route(answering: FollowReminderLinkRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.follow(request, context)
      },
      Route(ReminderSettingsRequest.self) { _, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in try view.reminders.settings() }
      },
      Route(answering: ConfigureRemindersRequest.self, order: .afterWrites) { request, context throws(Failure) in
        let answer = try await self.storage.commit(ConfigureRemindersRequest.self, context) {
          transaction throws(Failure) in
          let settings = try transaction.reminders.settings().changed(by: request, transaction)
          try transaction.reminders.configure(settings)
          return settings
        }
        // The new settings may make people's reminders due.
        await self.lookAtPeople()
        return answer
      },
    ]
  }

  private func setDaily(
    _ request: SetDailyReminderRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<DailyReminder> {
    let (now, systemZone, always) = (self.now(), self.systemZone(), self.always)
    let answer = try await self.storage.commit(SetDailyReminderRequest.self, context) { transaction throws(Failure) in
      var daily = try DailyReminder(request, before: transaction.reminders.daily(), now: now, systemZone: systemZone)
      try transaction.reminders.setDaily(daily)
      if !daily.enabled { try transaction.endDailyReminders(as: .removed, now: now) }
      daily.show(in: systemZone, over: try transaction.channels(of: .daily, always: always))
      return daily
    }
    self.wake()
    return answer
  }

  private func status() async throws(Failure) -> ReminderStatusReply {
    let (zone, always, now) = (self.systemZone(), self.always, self.now())
    return try await self.storage.read { view throws(Failure) in
      var reply = ReminderStatusReply()
      reply.daily = try view.reminders.daily()
      let last = try view.reminders.lastDaily()
      reply.daily.show(
        in: zone, over: try view.channels(of: .daily, always: always),
        last: try last.map { reminder throws(Failure) in try view.sent(about: reminder) } ?? [])
      reply.due = try view.reminders.due()
      for index in reply.due.indices { reply.due[index].deliveries = try view.sent(about: reply.due[index]) }
      reply.pending = try view.comingReminders(now: now)
      return reply
    }
  }

  private func addCall(
    _ request: AddCallReminderRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<Reminder> {
    let now = self.now()
    // The replay of an old command: its reminder exists already, and its day may have passed.
    let draft = await Result(of: { () async throws(Failure) in try await self.draft(request, now: now) })
    let answer = try await self.storage.commit(AddCallReminderRequest.self, context) { transaction throws(Failure) in
      try transaction.creations.once(request.clientID, of: "reminder", id: { $0.id }) { id throws(Failure) in
        try transaction.reminders.get(id)
      } make: { () throws(Failure) in
        let reminder = try draft.get()
        try transaction.reminders.put(reminder)
        return reminder
      }
    }
    self.wake()
    return answer
  }

  private func draft(_ request: AddCallReminderRequest, now: Int64) async throws(Failure) -> Reminder {
    var reminder = Reminder()
    reminder.id = UUIDv7.make().text
    reminder.knownKind = .call
    reminder.personID = request.personID
    reminder.title = try await self.nameOfPerson(request.personID)
    reminder.note = try CallReminderRules.note(request.note)
    let zone = try Zone.reading(request.timeZone)
    let (day, instant) = try CallReminderRules.time(request, now: now, zone: zone)
    reminder.day = day.description
    reminder.due = .init(nanosecondsSince1970: instant)
    reminder.knownState = .waiting
    reminder.createdAt = .init(nanosecondsSince1970: now)
    reminder.updatedAt = reminder.createdAt
    return reminder
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

  /// Does what a link says, unless it was done already.
  private func follow(
    _ request: FollowReminderLinkRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<FollowReminderLinkReply> {
    let (now, systemZone) = (self.now(), self.systemZone())
    guard (1...512).contains(request.link.utf8.count) else {
      throw .invalid(field: "link", "must have 1 to 512 bytes. It is the last part of the address in a message.")
    }
    let link = try await self.links.read(request.link, now: now)
    let answer = try await self.storage.commit(FollowReminderLinkRequest.self, context) { transaction throws(Failure) in
      var reminder = try transaction.reminders.require(link.reminder)
      var reply = FollowReminderLinkReply()
      reply.state = reminder.state
      // What was missed of the plan can still be given.
      let isOpen = [.due, .snoozed].contains(reminder.knownState)
      guard isOpen || reminder.knownKind == .plan && link.action != .snooze else { return reply }
      switch link.action {
      case .done, .skip:
        // Who pressed it is not known: the name is the household's.
        reminder = try transaction.finish(reminder, skipping: link.action == .skip ? "" : nil, by: .hub, now: now)
        reply.answeredBefore = reminder.times.contains(where: \.answeredBefore)
      case .snooze:
        guard reminder.snoozes == link.snoozes else { return reply }
        let zone = try transaction.reminders.daily().zone ?? systemZone
        reminder = try reminder.snoozed(minutes: 0, now: now, zone: zone)
        try transaction.reminders.put(reminder)
      }
      reply.state = reminder.state
      return reply
    }
    self.wake()
    return answer
  }

  private func skip(_ request: SkipReminderRequest, _ context: CallContext) async throws(Failure) -> Answer<Reminder> {
    let now = self.now()
    if let fault = TextLimit.reminderNote.fault(of: request.reason) { throw .invalid(field: "reason", fault) }
    return try await self.storage.commit(SkipReminderRequest.self, context) { transaction throws(Failure) in
      let reminder = try transaction.reminders.require(request.id)
      guard reminder.knownKind == .plan else {
        throw Failure(
          .failedPrecondition, "NOT_OF_PLAN",
          "Only a reminder of the care plan can be skipped. `kith remind done` ends this one.")
      }
      return try transaction.finish(reminder, skipping: request.reason, by: context.principal, now: now)
    }
  }

  private func end<C: Command>(
    _ type: C.Type, _ id: String, as state: ReminderState, _ context: CallContext
  ) async throws(Failure) -> Answer<Reminder> where C.Reply == Reminder {
    let now = self.now()
    return try await self.storage.commit(type, context) { transaction throws(Failure) in
      var reminder = try transaction.reminders.require(id)
      if state == .done { return try transaction.finish(reminder, skipping: nil, by: context.principal, now: now) }
      guard reminder.knownState != state else { return reminder }
      reminder.knownState = state
      reminder.updatedAt = .init(nanosecondsSince1970: now)
      try transaction.reminders.put(reminder)
      try transaction.renewMissed(now: now)
      return reminder
    }
  }
}

extension DatabaseView {
  /// The reminders that come next, those of the care plan among them; at most 50.
  fileprivate func comingReminders(now: Int64) throws(Failure) -> [Reminder] {
    let times = try self.plannedTimes(in: now..<now + PlanReminders.listed)
    let all = try self.reminders.coming() + PlanReminders.coming(times, now: now, zone: self.careZone())
    return Array(all.sorted { $0.comesAt.nanosecondsSince1970 < $1.comesAt.nanosecondsSince1970 }.prefix(50))
  }

  /// The channels for reminders of a kind.
  fileprivate func channels(of kind: ReminderKind, always: [String]) throws(Failure) -> [String] {
    try self.channels.names(try self.reminders.settings().channels(of: kind), always: always)
  }

  /// The deliveries of messages about a reminder.
  fileprivate func sent(about reminder: Reminder) throws(Failure) -> [ReminderDelivery] {
    try self.deliveries.newest(about: reminder.id).map { entry in
      var delivery = ReminderDelivery()
      delivery.channel = entry.channel
      delivery.state = entry.state
      delivery.id = entry.id
      delivery.attempts = entry.attempts
      if entry.hasError { delivery.error = entry.error }
      return delivery
    }
  }
}
