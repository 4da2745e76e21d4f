public import EventLoop

/// Wakes the sync at a time; sleeps until then.
public actor SyncAlarm: LoopActor {
  /// The loop with the timer.
  public nonisolated let loop: LoopExecutor
  private var timer: LoopTimer?
  private var ring: (@Sendable () -> Void)?

  // Not inlined into other modules: see `SourceKeeper`.
  /// Makes an alarm that is not set.
  @_semantics("optimize.no.crossmodule")
  public init(loop: LoopExecutor) { self.loop = loop }

  isolated deinit {}

  /// Sets the function to call.
  func connect(_ ring: @escaping @Sendable () -> Void) { self.ring = ring }

  /// Sets the time; replaces an earlier one.
  ///
  /// - Parameter wait: From now; nil for never.
  nonisolated func set(_ wait: Duration?) {
    self.post { alarm in
      if let timer = alarm.timer { alarm.cancel(timer) }
      alarm.timer = nil
      guard let wait else { return }
      alarm.timer = alarm.schedule(at: .now + wait) { alarm in
        alarm.timer = nil
        alarm.ring?()
      }
    }
  }
}
