public import Bus
internal import KithMessages
internal import Storage

extension ContactsSyncActor {
  /// Every method of `kith.v1.Contacts`.
  public nonisolated var routes: [Route] {
    [
      Route(answering: AddSourceRequest.self) { request, context throws(Failure) in
        try await self.addSource(request, context)
      },
      Route(ListSourcesRequest.self) { _, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          var reply = ListSourcesReply()
          reply.sources = try view.sources.all().map(\.shown)
          return reply
        }
      },
      Route(answering: RemoveSourceRequest.self) { request, context throws(Failure) in
        try await self.removeSource(request, context)
      },
      Route(TestSourceRequest.self) { request, context throws(Failure) in try await self.testSource(request, context) },
      Route(answering: SyncRequest.self) { request, context throws(Failure) in try await self.sync(request, context) },
      Route(SyncStatusRequest.self) { _, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          var reply = SyncReply()
          reply.sources = try view.sources.all().map(\.shown.status)
          return reply
        }
      },
      Route(ListContactsRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          try view.contacts.page(
            limit: request.limit, cursor: request.cursor, source: request.source,
            includeDeleted: request.includeDeleted)
        }
      },
      Route(GetContactRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          guard let contact = try view.contacts.get(request.id) else { throw Self.unknownContact(request.id) }
          return Self.reply(contact)
        }
      },
      Route(SearchContactsRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          try view.contacts.search(request.text, limit: request.limit, source: request.source)
        }
      },
      Route(ListProblemsRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          try view.problems.page(limit: request.limit, cursor: request.cursor, source: request.source)
        }
      },
      Route(answering: RestoreContactRequest.self) { request, context throws(Failure) in
        let now = self.now()
        return try await self.storage.commit(RestoreContactRequest.self, context) { transaction throws(Failure) in
          Self.reply(try transaction.contacts.restore(request.id, at: now))
        }
      },
      Route(ExportContactsRequest.self) { request, _ throws(Failure) in
        try await ContactExport(request, storage: self.storage).stage()
      },
    ]
  }

  private func addSource(_ request: AddSourceRequest, _ context: CallContext) async throws(Failure) -> Answer<Source> {
    var source = try SourceRules.source(request)
    source.createdAt = .init(nanosecondsSince1970: self.now())
    source.status.source = PassState.key(source.name)
    source.status.state = .idle
    return try await self.storage.commit(AddSourceRequest.self, context) { [source] transaction throws(Failure) in
      try transaction.sources.insert(source)
      try transaction.publish(source.status, of: source.name)
      return source
    }
  }

  /// Stops the pass of the source first, so that it writes no more.
  private func removeSource(
    _ request: RemoveSourceRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<RemoveSourceReply> {
    await self.stop(request.name)
    return try await self.storage.commit(RemoveSourceRequest.self, context) { transaction throws(Failure) in
      guard let record = try transaction.sources.find(request.name) else { throw Self.unknownSource(request.name) }
      var reply = RemoveSourceReply()
      reply.contactsRemoved = UInt32(clamping: try transaction.contacts.count(source: request.name))
      _ = try transaction.sources.remove(request.name)
      var event = Event()
      event.sync = record.shown.status
      try transaction.emit(event, on: "sync", key: PassState.key(request.name), tombstone: true)
      return reply
    }
  }

  private func testSource(
    _ request: TestSourceRequest, _ context: CallContext
  ) async throws(Failure) -> TestSourceReply {
    let record = try await self.storage.read { view throws(Failure) in try view.sources.find(request.name) }
    guard let record else { throw Self.unknownSource(request.name) }
    var probe = ProbeSourceRequest()
    probe.source = record.location
    var reply = TestSourceReply()
    do throws(Failure) {
      let found = try await self.source.ask(probe, CallContext(requestID: context.requestID, timeout: context.timeout))
      reply.readable = true
      reply.items = found.items
      reply.note = found.note
    } catch {
      guard error.code != .cancelled else { throw error }
      reply.error = error.status
    }
    return reply
  }

  private func sync(_ request: SyncRequest, _ context: CallContext) async throws(Failure) -> Answer<SyncReply> {
    let options = PassOptions(isFull: request.full, allowsMassDelete: request.allowMassDelete)
    var reply = SyncReply()
    reply.sources = try await self.sync(
      request.sources, options, cause: context.requestID, progress: context.progress)
    return try await self.storage.commit(SyncRequest.self, context) { [reply] _ throws(Failure) in reply }
  }

  private static func reply(_ contact: Contact) -> GetContactReply {
    var reply = GetContactReply()
    reply.contact = PageLimit.fit(contact)
    return reply
  }

  private static func unknownContact(_ id: String) -> Failure {
    .unknownRecord(
      id, "There is no contact '\(id.prefix(64))'. It may have been removed; `kith contacts search` finds others.")
  }
}

extension SourceRecord {
  /// As people see it: a source that never had a pass is idle.
  var shown: Source {
    var source = self.source
    source.status.source = PassState.key(source.name)
    if source.status.state == .unspecified { source.status.state = .idle }
    return source
  }
}
