internal import Bus
internal import KithMessages
internal import Logging
internal import Secrets
internal import Storage

extension ContactsSyncActor {
  /// Stores the password first: passes of a source without its password would fail, and could lock the account.
  func addSource(_ request: AddSourceRequest, _ context: CallContext) async throws(Failure) -> Answer<Source> {
    var source = try SourceRules.source(request)
    try self.beginChanging(source.name)
    defer { self.changing.remove(source.name) }
    source.createdAt = .init(nanosecondsSince1970: self.now())
    source.status.source = PassState.key(source.name)
    source.status.state = .idle
    let name = source.name
    let exists = try await self.storage.read { view throws(Failure) in try view.sources.find(name) != nil }
    // Without a password nothing is sent that an earlier source of this name left.
    let password: String? = if case .carddav(let account)? = request.kind, !exists { account.password } else { nil }
    return try await self.secrets.keep(password, named: SourceSecret.name(of: name)) {
      [source] () async throws(Failure) in
      try await self.storage.commit(AddSourceRequest.self, context) { transaction throws(Failure) in
        try transaction.sources.insert(source)
        try transaction.publish(source.status, of: source.name)
        return source
      }
    }
  }

  /// Stops the pass of the source first, so that it writes no more.
  func removeSource(
    _ request: RemoveSourceRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<RemoveSourceReply> {
    try self.beginChanging(request.name)
    defer { self.changing.remove(request.name) }
    await self.stop([request.name])
    let answer = try await self.storage.commit(RemoveSourceRequest.self, context) { transaction throws(Failure) in
      guard let record = try transaction.sources.find(request.name) else { throw Self.unknownSource(request.name) }
      var reply = RemoveSourceReply()
      reply.contactsRemoved = UInt32(clamping: try transaction.contacts.count(source: request.name))
      _ = try transaction.sources.remove(request.name)
      var event = Event()
      event.sync = record.shown.status
      try transaction.emit(event, on: "sync", key: PassState.key(request.name), tombstone: true)
      return reply
    }
    do throws(Failure) {
      try await self.secrets.forget(SourceSecret.name(of: request.name))
    } catch {
      // The source is removed even if the keyring fails.
      self.logger.warning("password of a removed source was not forgotten", metadata: ["reason": "\(error.reason)"])
    }
    return answer
  }

  /// Changes the user name or password of a source, then retries.
  func setCredentials(
    _ request: SetCredentialsRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<Source> {
    try SourceRules.credentials(
      username: request.username, password: request.password, file: request.passwordFile, field: "")
    guard !request.password.isEmpty || !request.passwordFile.isEmpty || !request.username.isEmpty else {
      throw .invalid(field: "password", "give a password, a file that holds it, or a user name.")
    }
    try self.beginChanging(request.name)
    defer { self.changing.remove(request.name) }
    let record = try await self.storage.read { view throws(Failure) in try view.sources.find(request.name) }
    guard let record else { throw Self.unknownSource(request.name) }
    guard case .carddav? = record.source.kind else {
      throw .invalid(field: "name", "'\(request.name)' is read from the hub's disk and needs no password.")
    }
    let password = request.password.isEmpty ? nil : request.password
    return try await self.secrets.keep(password, named: SourceSecret.name(of: request.name)) {
      () async throws(Failure) in
      try await self.storage.commit(SetCredentialsRequest.self, context) { transaction throws(Failure) in
        guard var source = try transaction.sources.find(request.name)?.source else {
          throw Self.unknownSource(request.name)
        }
        if !request.username.isEmpty { source.carddav.username = request.username }
        if !request.password.isEmpty { source.carddav.passwordFile = "" }
        if !request.passwordFile.isEmpty { source.carddav.passwordFile = request.passwordFile }
        source.status.state = .idle
        source.status.clearError()
        try transaction.sources.replace(source)
        try transaction.publish(source.status, of: source.name)
        return source
      }
    }
  }

  /// Lets only one command at a time change a source and its password, which are not one transaction: of two that add
  /// the same name, the later one would delete the other's password.
  private func beginChanging(_ name: String) throws(Failure) {
    guard self.changing.insert(name).inserted else {
      throw Failure(
        .aborted, "CONFLICT",
        "Another command is changing the source '\(name.prefix(64))'. Send this one again in a moment.",
        retryAfterMilliseconds: 500)
    }
  }

  /// Searches a server for address books, with a password that is not stored.
  func discover(_ request: DiscoverRequest, _ context: CallContext) async throws(Failure) -> DiscoverReply {
    var find = FindBooksRequest()
    find.account = try SourceRules.account(request.account, field: "account")
    find.account.password = request.account.password
    return try await self.source.ask(find, CallContext(requestID: context.requestID, timeout: context.timeout))
  }

  /// Checks whether a source can be read. Changes nothing.
  func testSource(_ request: TestSourceRequest, _ context: CallContext) async throws(Failure) -> TestSourceReply {
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
}

/// The name of a source's password in the secret store.
enum SourceSecret {
  static func name(of source: String) -> String { "contacts-\(source)" }
}
