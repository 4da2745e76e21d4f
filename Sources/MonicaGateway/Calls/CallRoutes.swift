internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension MonicaGatewayActor {
  /// The methods of `Calls`.
  nonisolated var callRoutes: [Route] { self.callWritingRoutes + self.callReadingRoutes + self.templateRoutes }

  private nonisolated var callWritingRoutes: [Route] {
    [
      Route(answering: LogCallRequest.self, order: .afterWrites) { request, context throws(Failure) in
        // The replay of an old command: its call is recorded already, and its uploads have expired.
        let attachments = await Result(of: { () async throws(Failure) in
          try await CallAttachments(request.record.attachments, storage: self.storage)
        })
        return try await self.write(request, context) { request, transaction, now throws(Failure) in
          try transaction.once(request.clientID) { () throws(Failure) in
            var call = request.record
            if !request.template.isEmpty { try transaction.template(request.template).fill(&call) }
            if !call.hasCalledAt { call.calledAt = .init(nanosecondsSince1970: now) }
            call.attachments = try attachments.get().keep(in: transaction)
            return try transaction.make("", call, now: now)
          }
        }
      },
      self.writing(QuickCallRequest.self) { request, transaction, now throws(Failure) in
        var call = Call()
        call.personID = request.personID
        call.durationMinutes = request.durationMinutes
        call.emotion = request.emotion
        let end = try CallTimer.moment(request.hasEndedAt ? request.endedAt : nil, field: "ended_at", now: now)
        // A call that is longer than allowed is refused below.
        call.calledAt = .init(
          nanosecondsSince1970: end - Int64(min(request.durationMinutes, Call.longestMinutes)) * 60_000_000_000)
        return try transaction.make(request.clientID, call, now: now)
      },
      self.writing(StartCallRequest.self) { request, transaction, now throws(Failure) in
        guard !request.personID.isEmpty else { throw .invalid(field: "person_id", "must not be empty.") }
        return try transaction.once(request.clientID) { () throws(Failure) in
          let start = try CallTimer.moment(
            request.hasStartedAt ? request.startedAt : nil, field: "started_at", now: now)
          let call = try CallTimer.start(request, running: transaction.runningCalls(), now: start)
          return try transaction.records.create(call, now: now)
        }
      },
      self.writing(StopCallRequest.self) { request, transaction, now throws(Failure) in
        let running = try CallTimer.choose(request.id, running: transaction.runningCalls())
        var said = Call()
        said.emotion = request.emotion
        said.note = request.note
        said.tags = request.tags
        var call = running
        try call.change([], as: said, now: now)
        let end = try CallTimer.moment(request.hasEndedAt ? request.endedAt : nil, field: "ended_at", now: now)
        return try transaction.records.update(CallTimer.stop(call, now: end), now: now)
      },
      Route(answering: UpdateCallRequest.self) { request, context throws(Failure) in
        let attachments = try await CallAttachments(
          request.record.attachments, knownIn: request.record.id, storage: self.storage)
        return try await self.write(request, context) { request, transaction, now throws(Failure) in
          var call = request.record
          call.attachments = try attachments.keep(in: transaction)
          return try transaction.change(request, as: call, now: now)
        }
      },
      Route(answering: AttachToCallRequest.self) { request, context throws(Failure) in
        guard !request.attachments.isEmpty else { throw .invalid(field: "attachments", "must not be empty.") }
        let attachments = try await CallAttachments(request.attachments, knownIn: request.id, storage: self.storage)
        return try await self.write(request, context) { request, transaction, now throws(Failure) in
          var call = try transaction.records.require(Call.self, request.id)
          let known = Set(call.attachments.map(\.sha256))
          call.attachments += try attachments.keep(in: transaction).filter { !known.contains($0.sha256) }
          return try transaction.change(call, ["attachments"], now: now)
        }
      },
      self.deleting(DeleteCallRequest.self),
      self.writing(BulkDeleteCallsRequest.self) { request, transaction, now throws(Failure) in
        var reply = BulkDeleteCallsReply()
        for id in try Self.several(request.ids) {
          reply.ids.append(try transaction.records.delete(Call.self, id, now: now).id)
        }
        return reply
      },
      self.writing(BulkTagCallsRequest.self) { request, transaction, now throws(Failure) in
        guard !request.tags.isEmpty else { throw .invalid(field: "tags", "must not be empty.") }
        var reply = BulkTagCallsReply()
        for id in try Self.several(request.ids) {
          var call = try transaction.records.require(Call.self, id)
          var said = call
          said.tags += request.tags.filter { !call.tags.contains($0) }
          try call.change(["tags"], as: said, now: now)
          reply.ids.append(try transaction.records.update(call, now: now).id)
        }
        return reply
      },
      self.restoring(RestoreCallRequest.self),
      self.writing(ShareCallsRequest.self) { request, transaction, now throws(Failure) in
        try request.queue(in: transaction, now: now)
      },
    ]
  }

  /// The calls of a command on several, each once.
  private static func several(_ ids: [String]) throws(Failure) -> [String] {
    guard (1...500).contains(ids.count) else {
      throw .invalid(field: "ids", "has \(ids.count) ids; name 1 to 500 calls.")
    }
    var known: Set<String> = []
    return ids.filter { known.insert($0).inserted }
  }

  private nonisolated var callReadingRoutes: [Route] {
    [
      self.listing(ListCallsRequest.self), self.reading(GetCallRequest.self),
      self.answering(SearchCallsRequest.self) { request, view throws(Failure) in
        try request.answer(in: view)
      },
      self.answering(CallTimelineRequest.self) { [now] request, view throws(Failure) in
        let zone = try Zone.reading(request.timeZone)
        let page = try view.records.page(Call.self, RecordQuery(limit: request.limit, cursor: request.cursor))
        var reply = CallTimelineReply()
        reply.groups = CallGroups(in: zone, now: now()).group(page.records)
        reply.nextCursor = page.nextCursor
        return reply
      },
      self.answering(CallStatsRequest.self) { request, view throws(Failure) in
        try view.callStatistics(request.filter, in: Zone.reading(request.timeZone))
      },
      self.answering(SuggestCallsRequest.self) { [now] request, view throws(Failure) in
        try request.answer(in: view, now: now())
      },
      Route(ExportCallsRequest.self) { request, _ throws(Failure) in
        try await CallExport(
          request, storage: self.storage, reports: self.reports, now: self.now(), logger: self.logger
        )
        .stage()
      },
    ]
  }

  private nonisolated var templateRoutes: [Route] {
    [
      self.answering(ListCallTemplatesRequest.self) { _, view throws(Failure) in
        var reply = ListCallTemplatesReply()
        reply.templates = try view.templates.list()
        return reply
      },
      self.writing(SaveCallTemplateRequest.self) { request, transaction, now throws(Failure) in
        let template = try request.template.checked(now: now)
        try transaction.templates.save(template)
        return template
      },
      self.writing(DeleteCallTemplateRequest.self) { request, transaction, _ throws(Failure) in
        try transaction.templates.delete(request.name)
      },
    ]
  }
}

extension ListCallsRequest: RecordQuerying {
  var query: RecordQuery {
    get throws(Failure) {
      var query = try self.filter.query
      query.limit = self.limit
      query.cursor = self.cursor
      query.includesDeleted = self.includeDeleted
      return query
    }
  }
}

extension Transaction {
  /// The calls with a running timer.
  fileprivate func runningCalls() throws(Failure) -> [Call] {
    try self.records.page(Call.self, RecordQuery(limit: 500, isRunning: true)).records
  }

  fileprivate func template(_ name: String) throws(Failure) -> CallTemplate {
    guard let template = try self.templates.find(name) else {
      throw .unknownRecord(
        name, "There is no template '\(name.prefix(64))'. `kith call template list` lists them.")
    }
    return template
  }
}
