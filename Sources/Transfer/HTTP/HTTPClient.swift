public import EventLoop

/// An HTTP client with its own connections. Each account has one, so that TLS settings do not mix.
///
/// Several clients may share a loop; each call returns to its caller's executor. Redirects follow `RedirectChain`. Proxies of the
/// environment, cookies and `.netrc` are not used.
///
/// Cancelling the task ends the transfer. Call `close` before the loop is shut down.
public final class HTTPClient: Sendable {
  /// Receives the body of a reply in pieces, in order, on the loop; it must not block. The piece is valid during the call. An error
  /// that it throws ends the transfer with `TransferError.sink`.
  public typealias Sink = @Sendable (_ piece: RawSpan) throws -> Void

  struct Settings: Sendable {
    let tls: TLSSettings
    let userAgent: String
  }

  private let settings: Settings
  private let transfers: TransferLoop
  /// The digest logins of servers that require them.
  private let digestLogins = Lock<[Origin: DigestLogin]>([:])

  /// Makes a client. It opens no connection before its first request.
  ///
  /// - Parameters:
  ///   - loop: Carries the transfers; has to run until the client is closed.
  ///   - tls: The trusted authorities, and the client certificate.
  ///   - userAgent: The name of this program for servers.
  ///   - connectionsPerHost: The most connections to a host; further requests wait.
  public init(
    on loop: LoopExecutor, tls: TLSSettings = .system, userAgent: String = "Kith", connectionsPerHost: Int = 4
  ) {
    settings = Settings(tls: tls, userAgent: userAgent)
    transfers = TransferLoop(on: loop, connectionsPerHost: connectionsPerHost)
  }

  /// The loop as an executor: a task on it continues as soon as its reply arrives.
  public var executor: any TaskExecutor { transfers.loop }

  /// Sends a request and collects the body of the reply.
  ///
  /// - Returns: The reply, whatever its status.
  /// - Throws: `TransferError` if there is no reply.
  public func send(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    try await carryOut(request, sink: nil)
  }

  /// Sends a request, and streams the body of a reply with status 2xx.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - sink: Receives the body if the status is 2xx. Other bodies are in the response.
  /// - Returns: The reply, whatever its status.
  /// - Throws: `TransferError` if the reply is missing or incomplete; the sink may have received a part.
  public func send(_ request: HTTPRequest, sink: @escaping Sink) async throws(TransferError) -> HTTPResponse {
    try await carryOut(request, sink: sink)
  }

  /// Ends running requests with `TransferError.closed`, and closes the connections. Later requests fail the same way.
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

  /// The digest response, if the server is known to require one.
  private func proof(for request: HTTPRequest) -> String? {
    guard case .basic(let username, let password)? = request.credentials else { return nil }
    let target = request.url.path + (request.url.query.map { "?" + $0 } ?? "")
    return self.digestLogins.withLock { logins in
      logins[request.url.origin]?.proof(
        username: username, password: password, method: request.method, target: target)
    }
  }

  /// Stores the login method of a 401 reply.
  ///
  /// - Returns: True to send the request again: the server requires the other method, or a new nonce.
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
