internal import CLinux
internal import Glibc

/// Calls a closure at a time of day and whenever the clock is set, by a kernel timer. timerfd_create(2).
///
/// It also calls soon after the machine has slept past the time. It causes no wake-ups in between.
///
/// ```swift
/// let alarm = try WallAlarm(loop: loop)
/// await alarm.connect { print("ring") }
/// alarm.set(instant)
/// ```
public actor WallAlarm: LoopActor {
  /// The event loop of the alarm.
  public nonisolated let loop: LoopExecutor
  private var watch: Watch?
  private let timer: TimerDescriptor
  private var ring: (@Sendable () -> Void)?

  // Not inlined into other modules: the optimizer fails there on actors with an isolated deinit.
  /// Makes an alarm that is not set.
  ///
  /// - Throws: `LoopError` if no descriptor is left.
  @_semantics("optimize.no.crossmodule")
  public init(loop: LoopExecutor) throws(LoopError) {
    self.loop = loop
    self.timer = try TimerDescriptor()
  }

  isolated deinit {}

  /// Sets the closure and starts to listen.
  public func connect(_ ring: @escaping @Sendable () -> Void) {
    self.ring = ring
    self.watch = self.watch(.descriptor(self.timer.descriptor), for: .readable) { alarm, _ in
      alarm.timer.acknowledge()
      alarm.ring?()
    }
  }

  /// Sets the time.
  ///
  /// - Parameter instant: In nanoseconds since 1970; nil = call only when the clock is set.
  public nonisolated func set(_ instant: Int64?) { self.post { $0.timer.arm(instant) } }
}

/// A kernel timer with a descriptor.
private struct TimerDescriptor: ~Copyable, Sendable {
  /// A time that is never reached and that the kernel accepts: the year 2242.
  private static let never: Int64 = 8_589_934_592

  let descriptor: Int32

  init() throws(LoopError) {
    self.descriptor = kith_timerfd(CLOCK_REALTIME)
    guard self.descriptor >= 0 else { throw LoopError(call: "timerfd_create", code: errno) }
  }

  deinit { close(self.descriptor) }

  /// Sets the time, and asks the kernel to report when the clock is set.
  func arm(_ instant: Int64?) {
    var value = itimerspec()
    // Zero would disarm it.
    let nanoseconds = max(1, instant ?? Self.never * 1_000_000_000)
    value.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
    value.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    // The value is read during the call, which fails for values that are none only.
    unsafe _ = kith_timerfd_settime(self.descriptor, 1, 1, &value)
  }

  /// Reads the expiration, so that the descriptor is no longer readable. A clock that was set is an error: ECANCELED.
  func acknowledge() {
    var count: UInt64 = 0
    // Eight bytes, as the kernel wants.
    unsafe _ = read(self.descriptor, &count, 8)
  }
}
