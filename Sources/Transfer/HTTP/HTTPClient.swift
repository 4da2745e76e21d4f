public import EventLoop

/// An HTTP client with connections of its own: one for each account, so that settings of TLS do not mix.
///
/// Several clients may share a loop; each call comes back to its own executor. Redirects are followed as `RedirectChain`
/// says. There is no proxy, whatever the environment says, and there are no cookies and no `.netrc`.
///
/// Cancelling the task ends the transfer. Call `close` before the loop is shut down.
public final class HTTPClient: Sendable {
  /// Takes the body of a reply piece by piece, in order, on the loop: it must not block. The piece is valid during the
  /// call. What it throws ends the transfer with `TransferError.sink`.
  public typealias Sink = @Sendable (_ piece: RawSpan) throws -> Void

  struct Settings: Sendable {
    let tls: TLSSettings
    let userAgent: String
  }

  private let settings: Settings
  private let transfers: TransferLoop
  /// Of the servers that refused a password in the open and asked for a digest of it.
  private let digestLogins = Lock<[Origin: DigestLogin]>([:])

  /// Makes a client. It opens nothing before its first request.
  ///
  /// - Parameters:
  ///   - loop: Carries the transfers; has to run until the client is closed.
  ///   - tls: What to trust, and what to show.
  ///   - userAgent: The name of this program for servers.
  ///   - connectionsPerHost: The most at a time; further requests wait.
  public init(
    on loop: LoopExecutor, tls: TLSSettings = .system, userAgent: String = "Kith", connectionsPerHost: Int = 4
  ) {
    settings = Settings(tls: tls, userAgent: userAgent)
    transfers = TransferLoop(on: loop, connectionsPerHost: connectionsPerHost)
  }

  /// The loop: what waits for a reply on it goes on as soon as the reply comes.
  public var executor: any TaskExecutor { transfers.loop }

  /// Sends a request and collects the body of the reply.
  ///
  /// - Returns: The reply, whatever its status.
  /// - Throws: `TransferError` when there is none.
  public func send(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    try await carryOut(request, sink: nil)
  }

  /// Sends a request and streams the body of a reply of success.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - sink: Gets the body when the status is 2xx. Other bodies are in the response.
  /// - Returns: The reply, whatever its status.
  /// - Throws: `TransferError` when there is none, or not the whole of it: the sink may have got a part then.
  public func send(_ request: HTTPRequest, sink: @escaping Sink) async throws(TransferError) -> HTTPResponse {
    try await carryOut(request, sink: sink)
  }

  /// Ends what is under way with `TransferError.closed`, and closes the connections. Later requests end the same way.
  public func close() async {
    await transfers.close()
  }

  private func carryOut(_ request: HTTPRequest, sink: Sink?) async throws(TransferError) -> HTTPResponse {
    try request.check()
    var chain = RedirectChain(request)
    let deadline = ContinuousClock.now + request.limits.total
    var isTaught = false
    while true {
      let current = chain.request
      let remaining = deadline - ContinuousClock.now
      guard remaining > .zero else { throw .timeout(.total, current.url.origin) }
      let proof = self.proof(for: current)
      var response = try await transfers.run { [settings] in
        HTTPExchange(current, settings, proof: proof, remaining: remaining, sink: sink)
      }
      if !isTaught, self.learnsLogin(of: current, isDigest: proof != nil, from: response) {
        isTaught = true
        continue
      }
      guard try chain.follow(status: response.status, location: response.headers["Location"]) else {
        response.permanentURL = chain.permanentURL
        return response
      }
    }
  }

  /// The digest of the password, where the server is known to want that.
  private func proof(for request: HTTPRequest) -> String? {
    guard case .basic(let username, let password)? = request.credentials else { return nil }
    let target = request.url.path + (request.url.query.map { "?" + $0 } ?? "")
    return self.digestLogins.withLock { logins in
      logins[request.url.origin]?.proof(
        username: username, password: password, method: request.method, target: target)
    }
  }

  /// Notes how the server wants the password, where it refused the request.
  ///
  /// - Returns: Whether to send the request again: it wants the other form, or another nonce than the one that was kept.
  private func learnsLogin(of request: HTTPRequest, isDigest: Bool, from response: HTTPResponse) -> Bool {
    guard response.status == 401, case .basic? = request.credentials else { return false }
    let challenges = AuthenticationChallenge.challenges(response.headers.values(of: "WWW-Authenticate"))
    if challenges.contains(where: { $0.scheme == "basic" }) {
      self.digestLogins.withLock { $0[request.url.origin] = nil }
      return isDigest
    }
    guard let login = DigestLogin(challenges) else { return false }
    self.digestLogins.withLock { $0[request.url.origin] = login }
    return !isDigest || login.isStale != false
  }
}
