internal import Bus
internal import EventLoop
internal import Glibc
internal import Logging
internal import ZeroMQ

/// Serves the metrics of this hub over HTTP/1.0 at a socket of the runtime directory: `curl --unix-socket`.
///
/// Only the user that the hub runs as, and root, may connect. It lives on an event loop, and costs nothing while nobody reads. A hub
/// that cannot have the socket goes on without it.
actor MetricsSocket: LoopActor {
  /// Makes the text of the metrics.
  typealias Text = @Sendable () async throws(Failure) -> String

  /// How long a client may take.
  private static let patience = Duration.seconds(10)
  /// Clients at once; others are cut.
  private static let mostExchanges = 16

  nonisolated let loop: LoopExecutor
  private let endpoint: IPCEndpoint
  private let text: Text
  private let logger: Logger
  private let listener: IPCListener
  private var watch: Watch?
  private var isClosed = false
  private var exchanges: [Int: Exchange] = [:]
  private var lastExchange = 0

  private init(_ endpoint: IPCEndpoint, on loop: LoopExecutor, logger: Logger, text: @escaping Text) throws(IPCError) {
    self.loop = loop
    self.endpoint = endpoint
    self.text = text
    self.logger = logger
    self.listener = try IPCListener(endpoint)
  }

  isolated deinit {}

  /// Begins to serve.
  ///
  /// - Returns: Nil if the socket cannot be had; the log says why.
  static func open(
    _ endpoint: IPCEndpoint, on loop: LoopExecutor, logger: Logger, text: @escaping Text
  ) async -> MetricsSocket? {
    do throws(IPCError) {
      let socket = try MetricsSocket(endpoint, on: loop, logger: logger, text: text)
      await socket.listen()
      return socket
    } catch {
      logger.error("metrics are not served; everything else is", metadata: ["why": "\(error)"])
      return nil
    }
  }

  /// Ends the connections and removes the socket's file.
  func close() {
    self.isClosed = true
    self.watch = nil
    self.exchanges = [:]
    unlink(self.endpoint.path)
  }

  // MARK: - Connections

  private func listen() {
    self.watch = self.watch(.descriptor(self.listener.descriptor), for: .readable) { socket, _ in socket.accept() }
  }

  private func accept() {
    do throws(IPCError) {
      while let descriptor = try self.listener.accept() { self.begin(descriptor) }
    } catch {
      // No descriptor is left: the connection waits, and would be reported in every turn of the loop.
      self.logger.warning("metrics cannot be read now", metadata: ["why": "\(error)"])
      self.watch = nil
      self.schedule(at: .now + .seconds(1)) { socket in if !socket.isClosed { socket.listen() } }
    }
  }

  private func begin(_ descriptor: Int32) {
    let exchange = Exchange(descriptor)
    guard self.exchanges.count < Self.mostExchanges else { return }
    self.lastExchange += 1
    let id = self.lastExchange
    self.exchanges[id] = exchange
    exchange.watch = self.watch(.descriptor(descriptor), for: .readable) { socket, _ in socket.goOn(id) }
    self.schedule(at: .now + Self.patience) { $0.exchanges[id] = nil }
  }

  private func goOn(_ id: Int) {
    guard let exchange = self.exchanges[id] else { return }
    switch exchange.proceed() {
    case .waiting: break
    case .ended: self.exchanges[id] = nil
    case .asked(let request):
      // What the client says beyond its request is not read.
      exchange.watch?.setInterest([])
      Task {
        let answer = await self.answer(request)
        self.answer(answer, to: id)
      }
    }
  }

  private func answer(_ request: MetricsRequest) async -> [UInt8] {
    if let refusal = request.refusal { return refusal }
    do throws(Failure) {
      return MetricsRequest.answer(200, "OK", try await self.text(), type: MetricsRequest.metricsType)
    } catch {
      return MetricsRequest.answer(503, "Service Unavailable", "\(error.message)\n")
    }
  }

  private func answer(_ bytes: [UInt8], to id: Int) {
    guard let exchange = self.exchanges[id] else { return }
    exchange.answer = bytes
    exchange.watch?.setInterest(.writable)
  }
}

/// One connection: a request, then its answer. It belongs to the loop of its socket.
private final class Exchange {
  /// What a step brought.
  enum Step {
    case waiting
    case asked(MetricsRequest)
    case ended
  }

  var watch: Watch?
  /// Empty until the request was read.
  var answer: [UInt8] = []

  private let descriptor: Int32
  private var request: [UInt8] = []
  private var sent = 0

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // Before the descriptor can stand for something else.
    self.watch = nil
    close(self.descriptor)
  }

  /// Reads the request, or writes the answer, as far as that does not block.
  func proceed() -> Step { self.answer.isEmpty ? self.read() : self.write() }

  private func read() -> Step {
    var piece = [UInt8](repeating: 0, count: 4096)
    let count = recv(self.descriptor, &piece, piece.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return .waiting }
    guard count > 0 else { return .ended }
    self.request += piece[..<count]
    return MetricsRequest(self.request).map { Step.asked($0) } ?? .waiting
  }

  private func write() -> Step {
    let count = self.answer.withUnsafeBytes { buffer in
      send(
        self.descriptor, buffer.baseAddress?.advanced(by: self.sent), buffer.count - self.sent, Int32(MSG_NOSIGNAL))
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return .waiting }
    guard count > 0 else { return .ended }
    self.sent += count
    return self.sent < self.answer.count ? .waiting : .ended
  }
}
