internal import Dispatch
internal import Glibc
internal import Synchronization

/// The handling of SIGINT, SIGTERM and SIGHUP.
enum Interrupt {
  /// A handler of the signals, which do not end the process until ``end()``.
  struct Watch {
    fileprivate let number: Int

    /// Removes the handler. Without any handler the signals end the process again.
    func end() { Interrupt.bodies.withLock { $0.active[self.number] = nil } }
  }

  private struct Bodies: Sendable {
    var count = 0
    var active: [Int: @Sendable () -> Void] = [:]
  }

  private static let bodies = Mutex(Bodies())

  /// Made with the first watch, and never cancelled: on Linux a cancelled source removes the signal's handler some time later, and a
  /// source made in between would never receive a signal. Child processes start with the default action, because it is a handler.
  // `unsafe` is sound: the array is made once, under the lock of a static, and is never read or changed afterwards.
  nonisolated(unsafe) private static let sources: [any DispatchSourceSignal] = Self.numbers.map { number in
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { Self.received(number) }
    // Until it is registered, the signal ends the process, and a recording with it.
    let isRegistered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isRegistered.signal() }
    source.resume()
    isRegistered.wait()
    return source
  }

  /// SIGHUP comes when the terminal closes. A process that nohup(1) makes ignore it has to continue ignoring it.
  private static var numbers: [Int32] {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    let isIgnored =
      unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    return [SIGINT, SIGTERM] + (isIgnored ? [] : [SIGHUP])
  }

  /// Calls `body` at each SIGINT, SIGTERM and SIGHUP from now on.
  static func catching(_ body: @escaping @Sendable () -> Void) -> Watch {
    _ = self.sources
    return self.bodies.withLock { bodies in
      bodies.count += 1
      bodies.active[bodies.count] = body
      return Watch(number: bodies.count)
    }
  }

  private static func received(_ number: Int32) {
    let active = self.bodies.withLock { $0.active.values.map { $0 } }
    for body in active { body() }
    guard active.isEmpty else { return }
    signal(number, SIG_DFL)
    kill(getpid(), number)
  }

  /// Runs `body` in a task that these signals cancel.
  static func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    let watch = self.catching { task.cancel() }
    defer { watch.end() }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
