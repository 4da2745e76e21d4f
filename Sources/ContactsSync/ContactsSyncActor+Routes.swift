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
      Route(answering: SetCredentialsRequest.self) { request, context throws(Failure) in
        try await self.setCredentials(request, context)
      },
      Route(DiscoverRequest.self) { request, context throws(Failure) in try await self.discover(request, context) },
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
            includeDeleted: request.includeDeleted, heldBack: request.heldBack)
        }
      },
      Route(GetContactRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          guard let contact = try view.contacts.get(request.id) else { throw Self.unknownContact(request.id) }
          var reply = Self.reply(contact)
          if let person = try view.acquaintances.person(ofContact: request.id) {
            (reply.personID, reply.personName) = (person.id, person.displayName)
          }
          return reply
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
      Route(answering: RestoreContactRequest.self, order: .afterWrites) { request, context throws(Failure) in
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

  private func sync(_ request: SyncRequest, _ context: CallContext) async throws(Failure) -> Answer<SyncReply> {
    guard !request.allowMassDelete || !request.sources.isEmpty else {
      throw .invalid(
        field: "sources",
        """
        must name the source whose held-back deletions are to be carried out. `kith contacts status` shows what each \
        source holds back; then `kith contacts sync NAME --allow-mass-delete`.
        """)
    }
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
  /// The status as clients see it: a source without a pass is idle.
  var shown: Source {
    var source = self.source
    source.status.source = PassState.key(source.name)
    if source.status.state == .unspecified { source.status.state = .idle }
    return source
  }
}
