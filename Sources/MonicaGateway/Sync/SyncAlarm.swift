public import EventLoop

/// Calls at a time: what the sync waits with, without waking up in between.
public actor SyncAlarm: LoopActor {
  /// Where it waits.
  public nonisolated let loop: LoopExecutor
  private var timer: LoopTimer?
  private var ring: (@Sendable () -> Void)?

  // Not inlined into other modules: see `SourceKeeper`.
  /// Makes an alarm that is not set.
  @_semantics("optimize.no.crossmodule")
  public init(loop: LoopExecutor) { self.loop = loop }

  isolated deinit {}

  /// Says what is called.
  func connect(_ ring: @escaping @Sendable () -> Void) { self.ring = ring }

  /// Sets it anew.
  ///
  /// - Parameter wait: From now; nil = never.
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
