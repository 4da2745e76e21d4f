public import Bus
public import EventLoop
public import KithMessages
public import Logging
public import ZeroMQ

/// A consumer's connection to the events plane: its socket, its requests for missed events, and its buffer.
///
/// The buffer is bounded. If the consumer is slower than the hub, events are dropped here and repaired when there is
/// room: no event is lost, and the hub does not wait.
///
/// ```swift
/// let subscription = Subscription(
///   context: context, loop: loop, endpoint: events, streams: ["sync"], port: port, logger: logger)
/// for try await element in subscription.elements { print(element) }
/// ```
public actor Subscription: LoopActor {
  /// The number of buffered elements at which live events are dropped.
  static let highMark = 1000
  /// The number of buffered elements below which the next page of a repair is requested.
  static let lowMark = 250

  /// The event loop of the subscription.
  public nonisolated let loop: LoopExecutor
  private let context: Context
  private let endpoint: String
  private let identity: CurveIdentity?
  private let topics: [Topic]
  private let port: any Port
  private let logger: Logger

  private var link: Link?
  private var linkCount = 0
  private var machine: GapRepair
  private var timer: (timer: LoopTimer, at: ContinuousClock.Instant)?
  private var hasStarted = false

  private var buffer: [StreamElement] = []
  private var ending: Result<Void, Failure>?
  private var consumer: CheckedContinuation<Result<[StreamElement], Failure>, Never>?
  /// Requests that wait until the buffer has room for their answers.
  private var postponed: [GapRepair.Directive] = []

  /// Makes a subscription. It connects when the first element is requested.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of the hub's events plane.
  ///   - identity: Required over tcp, not used over ipc.
  ///   - streams: The streams to subscribe to.
  ///   - since: Saved positions to continue from.
  ///   - port: Sends `System/Snapshot` and `System/Replay` to the same hub.
  public init(
    context: Context, loop: LoopExecutor, endpoint: String, identity: CurveIdentity? = nil, streams: [String],
    since: [StreamPosition] = [], port: any Port, logger: Logger
  ) {
    self.context = context
    self.loop = loop
    self.endpoint = endpoint
    self.identity = identity
    self.topics = streams.map { .stream($0, .pb) } + [.head(.pb)]
    self.port = port
    self.logger = logger
    self.machine = GapRepair(streams: streams, since: since)
  }

  isolated deinit {}

  /// Ends the subscription. The consumer gets the buffered elements, then the end.
  public func close() { self.end(.success(())) }

  // MARK: - The consumer's side

  /// The elements, for one consumer. Keeps the subscription alive.
  public nonisolated var elements: EventSequence {
    EventSequence { () async throws(Failure) in try await self.take() }
  }

  /// Waits for elements. Returns an empty array at the end.
  ///
  /// - Throws: The failure that ended the subscription, such as a role that does not cover a stream.
  private nonisolated func take() async throws(Failure) -> [StreamElement] {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<[StreamElement], Failure>, Never>) in
        self.post { $0.serve(continuation) }
      }
    } onCancel: {
      self.post { $0.close() }
    }
    return try outcome.get()
  }

  private func serve(_ continuation: CheckedContinuation<Result<[StreamElement], Failure>, Never>) {
    if !self.hasStarted, self.ending == nil {
      self.hasStarted = true
      self.perform(self.machine.start(.now))
    }
    guard self.buffer.isEmpty else {
      let elements = self.buffer
      self.buffer = []
      continuation.resume(returning: .success(elements))
      return self.askPostponed()
    }
    if let ending {
      continuation.resume(returning: ending.map { [] })
      return
    }
    // One consumer at a time: an earlier one that still waits gets the end.
    self.consumer?.resume(returning: .success([]))
    self.consumer = continuation
  }

  /// Resumes a waiting consumer with the buffered elements.
  private func handOver() {
    guard !self.buffer.isEmpty, let consumer else { return }
    self.consumer = nil
    consumer.resume(returning: .success(self.buffer))
    self.buffer = []
    self.askPostponed()
  }

  private func end(_ ending: Result<Void, Failure>) {
    guard self.ending == nil else { return }
    self.ending = ending
    self.link = nil
    if let timer { self.cancel(timer.timer) }
    self.timer = nil
    self.postponed = []
    self.handOver()
    self.consumer?.resume(returning: ending.map { [] })
    self.consumer = nil
  }

  // MARK: - Directives

  private func perform(_ directives: [GapRepair.Directive]) {
    guard self.ending == nil else { return }
    for directive in directives {
      switch directive {
      case .open: self.open()
      case .deliver(let element): self.buffer.append(element)
      case .replay, .snapshot: self.postponed.append(directive)
      case .fail(let failure): return self.end(.failure(failure))
      }
    }
    self.handOver()
    self.askPostponed()
    if let due = self.machine.due { self.arm(due) }
  }

  private func open() {
    self.linkCount += 1
    do {
      self.link = nil
      let link = try Link(
        .subscribe, number: self.linkCount, in: self.context, to: self.endpoint, as: self.identity, topics: self.topics)
      link.observe(by: self) { subscription, _ in subscription.readable() }
      link.observeAdmittance(by: self) { $0.drainMonitor() }
      self.link = link
    } catch {
      self.end(
        .failure(Failure(.unavailable, "HUB_NOT_RUNNING", "The events of kithd cannot be subscribed to: \(error).")))
    }
  }

  private func askPostponed() {
    guard self.buffer.count < Self.lowMark, !self.postponed.isEmpty, self.ending == nil else { return }
    let questions = self.postponed
    self.postponed = []
    for question in questions { self.ask(question) }
  }

  private func ask(_ question: GapRepair.Directive) {
    let port = self.port
    let context = CallContext(timeout: .seconds(10))
    switch question {
    case .replay(let request):
      Task { [weak self] in
        let outcome = await Result(of: { () async throws(Failure) in try await port.ask(request, context) })
        await self?.answered { machine, now in machine.replayed(request.stream, outcome, now) }
      }
    case .snapshot(let request):
      Task { [weak self] in
        let outcome = await Result(of: { () async throws(Failure) in try await port.ask(request, context) })
        await self?.answered { machine, now in machine.snapshotted(request.stream, outcome, now) }
      }
    case .open, .deliver, .fail: break
    }
  }

  private func answered(_ step: @Sendable (inout GapRepair, ContinuousClock.Instant) -> [GapRepair.Directive]) {
    self.perform(step(&self.machine, .now))
  }

  // MARK: - The socket and time

  private func readable() {
    do {
      for message in try self.link?.receive(limit: 256) ?? [] { self.take(message) }
    } catch {
      self.logger.error("events socket cannot receive", metadata: ["error": "\(error)"])
    }
  }

  private func drainMonitor() {
    do {
      try self.link?.drainMonitor()
    } catch {
      self.logger.error("monitor of the events socket failed", metadata: ["error": "\(error)"])
    }
    guard let link, link.admittance.state == .refused,
      let failure = link.admittance.failure(endpoint: self.endpoint, identity: self.identity, now: .now)
    else { return }
    self.end(.failure(failure))
  }

  private func take(_ message: [[UInt8]]) {
    switch EventFrame.decode(message) {
    case .accepted(.event(let event)):
      guard self.buffer.count < Self.highMark else { return }
      self.perform(self.machine.event(event, .now))
    case .accepted(.head(let head)): self.perform(self.machine.head(head, .now))
    case .rejected(let rejection):
      self.logger.warning("event not understood", metadata: ["reason": "\(rejection.failure.reason)"])
      if rejection.cause == .wrongMajor { self.end(.failure(rejection.failure)) }
    case .foreign: self.logger.debug("message of another protocol dropped")
    }
  }

  private func arm(_ due: ContinuousClock.Instant) {
    if let timer {
      guard due < timer.at else { return }
      self.cancel(timer.timer)
    }
    self.timer = (self.schedule(at: due) { $0.tick() }, due)
  }

  private func tick() {
    self.timer = nil
    self.perform(self.machine.tick(.now))
  }
}
