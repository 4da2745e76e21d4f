public import Bus
internal import Digest
public import EventLoop
public import KithMessages
public import Logging
public import ZeroMQ

/// The hub's side of the work plane: gives jobs to workers and brings back what they found.
///
/// It lives on the event loop. The rules are ``LeaseTable``'s; here are the socket, the bytes of bodies, and the commits.
public actor WorkPlane: Plane, NetworkPlane {
  /// ``NetworkPlane/domain``.
  public nonisolated let domain = "work"

  /// The loop that owns the socket.
  public nonisolated let loop: LoopExecutor
  nonisolated let store: any JobStore
  nonisolated let codecs: [String: JobCodec]
  let access: AccessPolicy
  nonisolated let logger: Logger

  /// Between two looks for jobs that nobody waits for. Callers come back within a minute.
  static let patience = Duration.seconds(120)

  let socket: PlaneSocket
  private var timer: LoopTimer?

  var table = LeaseTable()
  var uploads = Uploads()
  var unreadMessages = UnreadMessages()
  var callers: [String: JobCaller] = [:]
  /// Jobs that the last process left waiting, and those that a person wants tried again. They are given to workers when
  /// their callers come back for them: otherwise a job could run although its caller has already replaced it.
  var unclaimed: [String: JobRecord] = [:]
  /// What nobody waited for at the last look.
  var alone: Set<String> = []
  /// Commands that are larger than a frame, as their workers fetch them: by job, then by digest.
  var spilled: [String: [String: [UInt8]]] = [:]
  /// How each worker writes.
  var encodings: [[UInt8]: Encoding] = [:]
  /// How the message that is being answered was written: strangers are answered so too.
  var askedIn = Encoding.pb
  /// Services of which it was announced that nobody serves them.
  var unserved: Set<String> = []
  private var changes: [(record: JobRecord, stored: LeaseTable.Stored)] = []
  private var isWriting = false
  private var writer: Task<Void, Never>?
  private(set) var isClosing = false

  // Not inlined into other modules: see `EventsPlane`.
  /// Makes the plane on a socket that is not bound yet.
  ///
  /// - Parameters:
  ///   - context: With a ZAP handler on the same loop, since the socket asks one about every peer.
  ///   - store: Where jobs are kept.
  ///   - codecs: The methods that may be given to workers.
  ///   - access: Says who the peers are, and what they may serve.
  /// - Throws: `ZMQError` when the socket cannot be made.
  @_semantics("optimize.no.crossmodule")
  public init(
    context: Context, loop: LoopExecutor, store: any JobStore, codecs: [JobCodec], access: AccessPolicy, logger: Logger
  ) throws(ZMQError) {
    self.loop = loop
    self.store = store
    self.codecs = Dictionary(codecs.map { ($0.method.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.access = access
    self.logger = logger
    self.socket = try PlaneSocket(
      .router, domain: self.domain, in: context, connections: WireLimits.workConnections,
      frames: WireLimits.frames + 2, access: access, logger: logger)
  }

  isolated deinit {}

  /// Takes up the jobs that the last process left. Before ``bind(_:)``.
  ///
  /// Whoever waited for batches is gone with that process, so such a job is over; its caller begins again. So is a job that waits
  /// and that its caller cannot find again: it would be done twice.
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
    self.schedule(at: .now + Self.patience) { $0.dropUnwanted() }
  }

  /// Binds the endpoint and begins to serve.
  ///
  /// - Throws: `ZMQError`.
  public func bind(_ endpoint: IPCEndpoint) throws(ZMQError) { try self.socket.bind(endpoint, of: self) }

  /// Serves these listeners over tcp and no others; see ``NetworkPlane``.
  public func listen(_ listeners: [TCPListener]) throws(ZMQError) -> [String] {
    let endpoints = try self.socket.listen(listeners)
    // Until now workers on other machines had no way to come back.
    self.table.extendGrace(now: .now)
    self.table.nextServerKey = listeners.dropFirst().first?.keys.publicKey.z85 ?? ""
    return endpoints
  }

  /// ``NetworkPlane/peers``.
  public var peers: PlaneStatus { self.socket.peers }

  /// From now on callers that leave do not end their jobs: workers go on, and the next process takes the jobs up.
  public func beginClosing() { self.isClosing = true }

  /// Tells the workers to come back later, ends the callers' waiting, commits what is under way and closes the socket.
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

  /// Carries out what the table says.
  ///
  /// - Parameter batch: The batch that the message brought.
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
        // Without a caller nobody stores it: the worker is not answered, and the job is dropped in a while.
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

  /// Ends a job that no worker has heard of.
  func forsake(_ record: JobRecord) {
    var record = record
    record.state = .cancelled
    self.changes.append((record, .queued))
    self.write()
  }

  /// Commits the changes that wait, together, one commit after the other.
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
          // Nothing is acknowledged meanwhile, and workers say everything again.
          logger.warning("jobs could not be stored", metadata: ["reason": "\(error.reason)"])
          // What a closing hub cannot store is said again to the next one.
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

  /// Nothing is stored or acknowledged any more: `isWriting` stays.
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

  /// Sends a message; one that cannot be written is logged.
  func send(_ message: WorkMessage, to peer: [UInt8], encoding: Encoding? = nil) {
    do throws(Failure) {
      _ = try self.deliver(message, to: peer, encoding: encoding)
    } catch {
      self.logger.error(
        "a message cannot be written", metadata: ["kind": "\(message.kind)", "why": "\(error.message)"])
    }
  }

  /// - Returns: Whether it is on its way.
  /// - Throws: Why it cannot be written.
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

  /// Lets go what belongs to workers that are gone without a word.
  func forgetStrangers() {
    for peer in self.encodings.keys where self.table.workers[peer] == nil {
      self.encodings[peer] = nil
      self.uploads.drop(peer: peer)
    }
  }

  /// - Parameter data: In place of the last frame, which then is empty: a part of a blob is copied once this way.
  /// - Throws: Why it cannot be written.
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

  /// Keeps one timer on the loop: what the table asks for.
  func arm() {
    guard let next = self.table.wakeAt else { return }
    if let timer, timer.deadline <= next { return }
    if let timer { self.cancel(timer) }
    self.timer = self.schedule(at: next) { plane in
      plane.timer = nil
      plane.perform(plane.table.tick(.now))
      plane.forgetStrangers()
      plane.uploads.drop(untouchedSince: .now - plane.table.timing.lease)
      plane.arm()
    }
  }
}
