internal import Bus
internal import EventLoop
internal import KithClient
internal import KithMessages
internal import Logging

/// The connection to the hub, which may be away: then each command fails at once instead of waiting.
///
/// ```swift
/// let link = HubLink(.local(runtimeDirectory: nil), logger: logger) { isUp in … }
/// Task { await link.run() }
/// let answer = try await link.forward(command)
/// ```
final class HubLink: Sendable {
  /// Where the hub is.
  enum Place: Sendable {
    /// On this machine; nil = at the usual places.
    case local(runtimeDirectory: String?)
    /// On another machine, with the key of a file.
    case remote(RemoteHub, keyFile: String)
  }

  /// How often it is asked whether it is there.
  private static let interval = Duration.seconds(2)
  /// How often it is looked for.
  private static let lookInterval = Duration.milliseconds(500)

  private struct State: Sendable {
    var client: KithClient?
    var isUp = false
    var forwarded = 0
  }

  /// The most commands of devices at once: of the 64 that the hub takes from this connection, the others are for what the door itself
  /// asks.
  private static let mostForwarded = 48

  private let place: Place
  private let logger: Logger
  private let changed: @Sendable (_ isUp: Bool) -> Void
  private let state = Lock(State())

  /// Connects to nothing before ``run()``.
  ///
  /// - Parameter changed: Told when the hub comes and goes.
  init(_ place: Place, logger: Logger, changed: @escaping @Sendable (_ isUp: Bool) -> Void) {
    self.place = place
    self.logger = logger
    self.changed = changed
  }

  /// Whether the hub answered last time.
  var isUp: Bool { self.state.withLock { $0.isUp } }

  /// Connects, and asks again and again whether the hub is there, until the task is cancelled.
  func run() async {
    var isTold = false
    while !Task.isCancelled {
      do throws(Failure) {
        let client: KithClient
        if let connected = self.state.withLock({ $0.client }) {
          client = connected
        } else {
          client = try await self.connect()
          self.state.withLock { $0.client = client }
        }
        let own = try await client.ask(WhoamiRequest(), CallContext(timeout: Self.interval))
        guard own.knownRole == .door || own.knownRole == .admin else { throw Self.wrongRole }
        self.note(isUp: true)
        isTold = false
      } catch {
        self.note(isUp: false)
        if !isTold {
          self.logger.warning(
            "the hub does not answer", metadata: ["reason": "\(error.reason)", "why": "\(error.message)"])
        }
        isTold = true
      }
      try? await Task.sleep(for: self.isUp ? Self.interval : Self.lookInterval)
    }
    await self.state.withLock { $0.client }?.close()
  }

  /// Passes a command on.
  ///
  /// - Throws: `UNAVAILABLE` at once while the hub is away.
  func forward(_ command: ForwardedCommand) async throws(Failure) -> ForwardedAnswer {
    // Without a token it would run as this program itself.
    guard !command.token.isEmpty else { throw Failure.bug("a command without a token") }
    let client = try self.present()
    let isTaken = self.state.withLock { state in
      defer { if state.forwarded < Self.mostForwarded { state.forwarded += 1 } }
      return state.forwarded >= Self.mostForwarded
    }
    guard !isTaken else {
      throw Failure(
        .resourceExhausted, "TOO_MANY_COMMANDS", "Too many commands are under way at once. Try again in a moment.",
        retryAfterMilliseconds: 1000)
    }
    defer { self.state.withLock { $0.forwarded -= 1 } }
    do throws(Failure) {
      return try await client.forward(command)
    } catch {
      throw self.noted(error)
    }
  }

  /// Sends a command; with a token, as its device.
  ///
  /// - Throws: `UNAVAILABLE` at once while the hub is away.
  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    let client = try self.present()
    do throws(Failure) {
      return try await client.call(command, context)
    } catch {
      throw self.noted(error)
    }
  }

  /// Sends a command as a device.
  func call<C: Command>(
    _ command: C, token: String, key: String = "", attachments: [[UInt8]] = []
  ) async throws(Failure) -> Answer<C.Reply> {
    guard !token.isEmpty else { throw Failure.bug("a command without a token") }
    var context = CallContext(idempotencyKey: key, attachments: attachments)
    context.token = token
    return try await self.call(command, context)
  }

  /// Subscribes to events.
  func events(_ streams: [String], since: [StreamPosition]) throws(Failure) -> EventSequence {
    try self.present().events(streams, since: since)
  }

  private func connect() async throws(Failure) -> KithClient {
    switch self.place {
    case .local(let directory): return try await .connect(runtimeDirectory: directory, within: Self.interval)
    case .remote(let hub, let path): return try await .connect(to: hub, key: try KeyFile(path: path))
    }
  }

  /// With another role no device could join and no event would come: so nothing is served before an admin has mended it.
  private static let wrongRole = Failure(
    .permissionDenied, "ROLE_NOT_ALLOWED",
    """
    The hub lets kith-web in with another role than door. If it comes with a key: kith keys approve FINGERPRINT --name NAME --role door, \
    with what `kith keys list` shows of it. If it is a user of the hub's machine: kith-web = "door" under [users] in kithd.toml.
    """)

  private func present() throws(Failure) -> KithClient {
    let state = self.state.withLock { $0 }
    guard let client = state.client, state.isUp else {
      throw Failure(
        .unavailable, "HUB_AWAY", "The hub does not answer at the moment. Try again soon.", retryAfterMilliseconds: 2000
      )
    }
    return client
  }

  /// Notes what a failed command tells about the hub.
  private func noted(_ failure: Failure) -> Failure {
    guard failure.code == .unavailable, failure.status.retryAfterMs == 0 else { return failure }
    if failure.reason == "HUB_NOT_RUNNING" { self.note(isUp: false) }
    var status = failure.status
    status.retryAfterMs = 2000
    return Failure(status: status)
  }

  private func note(isUp: Bool) {
    let isChanged = self.state.withLock { state in
      defer { state.isUp = isUp }
      return state.isUp != isUp
    }
    guard isChanged else { return }
    if isUp { self.logger.info("the hub answers") }
    self.changed(isUp)
  }
}

/// The hub, asked as a device.
struct DevicePort: Port {
  let link: HubLink
  let token: String

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    var context = context
    context.token = self.token
    return try await self.link.call(command, context)
  }
}
