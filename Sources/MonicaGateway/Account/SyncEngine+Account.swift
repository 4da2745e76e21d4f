internal import Bus
internal import KithMessages
internal import Secrets
internal import Storage
internal import SwiftProtobuf

extension SyncEngine {
  /// Logs in. Nothing is stored before the server has named the token's user; a refused token is deleted again.
  func login(_ request: LoginRequest, _ context: CallContext) async throws(Failure) -> Answer<MonicaStatus> {
    let endpoint = try AccountRules.endpoint(request)
    let token = try AccountRules.token(request)
    var verify = VerifyAccountRequest()
    verify.account.endpoint = endpoint.text
    verify.account.tokenName = MonicaEndpoint.candidateName
    verify.account.caFile = request.caFile
    // The server's answer may be slow.
    context.letOthersStart()
    let user = try await self.user(of: token, verify)
    let account = AccountRecord(
      endpoint: endpoint.text, userID: user.userID, userName: user.name, userEmail: user.email,
      caFile: request.caFile)
    let (storage, secrets, now, masked) = (self.storage, self.secrets, self.now(), AccountRules.masked(token))
    return try await self.hold { () async throws(Failure) in
      // The token of another user is never stored: if the process were killed before deleting it, the next one would
      // read with it.
      try await storage.read { view throws(Failure) in try view.accounts.requireOwner(account) }
      return try await secrets.keep(token, named: endpoint.tokenName) { () async throws(Failure) in
        try await storage.commit(LoginRequest.self, context) { transaction throws(Failure) in
          try transaction.accounts.login(account, now: now)
          return try MonicaStatus(transaction, token: masked)
        }
      }
    }
  }

  /// Asks the server for the user of a token.
  private func user(of token: String, _ request: VerifyAccountRequest) async throws(Failure) -> VerifyAccountReply {
    // Every login stores its token under the same name until it is accepted.
    try await self.logins.withLock { () async throws(Failure) in
      try await self.secrets.keep(token, named: MonicaEndpoint.candidateName)
      let user: VerifyAccountReply
      do throws(Failure) {
        user = try await self.remote.ask(request, CallContext())
      } catch {
        try await self.secrets.forget(MonicaEndpoint.candidateName)
        throw error
      }
      try await self.secrets.forget(MonicaEndpoint.candidateName)
      return user
    }
  }

  /// Deletes the token of a login that was killed. If that fails, the next login deletes it.
  func forgetCandidate() async {
    try? await self.logins.withLock { () async throws(Failure) in
      try await self.secrets.forget(MonicaEndpoint.candidateName)
    }
  }

  /// The state of the account and its sync.
  func status() async throws(Failure) -> MonicaStatus {
    let token = try await self.maskedToken()
    return try await self.storage.read { view throws(Failure) in try MonicaStatus(view, token: token) }
  }

  /// Deletes the token. Stored records and pending changes stay.
  func logout(_ context: CallContext) async throws(Failure) -> Answer<MonicaStatus> {
    let (storage, secrets) = (self.storage, self.secrets)
    return try await self.hold { () async throws(Failure) in
      let endpoint = try await storage.read { view throws(Failure) in try view.accounts.current().endpoint }
      if !endpoint.isEmpty { try await secrets.forget(MonicaEndpoint(known: endpoint).tokenName) }
      return try await storage.commit(LogoutRequest.self, context) { transaction throws(Failure) in
        if !endpoint.isEmpty { try transaction.accounts.setState(.loggedOut) }
        return try MonicaStatus(transaction, token: "")
      }
    }
  }

  /// Switches to another account with an earlier login.
  func switchInstance(
    _ request: SwitchInstanceRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<MonicaStatus> {
    let endpoint = try MonicaEndpoint(request.endpoint)
    let token = try await self.secrets.secret(named: endpoint.tokenName)
    let (storage, now) = (self.storage, self.now())
    return try await self.hold { () async throws(Failure) in
      try await storage.commit(SwitchInstanceRequest.self, context) { transaction throws(Failure) in
        try transaction.accounts.switchTo(endpoint.text, now: now)
        if token == nil { try transaction.accounts.setState(.loggedOut) }
        return try MonicaStatus(transaction, token: AccountRules.masked(token))
      }
    }
  }

  /// Deletes what can be read from the server again; the next pass reads it from the beginning.
  func clearCache(
    _ request: ClearCacheRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<ClearCacheReply> {
    let storage = self.storage
    return try await self.hold { () async throws(Failure) in
      try await storage.commit(ClearCacheRequest.self, context) { transaction throws(Failure) in
        try transaction.accounts.clearCache(discardPending: request.discardPending)
      }
    }
  }

  /// Handles a refused token: the account is logged out, and pending changes stay.
  func expire() async throws(Failure) {
    self.account = nil
    self.push.expire()
    let (before, now) = (self.report, self.now())
    self.report = try await self.storage.write { transaction throws(Failure) -> SyncReport in
      var report = before
      try transaction.accounts.setState(.expired)
      report.fail(.sessionExpired, now: now)
      try transaction.publish(&report, isFinal: true, now: now)
      return report
    }
  }

  func maskedToken() async throws(Failure) -> String {
    let account = try await self.storage.read { view throws(Failure) in try view.accounts.current() }
    guard account.state == .loggedIn || account.state == .expired else { return "" }
    return AccountRules.masked(
      try await self.secrets.secret(named: MonicaEndpoint(known: account.endpoint).tokenName))
  }
}

extension MonicaStatus {
  /// Reads the state of the account in use and its sync.
  ///
  /// - Parameter pass: The outcome of a pass, to be shown with its results; nil for the present state of the sync.
  init(_ view: some DatabaseView, token: String, after pass: SyncStatus? = nil) throws(Failure) {
    self.init()
    let account = try view.accounts.current()
    self.endpoint = account.endpoint
    self.knownState = account.state
    self.token = token
    self.userName = account.userName
    self.userEmail = account.userEmail
    let shown: SyncStatus
    if let pass { shown = pass } else { shown = try view.accounts.status() ?? SyncStatus() }
    self.sync = SyncReport(shown).status
    if pass == nil, account.hasServer { self.sync.set(try view.outbox.counts()) }
    self.pending = self.sync.pending
    self.failed = self.sync.failed
    self.conflicts = self.sync.conflicts
    if self.sync.hasNextAttemptAt { self.nextAttemptAt = self.sync.nextAttemptAt }
    if let at = account.lastPullAt { self.lastPullAt = .init(nanosecondsSince1970: at) }
    self.people = UInt32(clamping: try view.records.count(.person))
    self.instances = try view.accounts.endpoints()
  }
}
