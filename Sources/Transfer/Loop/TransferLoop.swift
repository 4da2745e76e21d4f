internal import EventLoop

/// The transfers of one client and their shared connections, on an event loop, for any protocol.
///
/// Libcurl names the sockets and the timeout that it waits for; the loop watches them, and calls libcurl. Between transfers there
/// are none, so an idle client causes no wake-ups.
actor TransferLoop: LoopActor {
  nonisolated let loop: LoopExecutor
  private let connectionsPerHost: Int
  /// Opened by the first transfer.
  private var multi: MultiHandle?
  private var sockets: [Int32: SocketWatch] = [:]
  private var timer: LoopTimer?
  private var running: [Int: RunningTransfer] = [:]
  private var count = 0
  private var isClosed = false

  /// A class around the watch, because a dictionary cannot hold a noncopyable value.
  private final class SocketWatch {
    let watch: Watch

    init(_ watch: consuming Watch) { self.watch = watch }
  }

  init(on loop: LoopExecutor, connectionsPerHost: Int) {
    self.loop = loop
    self.connectionsPerHost = connectionsPerHost
  }

  isolated deinit {}

  /// Runs a transfer to its end.
  ///
  /// - Parameter make: Makes the transfer, on the loop.
  /// - Throws: `cancelled` if the task is cancelled, `closed` after `close`, and the errors of the transfer.
  func run<T: Transfer>(_ make: @Sendable () -> T) async throws(TransferError) -> T.Reply {
    guard !isClosed else { throw .closed }
    guard !Task.isCancelled else { throw .cancelled }
    let transfer = make()
    count += 1
    let id = count
    let new = try RunningTransfer(id: id, transfer)
    if multi == nil {
      let opened = try MultiHandle(for: self)
      try opened.configure(connectionsPerHost: connectionsPerHost)
      multi = consume opened
    }
    running[id] = new
    let end = await withTaskCancellationHandler {
      await withCheckedContinuation { start(id, $0) }
    } onCancel: {
      // May run before `start`, if the actor runs another job between the line above and the closure.
      post { $0.end(id, .cancelled) }
    }
    switch end {
    case .finished(let code): return try transfer.finish(code, new.easy)
    case .ended(let error): throw error
    }
  }

  /// Ends running transfers with `closed`, and closes the connections. Later transfers are refused.
  func close() {
    isClosed = true
    for id in running.keys.sorted() {
      end(id, .closed)
    }
    multi = nil
    sockets.removeAll()
    comeBack(in: nil)
  }

  // MARK: - Transfers

  private func start(_ id: Int, _ waiter: CheckedContinuation<TransferEnd, Never>) {
    guard let new = running[id] else { return waiter.resume(returning: .ended(isClosed ? .closed : .cancelled)) }
    new.waiter = waiter
    do throws(TransferError) {
      try multi?.add(new.easy)
    } catch {
      end(id, error)
    }
  }

  private func end(_ id: Int, _ error: TransferError) {
    guard let ended = running[id] else { return }
    finish(ended, .ended(error))
  }

  private func finish(_ finished: RunningTransfer, _ end: TransferEnd) {
    running[finished.id] = nil
    multi?.remove(finished.easy)
    finished.waiter?.resume(returning: end)
    finished.waiter = nil
  }

  private func collect() {
    while let (finished, code) = multi?.nextFinished() {
      finish(finished, .finished(code))
    }
  }

  // MARK: - Sockets and timeout of libcurl

  /// Watches a socket for libcurl; nil ends the watch.
  func watch(_ socket: Int32, for interest: Readiness?) {
    guard let interest else {
      sockets[socket] = nil
      return
    }
    if let known = sockets[socket] {
      known.watch.setInterest(interest)
    } else {
      sockets[socket] = SocketWatch(
        watch(.descriptor(socket), for: interest) { loop, ready in
          loop.multi?.act(on: socket, ready)
          loop.collect()
        })
    }
  }

  /// Schedules the next call of libcurl; nil cancels it.
  func comeBack(in delay: Duration?) {
    if let timer { cancel(timer) }
    timer = delay.map { delay in
      schedule(at: .now + delay) { loop in
        loop.timer = nil
        loop.multi?.actOnTime()
        loop.collect()
      }
    }
  }
}
