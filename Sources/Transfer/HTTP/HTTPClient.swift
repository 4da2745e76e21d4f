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
  /// Those that refused a password in the open, and asked for a digest of it.
  private let digestOrigins = Lock<Set<Origin>>([])

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
    var wasTaughtForm = false
    while true {
      let current = self.inKnownForm(chain.request)
      let remaining = deadline - ContinuousClock.now
      guard remaining > .zero else { throw .timeout(.total, current.url.origin) }
      var response = try await transfers.run { [settings] in
        HTTPExchange(current, settings, remaining: remaining, sink: sink)
      }
      if !wasTaughtForm, self.learnsForm(of: chain.request, sent: current, from: response) {
        wasTaughtForm = true
        continue
      }
      guard try chain.follow(status: response.status, location: response.headers["Location"]) else {
        response.permanentURL = chain.permanentURL
        return response
      }
    }
  }

  /// The request with its password in the form that its server is known to want.
  private func inKnownForm(_ request: HTTPRequest) -> HTTPRequest {
    guard let digest = request.credentials?.asDigest,
      self.digestOrigins.withLock({ $0.contains(request.url.origin) })
    else { return request }
    var request = request
    request.credentials = digest
    return request
  }

  /// Whether a refusal asks for the password in another form than it was sent in, which is then known.
  private func learnsForm(of request: HTTPRequest, sent: HTTPRequest, from response: HTTPResponse) -> Bool {
    guard response.status == 401, let password = request.credentials,
      let wanted = password.form(wantedBy: response.headers.values(of: "WWW-Authenticate")), wanted != sent.credentials
    else { return false }
    self.digestOrigins.withLock { origins in
      if wanted == password { origins.remove(request.url.origin) } else { origins.insert(request.url.origin) }
    }
    return true
  }
}
