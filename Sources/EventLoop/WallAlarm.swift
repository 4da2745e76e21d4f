internal import CLinux
internal import Glibc

/// Calls at a time of day, and whenever the clock is set: a timer of the kernel on the clock that people read. timerfd_create(2).
///
/// It also calls soon after the machine has slept over its time. It wakes nobody in between.
public actor WallAlarm: LoopActor {
  /// Where it waits.
  public nonisolated let loop: LoopExecutor
  private var watch: Watch?
  private let timer: TimerDescriptor
  private var ring: (@Sendable () -> Void)?

  // Not inlined into other modules: an actor with an isolated deinit is made where it is known whole.
  /// Makes an alarm that is not set.
  ///
  /// - Throws: `LoopError` when no descriptor is left.
  @_semantics("optimize.no.crossmodule")
  public init(loop: LoopExecutor) throws(LoopError) {
    self.loop = loop
    self.timer = try TimerDescriptor()
  }

  isolated deinit {}

  /// Says what is called, and begins to listen.
  public func connect(_ ring: @escaping @Sendable () -> Void) {
    self.ring = ring
    self.watch = self.watch(.descriptor(self.timer.descriptor), for: .readable) { alarm, _ in
      alarm.timer.acknowledge()
      alarm.ring?()
    }
  }

  /// Sets it anew.
  ///
  /// - Parameter instant: In nanoseconds since 1970; nil = only when the clock is set.
  public nonisolated func set(_ instant: Int64?) { self.post { $0.timer.arm(instant) } }
}

/// A timer of the kernel that tells by a descriptor.
private struct TimerDescriptor: ~Copyable, Sendable {
  /// Far enough to be never, near enough for the kernel: the year 2242.
  private static let never: Int64 = 8_589_934_592

  let descriptor: Int32

  init() throws(LoopError) {
    self.descriptor = kith_timerfd(CLOCK_REALTIME)
    guard self.descriptor >= 0 else { throw LoopError(call: "timerfd_create", code: errno) }
  }

  deinit { close(self.descriptor) }

  /// Sets the time; setting it anew also asks anew to be told of a clock that is set.
  func arm(_ instant: Int64?) {
    var value = itimerspec()
    // Zero would disarm it.
    let nanoseconds = max(1, instant ?? Self.never * 1_000_000_000)
    value.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
    value.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    // The value is read during the call, which fails for values that are none only.
    unsafe _ = kith_timerfd_settime(self.descriptor, 1, 1, &value)
  }

  /// Takes note of a call, so that the descriptor is quiet. A clock that was set is an error of this read: ECANCELED.
  func acknowledge() {
    var count: UInt64 = 0
    // Eight bytes, as the kernel wants.
    unsafe _ = read(self.descriptor, &count, 8)
  }
}
