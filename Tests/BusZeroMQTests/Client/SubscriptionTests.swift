import Bus
import BusZeroMQ
import EventLoop
import KithMessages
import TestKit
import Testing

@Suite("A subscription over ZeroMQ", .timeLimit(.minutes(5)))
struct SubscriptionTests {
  private let room: TestRoom
  private let log = Lock(EventLogModel(stream: "sync", epoch: "a"))

  init() throws { self.room = try TestRoom() }

  /// Answers Snapshot and Replay from the log.
  private func port(replays: Lock<Int> = Lock(0)) -> CannedPort {
    let log = self.log
    return CannedPort { command, _ throws(Failure) in
      switch command {
      case let request as SnapshotRequest: return log.withLock { $0.snapshot(request) }
      case let request as ReplayRequest:
        replays.withLock { $0 += 1 }
        return try log.withLock { $0.replay(request) }.get()
      default: throw .cancelled
      }
    }
  }

  /// Takes elements until the stream has the position of the log.
  private func follow(_ events: EventSequence, _ consumer: inout ConsumerModel, to sequence: UInt64) async throws {
    for try await element in events {
      consumer.take(element)
      if consumer.position.seq == sequence { return }
    }
    Issue.record("the subscription ended")
  }

  @Test("Snapshot, then live events; what the hub did not get through is replayed")
  func gaps() async throws {
    let hub = try await ScriptedHub.start(in: self.room)
    let (log, replays) = (self.log, Lock(0))
    for index in 0..<3 { log.withLock { _ = $0.append(key: "k\(index)") } }
    try await hub.setHead(log.withLock { $0.headMessage })
    let subscription = self.room.subscription(port: self.port(replays: replays))
    var consumer = ConsumerModel()
    try await self.follow(subscription.elements, &consumer, to: 3)
    for index in 0..<19 {
      let event = log.withLock { $0.append(key: "n\(index)") }
      if index != 7 { try await hub.publish(.event(event)) }
    }
    // For a subscription that has opened a new socket meanwhile, because no HEAD came for six seconds.
    try await hub.setHead(log.withLock { $0.headMessage })
    try await self.follow(subscription.elements, &consumer, to: 22)
    // The last event is lost too: only HEAD shows it.
    log.withLock { _ = $0.append(key: "n19") }
    try await hub.setHead(log.withLock { $0.headMessage })
    try await self.follow(subscription.elements, &consumer, to: 23)
    #expect(consumer.faults.isEmpty)
    #expect(consumer.events == Array(4...23))
    #expect(consumer.state == log.withLock { $0.state })
    #expect(replays.withLock { $0 } >= 2)
    await subscription.close()
  }

  @Test("A consumer that sleeps misses nothing, and what waits for it is bounded")
  func slowConsumer() async throws {
    let hub = try await ScriptedHub.start(in: self.room)
    let (log, replays) = (self.log, Lock(0))
    try await hub.setHead(log.withLock { $0.headMessage })
    let subscription = self.room.subscription(port: self.port(replays: replays))
    var consumer = ConsumerModel()
    log.withLock { _ = $0.append(key: "first") }
    try await hub.setHead(log.withLock { $0.headMessage })
    try await self.follow(subscription.elements, &consumer, to: 1)
    for index in 0..<5000 {
      let event = log.withLock { $0.append(key: "k\(index % 10)") }
      try await hub.publish(.event(event))
    }
    try await hub.setHead(log.withLock { $0.headMessage })
    try await self.follow(subscription.elements, &consumer, to: 5001)
    #expect(consumer.faults.isEmpty)
    #expect(consumer.resyncs.isEmpty)
    #expect(consumer.state == log.withLock { $0.state })
    await subscription.close()
  }

  @Test("A stream that may not be read ends the sequence with the hub's words")
  func refused() async throws {
    let hub = try await ScriptedHub.start(in: self.room)
    let refusal = Failure(.permissionDenied, "ROLE_NOT_ALLOWED", "no")
    let subscription = self.room.subscription(port: CannedPort { _, _ throws(Failure) in throw refusal })
    var iterator = subscription.elements.makeAsyncIterator()
    await #expect(throws: refusal) { _ = try await iterator.next() }
    #expect(await hub.subscriptions > 0)
  }

  @Test("Cancelling the consumer, or closing, ends the sequence")
  func ends() async throws {
    let port = self.port()
    let cancelled = self.room.subscription(port: port).elements
    let task = Task {
      for try await _ in cancelled {}
      return true
    }
    task.cancel()
    #expect(try await task.value)
    let closed = self.room.subscription(port: port)
    await closed.close()
    var iterator = closed.elements.makeAsyncIterator()
    #expect(try await iterator.next() == nil)
  }
}
