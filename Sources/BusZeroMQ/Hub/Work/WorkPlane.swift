public import Bus
internal import Digest
public import EventLoop
public import KithMessages
public import Logging
public import ZeroMQ

/// The hub's side of the work plane: sends jobs to workers and returns their results to the callers.
///
/// It runs on the event loop. ``LeaseTable`` has the rules; this actor has the socket, the bodies and the commits.
///
/// ```swift
/// let plane = try WorkPlane(
///   context: context, loop: loop, store: jobs, codecs: codecs, access: access, logger: logger)
/// try await plane.restore()
/// try await plane.bind(try directory.endpoint("work.sock"))
/// let reply = try await WorkerPort(plane).ask(request)
/// ```
public actor WorkPlane: Plane, NetworkPlane {
  /// ``NetworkPlane/domain``.
  public nonisolated let domain = "work"

  /// The event loop that owns the socket.
  public nonisolated let loop: LoopExecutor
  nonisolated let store: any JobStore
  nonisolated let codecs: [String: JobCodec]
  let access: AccessPolicy
  nonisolated let logger: Logger
  /// Services that one worker alone may run: its name.
  let pinned: [String: String]

  /// The interval of the search for jobs without callers. Callers return within a minute.
  static let orphanInterval = Duration.seconds(120)

  let socket: PlaneSocket
  private var timer: LoopTimer?

  var table = LeaseTable()
  var uploads = Uploads()
  var unreadMessages = UnreadMessages()
  var callers: [String: JobCaller] = [:]
  /// Jobs that the last process left waiting, and those that a person wants tried again. They are given to workers when
  /// their callers come back for them: otherwise a job could run although its caller has already replaced it.
  var unclaimed: [String: JobRecord] = [:]
  /// The jobs without callers at the last search.
  var alone: Set<String> = []
  /// Commands larger than a frame, which workers fetch: by job, then by digest.
  var spilled: [String: [String: [UInt8]]] = [:]
  /// The encoding of each worker.
  var encodings: [[UInt8]: Encoding] = [:]
  /// The encoding of the message that is being answered, also for unknown peers.
  var askedIn = Encoding.pb
  /// The services that were announced as not served.
  var unserved: Set<String> = []
  private var changes: [(record: JobRecord, stored: LeaseTable.Stored)] = []
  private var isWriting = false
  private var writer: Task<Void, Never>?
  private(set) var isClosing = false

  // Not inlined into other modules: see `EventsPlane`.
  /// Makes the plane with a socket that is not bound yet.
  ///
  /// - Parameters:
  ///   - context: Has a ZAP handler on the same event loop, which decides about every peer.
  ///   - store: Stores the jobs.
  ///   - codecs: The methods that workers may run.
  ///   - access: Identifies the peers and their rights.
  ///   - pinned: Services that one worker alone may run, with its name.
  /// - Throws: `ZMQError` if the socket cannot be created.
  @_semantics("optimize.no.crossmodule")
  public init(
    context: Context, loop: LoopExecutor, store: any JobStore, codecs: [JobCodec], access: AccessPolicy,
    pinned: [String: String] = [:], logger: Logger
  ) throws(ZMQError) {
    self.loop = loop
    self.store = store
    self.codecs = Dictionary(codecs.map { ($0.method.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.access = access
    self.pinned = pinned
    self.logger = logger
    self.socket = try PlaneSocket(
      .router, domain: self.domain, in: context, connections: WireLimits.workConnections,
      frames: WireLimits.frames + 2, access: access, logger: logger)
  }

  isolated deinit {}

  /// Restores the jobs of the last process. Call it before ``bind(_:)``.
  ///
  /// Jobs in batches are cancelled, because their callers ended with that process and start again. So are queued jobs that
  /// their callers cannot find again: they would run twice.
  public func restore() async throws(Failure) {
    var over: [JobRecord] = []
    for record in try await self.store.unended() {
      guard let method = self.codecs[record.service]?.method, self.codecs[record.service]?.batch == nil,
        record.isKept || record.state != .queued
      else {
        var record = record
        record.state = .cancelled
        over.append(record)
        continue
      }
      if record.state == .queued {
        self.unclaimed[record.id] = record
      } else {
        self.table.restore(record, isOnce: method.delivery == .atMostOnce, now: .now)
      }
    }
    if !over.isEmpty { try await self.store.apply(over) }
    self.arm()
    self.schedule(at: .now + Self.orphanInterval) { $0.dropUnwanted() }
  }

  /// Binds the endpoint and starts to serve.
  ///
  /// - Throws: `ZMQError`.
  public func bind(_ endpoint: IPCEndpoint) throws(ZMQError) { try self.socket.bind(endpoint, of: self) }

  /// Serves these listeners over tcp and no others; see ``NetworkPlane``.
  public func listen(_ listeners: [TCPListener]) throws(ZMQError) -> [String] {
    let endpoints = try self.socket.listen(listeners)
    // Until now workers on other machines could not reconnect.
    self.table.extendGrace(now: .now)
    self.table.nextServerKey = listeners.dropFirst().first?.keys.publicKey.z85 ?? ""
    return endpoints
  }

  /// ``NetworkPlane/peers``.
  public var peers: PlaneStatus { self.socket.peers }

  /// From now on jobs continue when their callers leave: workers run them, and the next process restores them.
  public func beginClosing() { self.isClosing = true }

  /// Tells the workers to reconnect later, fails the waiting callers, commits pending changes and closes the socket.
  public func close() async {
    self.isClosing = true
    let goodbye = LeaseTable.disconnect(
      .unavailable, "SHUTTING_DOWN", "kithd is stopping. Keep your jobs, and come back.", after: .seconds(1))
    for peer in self.table.workers.sessions.keys { self.send(goodbye, to: peer) }
    for caller in self.callers.values {
      caller.end(.failure(Self.shuttingDown))
    }
    self.callers = [:]
    self.socket.close()
    while let writer { await writer.value }
  }

  // MARK: - Carrying out

  func readable() {
    self.socket.receive { message, userID in
      var frames: [[UInt8]] = []
      for index in 1..<message.count { frames.append(message.bytes(at: index)) }
      self.take(frames, from: message.bytes(at: 0), userID: userID)
    }
    self.arm()
  }

  /// Carries out the table's directives.
  ///
  /// - Parameter batch: The batch of the message.
  func perform(_ directives: [LeaseTable.Directive], batch: [UInt8] = []) {
    for directive in directives {
      switch directive {
      case .send(let peer, let message): self.send(message, to: peer)
      case .give(let peer, let job): self.give(job, to: peer)
      case .store(var record, let stored):
        if record.state == .done, !record.isKept { record.reply = [] }
        if case .end = stored { FaultPoint.jobEndTaken.pass() }
        self.changes.append((record, stored))
      case .deliver(let id, let number):
        // Without a caller it is not stored or acknowledged, and the job is cancelled later.
        self.callers[id]?.updates.yield(.batch(number, batch))
      case .report(let id, let progress): self.callers[id]?.report(progress)
      case .conclude(let record):
        self.spilled[record.id] = nil
        self.callers.removeValue(forKey: record.id)?.end(
          record.failure.map { .failure($0) } ?? .success(record.reply))
      }
    }
    self.write()
  }

  /// Cancels a job that no worker has received.
  func forsake(_ record: JobRecord) {
    var record = record
    record.state = .cancelled
    self.changes.append((record, .queued))
    self.write()
  }

  /// Commits all waiting changes together, one commit at a time.
  private func write() {
    guard !self.isWriting, !self.changes.isEmpty else { return }
    self.isWriting = true
    let changes = self.changes
    self.changes = []
    self.writer = Task.detached { [store, logger, weak self] in
      while true {
        do throws(Failure) {
          try await store.apply(changes.map(\.record))
          break
        } catch {
          // Nothing is acknowledged meanwhile, and workers send everything again.
          logger.warning("jobs could not be stored", metadata: ["reason": "\(error.reason)"])
          // Workers send again to the next hub what a closing hub cannot store.
          guard await self?.isClosing == false else {
            await self?.giveUpWriting()
            return
          }
          try? await Task.sleep(for: .seconds(1))
        }
      }
      await self?.written(changes)
    }
  }

  /// Stops storing and acknowledging: `isWriting` stays true.
  private func giveUpWriting() { self.writer = nil }

  private func written(_ changes: [(record: JobRecord, stored: LeaseTable.Stored)]) {
    self.isWriting = false
    self.writer = nil
    for change in changes {
      switch change.stored {
      case .queued: break
      case .lease: FaultPoint.jobGranted.pass()
      case .batch: FaultPoint.jobBatchStored.pass()
      case .end: FaultPoint.jobEndStored.pass()
      }
      self.perform(self.table.stored(change.record.id, change.stored, now: .now))
    }
    self.write()
    self.arm()
  }

  /// Sends a message, and logs one that cannot be encoded.
  func send(_ message: WorkMessage, to peer: [UInt8], encoding: Encoding? = nil) {
    do throws(Failure) {
      _ = try self.deliver(message, to: peer, encoding: encoding)
    } catch {
      self.logger.error(
        "a message cannot be written", metadata: ["kind": "\(message.kind)", "why": "\(error.message)"])
    }
  }

  /// Sends a message.
  ///
  /// - Returns: Whether the socket accepted it.
  /// - Throws: The reason why it cannot be encoded.
  func deliver(
    _ message: WorkMessage, service: String = "", to peer: [UInt8], encoding: Encoding? = nil
  ) throws(Failure) -> Bool {
    var message = message
    if case .heartbeat(var heartbeat) = message {
      heartbeat.hubTime = .now()
      message = .heartbeat(heartbeat)
    }
    let frame = WorkFrame(message, service: service, encoding: encoding ?? self.encodings[peer] ?? self.askedIn)
    switch try self.trySend(frame, to: peer) {
    case .sent: return true
    case .wouldBlock: self.logger.debug("a worker takes no messages", metadata: ["kind": "\(message.kind)"])
    case .unreachable, .lost:
      self.encodings[peer] = nil
      self.uploads.drop(peer: peer)
      self.table.unreachable(peer, now: .now)
    }
    return false
  }

  /// Removes the state of workers that are no longer in the table.
  func removeOrphans() {
    for peer in self.encodings.keys where self.table.workers[peer] == nil {
      self.encodings[peer] = nil
      self.uploads.drop(peer: peer)
    }
  }

  /// Sends a frame.
  ///
  /// - Parameter data: Replaces the last, empty frame: a part of a blob is copied only once.
  /// - Throws: The reason why it cannot be encoded.
  func trySend(
    _ frame: WorkFrame, data: ArraySlice<UInt8>? = nil, to peer: [UInt8]
  ) throws(Failure) -> SendResult {
    let frames = try frame.encoded()
    return self.socket.send { message throws(ZMQError) in
      try message.append(peer)
      for bytes in data == nil ? frames[...] : frames.dropLast() { try message.append(bytes) }
      if let data { try message.append(data) }
    }
  }

  /// Sets one timer for the time that the table needs.
  func arm() {
    guard let next = self.table.wakeAt else { return }
    if let timer, timer.deadline <= next { return }
    if let timer { self.cancel(timer) }
    self.timer = self.schedule(at: next) { plane in
      plane.timer = nil
      plane.perform(plane.table.tick(.now))
      plane.removeOrphans()
      plane.uploads.drop(untouchedSince: .now - plane.table.timing.lease)
      plane.arm()
    }
  }
}
