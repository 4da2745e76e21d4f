internal import Dispatch
internal import Glibc

/// Ending cleanly when a person or the system asks for it.
enum Interrupt {
  /// Signals that are told and do not end the process, until ``end()``.
  struct Watch {
    fileprivate let sources: [any DispatchSourceSignal]

    /// Lets them end the process again.
    func end() {
      for source in self.sources { source.cancel() }
      for number in Interrupt.signals { signal(number, SIG_DFL) }
    }
  }

  private static let signals = [SIGINT, SIGTERM]

  /// Calls `body` at each SIGINT and SIGTERM from now on.
  static func catching(_ body: @escaping @Sendable () -> Void) -> Watch {
    Watch(
      sources: self.signals.map { number in
        // Dispatch reports the signal; its default action would end the process first.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
        return source
      })
  }

  /// Runs `body` in a task that is cancelled by SIGINT and SIGTERM.
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
