internal import Bus
internal import BusZeroMQ
internal import EventLoop
internal import KithMessages
internal import Logging
internal import ZeroMQ

/// The event loop, context and sockets of one client.
final class Transport: Sendable {
  let port: ZeroMQPort
  let loop: LoopExecutor
  private let context: Context
  private let eventsEndpoint: String
  private let identity: CurveIdentity?
  private let logger: Logger
  private let state = Lock(State())

  private struct State: Sendable {
    var isClosed = false
    var subscriptions: [WeakSubscription] = []
  }

  private struct WeakSubscription: Sendable {
    weak let subscription: Subscription?
  }

  /// Connects to a hub on this machine.
  convenience init(_ locations: RuntimeLocations, connectLimit: Duration, logger: Logger) throws(Failure) {
    let (control, events): (IPCEndpoint, IPCEndpoint)
    do throws(IPCError) {
      control = try IPCEndpoint(path: locations.controlSocket)
      events = try IPCEndpoint(path: locations.eventsSocket)
    } catch {
      throw Failure(.invalidArgument, "FIELD_INVALID", error.description)
    }
    try self.init(control: control.url, events: events.url, connectLimit: connectLimit, logger: logger)
  }

  /// Connects to a hub by its endpoints; over tcp with an identity.
  init(
    control: String, events: String, identity: CurveIdentity? = nil, connectLimit: Duration, logger: Logger
  ) throws(Failure) {
    do {
      self.loop = try LoopExecutor(name: "kith-client", poller: Poller(), logger: logger)
      self.context = try Context()
      self.eventsEndpoint = events
      self.identity = identity
      self.logger = logger
      self.port = ZeroMQPort(
        context: self.context, loop: self.loop, endpoint: control, identity: identity, connectLimit: connectLimit,
        logger: logger)
    } catch {
      throw Failure(.unavailable, "HUB_NOT_RUNNING", "The connection cannot be set up: \(error).")
    }
  }

  /// Whether the hub is on another machine.
  var isRemote: Bool { self.identity != nil }

  func events(_ streams: [String], since: [StreamPosition]) throws(Failure) -> EventSequence {
    let subscription = Subscription(
      context: self.context, loop: self.loop, endpoint: self.eventsEndpoint, identity: self.identity,
      streams: streams, since: since, port: self.port, logger: self.logger)
    let isClosed = self.state.withLock { state in
      state.subscriptions.removeAll { $0.subscription == nil }
      state.subscriptions.append(WeakSubscription(subscription: subscription))
      return state.isClosed
    }
    guard !isClosed else {
      throw Failure(.unavailable, "SHUTTING_DOWN", "The connection to kithd was closed. Connect again to subscribe.")
    }
    return subscription.elements
  }

  /// Closes the sockets, frees the context, and ends the event loop. Port and subscriptions may be kept: they answer that
  /// they are closed.
  func close() async {
    let subscriptions = self.state.withLock { state in
      defer { state.subscriptions = [] }
      return state.isClosed ? nil : (state.isClosed = true, state.subscriptions).1
    }
    guard let subscriptions else { return }
    for weak in subscriptions { await weak.subscription?.close() }
    await self.port.close()
    // In a task without a preferred executor: the caller may run on the event loop, which cannot wait for its own end.
    await Task.detached { [context, loop] in
      context.terminate()
      await loop.retire()
    }.value
  }
}
