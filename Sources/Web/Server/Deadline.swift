internal import NIOCore

/// A time that often moves to a later one, and what is done when it has passed. It belongs to one event loop.
///
/// Its timer does not move along, which would cost more than what it bounds: it looks at its end whether the time has passed.
final class Deadline {
  private let loop: NIOIsolatedEventLoop
  private let act: () -> Void
  private var timer: Scheduled<Void>?

  /// nil = never.
  var time: ContinuousClock.Instant? {
    didSet { if self.timer == nil { self.wait() } }
  }

  /// Starts without a time.
  init(on loop: any EventLoop, act: @escaping () -> Void) {
    self.loop = loop.assumeIsolated()
    self.act = act
  }

  /// Ends it: nothing is done any more.
  func cancel() {
    self.time = nil
    self.timer?.cancel()
    self.timer = nil
  }

  private func wait() {
    guard let time = self.time else { return }
    self.timer = self.loop.scheduleTask(in: TimeAmount(max(.zero, time - .now))) { [weak self] in self?.look() }
  }

  private func look() {
    self.timer = nil
    guard let time = self.time, time <= .now else { return self.wait() }
    self.act()
  }
}
