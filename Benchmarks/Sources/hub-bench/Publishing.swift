import Bus
import BusZeroMQ
import EventLoop
import Glibc
import KithMessages
import Logging
import Storage
import ZeroMQ

/// Measures the way of events from the end of COMMIT to subscribers, with the hub's store and events plane in this process.
///
/// A daemon cannot be asked when its COMMIT ended: the stamp of an event is made before.
final class Publishing: Sendable {
  private let directory: String
  private let subscribers: Int
  /// When COMMIT ended for each event, in nanoseconds since 1970.
  private let commits = Lock<[UInt64: Int64]>([:])

  init(directory: String, subscribers: Int) {
    self.directory = "\(directory)/publishing.\(subscribers)"
    self.subscribers = subscribers
  }

  func run(events: Int) async throws -> Samples {
    let loop = try LoopExecutor(name: "bench-bus", poller: Poller(), logger: quiet)
    let context = try Context()
    let access = AccessPolicy(ownUserID: geteuid(), users: [:], logger: quiet)
    let zap = try await ZAPHandler.start(context: context, loop: loop, logger: quiet) { access.decide($0) }
    let plane = Lock<EventsPlane?>(nil)
    let storage = try StorageActor(directory: self.directory, logger: quiet) { logged in
      let now = WallClock.nanoseconds()
      self.commits.withLock { commits in for event in logged { commits[event.header.seq] = now } }
      plane.withLock({ $0 })?.publish(logged)
    }
    let eventsPlane = try EventsPlane(
      context: context, loop: loop, heads: storage.heads(), hubInstance: "bench", access: access, logger: quiet)
    plane.withLock { $0 = eventsPlane }
    let endpoint = try IPCEndpoint(path: "\(self.directory)/events.sock")
    try await eventsPlane.bind(endpoint)

    let listening = try LoopExecutor(name: "bench-sub", poller: Poller(), logger: quiet)
    let listeners = try Listeners(
      loop: listening, endpoint: endpoint.url, stream: "system", count: self.subscribers
    ) { header in self.commits.withLock { $0[header.seq] ?? 0 } }
    try await listeners.start()
    var samples = Samples()
    for number in 1...events {
      try await storage.write { transaction throws(Failure) in
        var event = Event()
        event.system.kind = "bench"
        try transaction.emit(event, on: "system")
      }
      // One at a time: how long a way is, not how much goes over it.
      samples = await listeners.collect(events: number)
    }
    await listeners.close()
    await eventsPlane.close()
    withExtendedLifetime(zap) {}
    await storage.close()
    return samples
  }
}
