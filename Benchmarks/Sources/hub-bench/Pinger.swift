import BusZeroMQ
import EventLoop
import KithMessages

/// Pings from the loop itself, as an actor that lives there would.
actor Pinger: LoopActor {
  nonisolated let loop: LoopExecutor
  private let port: ZeroMQPort
  private var samples = Samples()
  private var finished: CheckedContinuation<Samples, Never>?

  init(loop: LoopExecutor, port: ZeroMQPort) {
    self.loop = loop
    self.port = port
  }

  func run(_ count: Int, warmUp: Int) async -> Samples {
    await withCheckedContinuation { continuation in
      self.finished = continuation
      self.next(count, warmUp)
    }
  }

  private func next(_ left: Int, _ warmUp: Int) {
    guard left > 0 else {
      self.finished?.resume(returning: self.samples)
      return
    }
    let begin = ContinuousClock.now
    self.port.assumeIsolated { port in
      port.start(PingRequest()) { _ in
        self.assumeIsolated {
          if warmUp <= 0 { $0.samples.add(begin.duration(to: .now)) }
          $0.next(left - 1, warmUp - 1)
        }
      }
    }
  }
}
