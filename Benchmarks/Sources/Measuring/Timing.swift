import Glibc

/// How long something takes that is done again and again.
public enum Timing {
  /// Does something so many times, after a tenth of that for warmth, and prints how long it took.
  ///
  /// - Parameter body: Gets the number of its round.
  public static func run(_ name: String, rounds: Int, _ body: (Int) async throws -> Void) async throws {
    let clock = ContinuousClock()
    var times: [Duration] = []
    let processorTime = Self.processorTime()
    for round in 0..<rounds + rounds / 10 {
      let start = clock.now
      try await body(round)
      if round >= rounds / 10 { times.append(clock.now - start) }
    }
    let processor = (Self.processorTime() - processorTime) / (rounds + rounds / 10)
    times.sort()
    let columns = [times[rounds / 2], times[rounds * 99 / 100]].map { Int($0 / .microseconds(1)) }
    print("\(name): p50 \(columns[0]) us, p99 \(columns[1]) us, processor \(processor) us")
  }

  /// Microseconds that all threads of the process have run.
  public static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
  }
}
