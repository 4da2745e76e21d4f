public import Bus
public import EventLoop
internal import Glibc
public import Logging

/// Takes sentences over the Wyoming protocol, and gives the answers: `describe`, `transcript`, `ping`.
///
/// It lives on an event loop. Bytes that are no message end their connection, and so does a connection on which nothing comes for a
/// minute; what somebody sends beyond the limits is not kept.
///
/// ```swift
/// let server = try await WyomingServer.open(address, program, on: loop, logger: logger) { sentence in await house.answer(sentence) }
/// ```
public actor WyomingServer: LoopActor {
  /// Answers a sentence.
  public typealias Answer = @Sendable (WyomingSentence) async -> WyomingAnswer

  /// How long a connection may say nothing.
  private static let patience = Duration.seconds(60)
  /// Connections at once, and those of one machine; others are cut.
  private static let (mostConnections, mostOfOne) = (64, 32)

  /// Its loop.
  public nonisolated let loop: LoopExecutor
  private let address: WyomingAddress
  private let info: [UInt8]
  private let answer: Answer
  private let logger: Logger
  private let listener: WyomingListener
  private var watch: Watch?
  private var connections: [Int: Connection] = [:]
  private var last = 0
  private var sentences = RateLimit(burst: 60, interval: .milliseconds(500))
  private var warnings = RateLimit(burst: 5, interval: .seconds(60))

  private init(
    _ address: WyomingAddress, _ program: WyomingProgram, on loop: LoopExecutor, logger: Logger,
    answer: @escaping Answer
  ) throws(WyomingListener.Fault) {
    self.loop = loop
    self.address = address
    self.info = program.info
    self.logger = logger
    self.answer = answer
    self.listener = try WyomingListener(address)
  }

  isolated deinit {}

  /// Begins to listen.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` if the address cannot be had.
  public static func open(
    _ address: WyomingAddress, _ program: WyomingProgram, on loop: LoopExecutor, logger: Logger,
    answer: @escaping Answer
  ) async throws(Failure) -> WyomingServer {
    do throws(WyomingListener.Fault) {
      let server = try WyomingServer(address, program, on: loop, logger: logger, answer: answer)
      await server.listen()
      return server
    } catch {
      throw .invalid(
        field: "wyoming", "\(address.description) cannot be listened at (\(error)). Give another address or port.")
    }
  }

  /// Where it listens, with the port that it got.
  public var port: Int { self.listener.port }

  /// Ends all connections, and takes no more.
  public func close() {
    self.watch = nil
    self.connections = [:]
  }

  // MARK: - Connections

  private func listen() {
    self.watch = self.watch(.descriptor(self.listener.descriptor), for: .readable) { server, _ in server.accept() }
  }

  private func accept() {
    do throws(WyomingListener.Fault) {
      for _ in 0..<64 {
        guard let (descriptor, peer) = try self.listener.accept() else { return }
        self.begin(Connection(descriptor, peer: peer))
      }
    } catch {
      // No descriptor is left: the connection waits, and would be reported in every turn of the loop.
      self.warn("no connection can be taken now", "\(error)")
      self.watch = nil
      self.schedule(at: .now + .seconds(1)) { $0.listen() }
    }
  }

  private func begin(_ connection: Connection) {
    guard self.address.admits(connection.peer) else {
      return self.warn("a connection was refused; --wyoming-from names who may connect", connection.peer)
    }
    guard self.connections.count < Self.mostConnections,
      self.connections.values.count(where: { $0.peer == connection.peer }) < Self.mostOfOne
    else { return self.warn("too many connections; one was cut", connection.peer) }
    self.last += 1
    let id = self.last
    self.connections[id] = connection
    connection.watch = self.watch(.descriptor(connection.descriptor), for: .readable) { server, _ in server.proceed(id)
    }
    self.expect(id)
  }

  /// Ends a connection on which nothing comes.
  private func expect(_ id: Int) {
    guard let connection = self.connections[id] else { return }
    self.schedule(at: connection.lastHeard + Self.patience) { server in
      guard let connection = server.connections[id] else { return }
      guard connection.lastHeard + Self.patience > .now else { return server.connections[id] = nil }
      server.expect(id)
    }
  }

  private func warn(_ what: Logger.Message, _ who: String) {
    if self.warnings.take(.now) { self.logger.warning(what, metadata: ["who": "\(who)"]) }
  }

  private func proceed(_ id: Int) {
    guard let connection = self.connections[id] else { return }
    // Who goes while the answer is made does not get it.
    guard !connection.isWaiting, connection.hasAnswer ? connection.write() : connection.read() else {
      self.connections[id] = nil
      return
    }
    self.goOn(id, connection)
  }

  /// Takes the next message, unless an answer is still to be sent.
  private func goOn(_ id: Int, _ connection: Connection) {
    while !connection.hasAnswer {
      do throws(WyomingEvent.Decoder.Fault) {
        guard let event = try connection.decoder.next() else { break }
        switch event.type {
        case "describe": connection.send(self.info)
        case "ping": connection.send(WyomingEvent(type: "pong", data: event.data).encoded())
        case "transcript": return self.take(event, of: id, connection)
        // Clients may send what only other servers understand.
        default: break
        }
      } catch {
        self.warn("what came is no message of Wyoming; the connection is cut", connection.peer)
        self.connections[id] = nil
        return
      }
    }
    connection.watch?.setInterest(connection.hasAnswer ? .writable : .readable)
  }

  /// Has a sentence answered; until then nothing is read.
  private func take(_ event: WyomingEvent, of id: Int, _ connection: Connection) {
    guard self.sentences.take(.now) else {
      self.warn("too many sentences; the connection is cut", connection.peer)
      self.connections[id] = nil
      return
    }
    connection.isWaiting = true
    connection.watch?.setInterest([])
    Task {
      let answer = await self.answer(WyomingSentence(text: event.data.text ?? "", language: event.data.language))
      let reply = WyomingEvent(
        type: answer.isHandled ? "handled" : "not-handled",
        data: WyomingEvent.Values(text: answer.text, context: event.data.context))
      self.answer(reply.encoded(), to: id)
    }
  }

  private func answer(_ bytes: [UInt8], to id: Int) {
    guard let connection = self.connections[id] else { return }
    connection.isWaiting = false
    connection.send(bytes)
    connection.watch?.setInterest(.writable)
  }
}

/// One connection. It belongs to the loop of its server.
private final class Connection {
  let descriptor: Int32
  let peer: String
  var watch: Watch?
  /// A sentence is short; what is longer than this is none.
  var decoder = WyomingEvent.Decoder(limit: 64 << 10)
  /// Whether a sentence of it is being answered.
  var isWaiting = false
  /// When something came last.
  private(set) var lastHeard = ContinuousClock.now

  private var answer: [UInt8] = []
  private var sent = 0

  init(_ descriptor: Int32, peer: String) { (self.descriptor, self.peer) = (descriptor, peer) }

  deinit {
    // Before the descriptor can stand for something else.
    self.watch = nil
    close(self.descriptor)
  }

  /// Whether something is to be sent before more is read.
  var hasAnswer: Bool { !self.answer.isEmpty }

  func send(_ bytes: [UInt8]) { (self.answer, self.sent) = (bytes, 0) }

  /// Reads the bytes that have arrived. Returns false if the other side has closed the connection.
  func read() -> Bool {
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    let count = unsafe recv(self.descriptor, &piece, piece.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return true }
    guard count > 0 else { return false }
    self.lastHeard = .now
    self.decoder.append(piece[..<count])
    return true
  }

  /// Sends what can be sent. Returns false if the other side has ended.
  func write() -> Bool {
    // The buffer outlives the call.
    let count = unsafe self.answer.withUnsafeBytes { buffer in
      unsafe Glibc.send(
        self.descriptor, buffer.baseAddress?.advanced(by: self.sent), buffer.count - self.sent, Int32(MSG_NOSIGNAL))
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return true }
    guard count > 0 else { return false }
    self.sent += count
    if self.sent == self.answer.count { (self.answer, self.sent) = ([], 0) }
    return true
  }
}
