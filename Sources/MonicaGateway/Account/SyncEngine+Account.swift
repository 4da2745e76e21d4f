internal import Bus
internal import KithMessages
internal import Secrets
internal import Storage
internal import SwiftProtobuf

extension SyncEngine {
  /// Logs in. Nothing is kept before the server has said whose token it is; a token that it refuses is forgotten again.
  func login(_ request: LoginRequest, _ context: CallContext) async throws(Failure) -> Answer<MonicaStatus> {
    let endpoint = try AccountRules.endpoint(request)
    let token = try AccountRules.token(request)
    var verify = VerifyAccountRequest()
    verify.account.endpoint = endpoint.text
    verify.account.tokenName = MonicaEndpoint.candidateName
    verify.account.caFile = request.caFile
    // A server may take its time.
    context.letOthersStart()
    let user = try await self.user(of: token, verify)
    let account = AccountRecord(
      endpoint: endpoint.text, userID: user.userID, userName: user.name, userEmail: user.email,
      caFile: request.caFile)
    let (storage, secrets, now, masked) = (self.storage, self.secrets, self.now(), AccountRules.masked(token))
    return try await self.hold { () async throws(Failure) in
      // The token of another user is never kept: a process that is killed before it is taken back would read with it.
      try await storage.read { view throws(Failure) in try view.accounts.requireOwner(account) }
      return try await secrets.keep(token, named: endpoint.tokenName) { () async throws(Failure) in
        try await storage.commit(LoginRequest.self, context) { transaction throws(Failure) in
          try transaction.accounts.login(account, now: now)
          return try MonicaStatus(transaction, token: masked)
        }
      }
    }
  }

  /// Asks the server whose token it is.
  private func user(of token: String, _ request: VerifyAccountRequest) async throws(Failure) -> VerifyAccountReply {
    // Each login puts its token under the same name.
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

  /// Forgets the token of a login that was killed. What cannot be forgotten now is at the next login.
  func forgetCandidate() async {
    try? await self.logins.withLock { () async throws(Failure) in
      try await self.secrets.forget(MonicaEndpoint.candidateName)
    }
  }

  /// Where the account and its sync stand.
  func status() async throws(Failure) -> MonicaStatus {
    let token = try await self.maskedToken()
    return try await self.storage.read { view throws(Failure) in try MonicaStatus(view, token: token) }
  }

  /// Forgets the token. What is stored and what waits stays.
  func logout(_ context: CallContext) async throws(Failure) -> Answer<MonicaStatus> {
    let (storage, secrets) = (self.storage, self.secrets)
    return try await self.hold { () async throws(Failure) in
      let endpoint = try await storage.read { view throws(Failure) in try view.accounts.current().endpoint }
      if !endpoint.isEmpty { try await secrets.forget(MonicaEndpoint(known: endpoint).tokenName) }
      return try await storage.commit(LogoutRequest.self, context) { transaction throws(Failure) in
        if !endpoint.isEmpty { try transaction.accounts.setState("logged_out") }
        return try MonicaStatus(transaction, token: "")
      }
    }
  }

  /// Turns to another account that was logged in to before.
  func switchInstance(
    _ request: SwitchInstanceRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<MonicaStatus> {
    let endpoint = try MonicaEndpoint(request.endpoint)
    let token = try await self.secrets.secret(named: endpoint.tokenName)
    let (storage, now) = (self.storage, self.now())
    return try await self.hold { () async throws(Failure) in
      try await storage.commit(SwitchInstanceRequest.self, context) { transaction throws(Failure) in
        try transaction.accounts.switchTo(endpoint.text, now: now)
        if token == nil { try transaction.accounts.setState("logged_out") }
        return try MonicaStatus(transaction, token: AccountRules.masked(token))
      }
    }
  }

  /// Forgets what the server can give again; it is read again from the beginning.
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

  /// The server refuses the token: nobody is logged in any more, and what waits stays.
  func expire() async throws(Failure) {
    self.account = nil
    self.push.expire()
    let (before, now) = (self.report, self.now())
    self.report = try await self.storage.write { transaction throws(Failure) -> SyncReport in
      var report = before
      try transaction.accounts.setState("expired")
      report.fail(.sessionExpired, now: now)
      try transaction.publish(&report, isFinal: true, now: now)
      return report
    }
  }

  func maskedToken() async throws(Failure) -> String {
    let account = try await self.storage.read { view throws(Failure) in try view.accounts.current() }
    guard account.state == "logged_in" || account.state == "expired" else { return "" }
    return AccountRules.masked(
      try await self.secrets.secret(named: MonicaEndpoint(known: account.endpoint).tokenName))
  }
}

extension MonicaStatus {
  /// Reads where the account in use and its sync stand.
  ///
  /// - Parameter pass: How a pass ended, to be shown with what it left; nil = where the sync stands now.
  init(_ view: some DatabaseView, token: String, after pass: SyncStatus? = nil) throws(Failure) {
    self.init()
    let account = try view.accounts.current()
    self.endpoint = account.endpoint
    self.state = account.state
    self.token = token
    self.userName = account.userName
    self.userEmail = account.userEmail
    let shown: SyncStatus
    if let pass { shown = pass } else { shown = try view.accounts.status() ?? SyncStatus() }
    var report = SyncReport(shown)
    if pass == nil {
      let counts = try view.outbox.counts()
      report.set(pending: counts.pending + counts.syncing, failed: counts.failed, conflicts: counts.conflicts)
    }
    self.sync = report.status
    self.pending = self.sync.pending
    self.failed = self.sync.failed
    self.conflicts = self.sync.conflicts
    if self.sync.hasNextAttemptAt { self.nextAttemptAt = self.sync.nextAttemptAt }
    if let at = account.lastPullAt { self.lastPullAt = .init(nanosecondsSince1970: at) }
    self.people = UInt32(clamping: try view.records.count(.person))
    self.instances = try view.accounts.endpoints()
  }
}
