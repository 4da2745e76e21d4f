internal import Bus
internal import CivilTime
internal import KithMessages
internal import Logging
internal import Storage
internal import SwiftProtobuf

extension MonicaGatewayActor {
  /// The methods of `People`.
  nonisolated var peopleRoutes: [Route] {
    [
      self.listing(ListPeopleRequest.self),
      self.answering(SearchPeopleRequest.self) { request, view throws(Failure) in
        var reply = SearchPeopleReply()
        (reply.people, reply.more) = try view.records.searchPeople(request.text, limit: request.limit)
        return reply
      },
      self.answering(WhoRequest.self) { request, view throws(Failure) in
        try view.acquaintances.search(request.text, limit: request.limit)
      },
      self.answering(DuplicatesRequest.self) { request, view throws(Failure) in
        try view.acquaintances.duplicates(limit: request.limit, cursor: request.cursor)
      },
      self.writing(PersonOfContactRequest.self) { request, transaction, now throws(Failure) in
        try transaction.person(ofContact: request.contactID, now: now)
      },
      Route(GetPersonRequest.self) { request, _ throws(Failure) in try await self.getPerson(request) },
      self.answering(PersonTimelineRequest.self) { request, view throws(Failure) in
        try Self.timeline(request, view)
      },
      self.creating(CreatePersonRequest.self), self.changing(UpdatePersonRequest.self),
      self.deleting(DeletePersonRequest.self), self.restoring(RestorePersonRequest.self),

      self.creating(CreateContactFieldRequest.self), self.changing(UpdateContactFieldRequest.self),
      self.deleting(DeleteContactFieldRequest.self),
      self.creating(CreatePersonAddressRequest.self), self.changing(UpdatePersonAddressRequest.self),
      self.deleting(DeletePersonAddressRequest.self),
      self.reminding(CreatePersonReminderRequest.self) { request, transaction, now throws(Failure) in
        try transaction.make(request, now: now)
      },
      self.reminding(UpdatePersonReminderRequest.self) { request, transaction, now throws(Failure) in
        try transaction.change(request, now: now)
      },
      self.deleting(DeletePersonReminderRequest.self),

      self.answering(SuggestLinksRequest.self) { request, view throws(Failure) in
        try view.links.candidates(person: request.personID, limit: request.limit, cursor: request.cursor)
      },
      self.writing(LinkPersonRequest.self) { request, transaction, _ throws(Failure) in
        try transaction.links.link(person: request.personID, contact: request.contactID)
        return try transaction.records.require(Person.self, request.personID)
      },
      self.writing(DismissLinkRequest.self) { request, transaction, _ throws(Failure) in
        try transaction.links.dismiss(person: request.personID, contact: request.contactID)
        return DismissLinkReply()
      },
    ]
  }

  /// A method that replies with a reminder, including its next due date.
  private nonisolated func reminding<C: Command>(
    _ type: C.Type, _ body: @escaping @Sendable (C, Transaction, Int64) throws(Failure) -> PersonReminder
  ) -> Route where C.Reply == PersonReminder {
    self.writing(type) { request, transaction, now throws(Failure) in
      var reminder = try body(request, transaction, now)
      reminder.nextOn = reminder.nextDay(from: try transaction.today(at: now))?.description ?? ""
      return reminder
    }
  }

  /// Reads the person from the server first if the request wants that. If the server cannot be reached, the reply has
  /// the stored record and the reason.
  private nonisolated func getPerson(_ request: GetPersonRequest) async throws(Failure) -> PersonDetails {
    var (isRefreshed, refusal) = (false, Failure?.none)
    if request.refresh {
      do throws(Failure) {
        isRefreshed = try await self.engine.refresh(person: request.id)
      } catch {
        guard !Task.isCancelled, error.reason != "RECORD_UNKNOWN" else { throw error }
        self.logger.info("a person was not refreshed", metadata: ["reason": "\(error.reason)"])
        refusal = error
      }
    }
    let (now, refreshedAt) = (self.now(), await self.engine.lastRefresh(of: request.id))
    var details = try await self.storage.read { view throws(Failure) in
      try PersonDetails(of: request.id, today: try view.today(at: now), in: view)
    }
    details.refreshed = isRefreshed
    if let refusal { details.refreshError = refusal.status }
    if let refreshedAt, refreshedAt > details.fetchedAt.nanosecondsSince1970 {
      details.fetchedAt = .init(nanosecondsSince1970: refreshedAt)
    }
    return details
  }

  private static func timeline(
    _ request: PersonTimelineRequest, _ view: ReadView
  ) throws(Failure) -> PersonTimelineReply {
    let query = RecordQuery(limit: request.limit, cursor: request.cursor, person: request.id)
    let page = try view.records.timeline(of: [.call, .conversation, .activity, .note], query)
    var reply = PersonTimelineReply()
    reply.entries = page.records.compactMap { TimelineEntry($0) }
    reply.nextCursor = page.nextCursor
    return reply
  }
}

extension ListPeopleRequest: RecordQuerying {
  var query: RecordQuery {
    RecordQuery(
      limit: self.limit, cursor: self.cursor, tag: self.tag.isEmpty ? nil : self.tag,
      includesDeleted: self.includeDeleted, includesArchived: self.includeArchived,
      includesPartial: self.includePartial)
  }
}

extension TimelineEntry {
  /// The timeline entry of a record; nil for kinds that are not shown in a timeline.
  init?(_ record: AnyRecord) {
    self.init()
    switch record {
    case .call(let call):
      self.call = call
      self.at = call.calledAt
    case .conversation(let conversation):
      self.conversation = conversation
      self.at = conversation.happenedAt
    case .activity(let activity):
      self.activity = activity
      self.at =
        Day(activity.happenedOn).map { .init(nanosecondsSince1970: $0.nanosecondsSince1970) }
        ?? activity.createdAt
    case .note(let note):
      self.note = note
      self.at = note.createdAt
    default: return nil
    }
  }
}

extension DatabaseView {
  /// The present day in the time zone of the reminders.
  fileprivate func today(at now: Int64) throws(Failure) -> Day {
    (Zone(named: try self.reminders.daily().timeZone) ?? Zone.system()).day(at: now)
  }
}
