import Bus
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import BusZeroMQ

/// A subscription whose hub answers immediately.
private struct Bench {
  var now = ContinuousClock.now
  var log = EventLogModel(stream: "sync", epoch: "a")
  var machine: GapRepair
  var consumer = ConsumerModel()
  var opens = 0
  var replays = 0
  var snapshots = 0
  var failure: Failure?
  /// The failure with which the next request is answered.
  var nextFailure: Failure?

  init(since: StreamPosition? = nil) {
    self.machine = GapRepair(streams: ["sync"], since: since.map { [$0] } ?? [])
    if let since { self.consumer.resume(at: since) }
    self.perform(self.machine.start(self.now))
  }

  mutating func head() { self.perform(self.machine.head(self.log.headMessage, self.now)) }

  mutating func publish(_ event: LoggedEvent) { self.perform(self.machine.event(event, self.now)) }

  mutating func wait(_ duration: Duration) {
    self.now += duration
    self.perform(self.machine.tick(self.now))
  }

  mutating func perform(_ directives: [GapRepair.Directive]) {
    for directive in directives {
      switch directive {
      case .open: self.opens += 1
      case .deliver(let element): self.consumer.take(element)
      case .fail(let failure): self.failure = failure
      case .replay(let request):
        self.replays += 1
        let outcome: Result<ReplayReply, Failure> =
          self.takeFailure().map { .failure($0) } ?? self.log.replay(request)
        self.perform(self.machine.replayed("sync", outcome, self.now))
      case .snapshot(let request):
        self.snapshots += 1
        let outcome: Result<SnapshotReply, Failure> =
          self.takeFailure().map { .failure($0) } ?? .success(self.log.snapshot(request, pageSize: 2))
        self.perform(self.machine.snapshotted("sync", outcome, self.now))
      }
    }
  }

  private mutating func takeFailure() -> Failure? {
    defer { self.nextFailure = nil }
    return self.nextFailure
  }
}

@Suite("Gap repair")
struct GapRepairTests {
  private func started(_ count: Int = 5) -> Bench {
    var bench = Bench()
    for index in 0..<count { bench.log.append(key: "k\(index)") }
    bench.head()
    return bench
  }

  private func position(_ sequence: UInt64, epoch: String = "a") -> StreamPosition {
    .with {
      $0.stream = "sync"
      $0.epoch = epoch
      $0.seq = sequence
    }
  }

  @Test("Begins with a snapshot after the first HEAD, page by page")
  func begins() {
    let bench = self.started(5)
    #expect(bench.opens == 1)
    #expect(bench.snapshots == 3)
    #expect(bench.consumer.state == bench.log.state)
    #expect(bench.consumer.position.seq == 5)
    #expect(bench.consumer.faults.isEmpty)
  }

  @Test("Passes on what follows, and drops repetitions")
  func live() {
    var bench = self.started()
    let six = bench.log.append(key: "k1")
    for _ in 0..<3 { bench.publish(six) }
    bench.publish(bench.log.append(key: "k2"))
    #expect(bench.consumer.events == [6, 7])
    #expect(bench.replays == 0)
  }

  @Test("Fills a gap by Replay, once, in order")
  func gap() {
    var bench = self.started()
    bench.log.append(key: "k1")
    bench.publish(bench.log.append(key: "k2"))
    #expect(bench.consumer.events == [6, 7])
    #expect(bench.replays == 1)
    #expect(bench.consumer.faults.isEmpty)
  }

  @Test("Sees the loss of the last event by HEAD")
  func tail() {
    var bench = self.started()
    bench.log.append(key: "k1")
    bench.head()
    #expect(bench.consumer.events == [6])
  }

  @Test("Goes on from a saved position")
  func saved() {
    var bench = Bench(since: self.position(2))
    for index in 0..<5 { bench.log.append(key: "k\(index)") }
    bench.head()
    #expect(bench.consumer.events == [3, 4, 5])
    #expect(bench.snapshots == 0)
  }

  @Test("Takes the present epoch for a number that a person typed")
  func typed() {
    var bench = Bench(since: self.position(0, epoch: ""))
    for index in 0..<3 { bench.log.append(key: "k\(index)") }
    bench.head()
    #expect(bench.consumer.events == [1, 2, 3])
  }

  @Test("Starts over where a saved position cannot be gone on from")
  func unusable() {
    for (since, cause) in [
      (self.position(9), StreamElement.Cause.hubBehind), (self.position(2, epoch: "x"), .newEpoch),
      (self.position(1), .compacted),
    ] {
      var bench = Bench(since: since)
      for index in 0..<5 { bench.log.append(key: "k\(index)") }
      bench.log.compact(keeping: 2)
      bench.head()
      #expect(bench.consumer.resyncs == [cause])
      #expect(bench.consumer.state == bench.log.state)
    }
  }

  @Test("Starts over when the log has begun anew")
  func newEpoch() {
    var bench = self.started()
    bench.log.restart(epoch: "b")
    bench.publish(bench.log.append(key: "n"))
    #expect(bench.consumer.resyncs == [.newEpoch])
    #expect(bench.consumer.state == bench.log.state)
    bench.log.restart(epoch: "c")
    bench.head()
    #expect(bench.consumer.resyncs == [.newEpoch, .newEpoch])
    #expect(bench.consumer.state.isEmpty)
  }

  @Test("A HEAD that waited while newer events were replayed is ignored, however many there are")
  func overtaken() {
    var bench = self.started()
    let waiting = bench.log.headMessage
    for index in 0..<4 { bench.log.append(key: "n\(index)") }
    bench.head()
    for _ in 0..<5 { bench.perform(bench.machine.head(waiting, bench.now)) }
    #expect(bench.consumer.resyncs.isEmpty)
    #expect(bench.consumer.position.seq == 9)
    #expect(bench.replays == 1)
    bench.publish(bench.log.append(key: "k1"))
    #expect(bench.consumer.events == [6, 7, 8, 9, 10])
  }

  @Test("A HEAD of another hub that is behind is checked by Replay: its log may have the position")
  func restarted() {
    var bench = self.started()
    bench.log.hubInstance = "second"
    let waiting = bench.log.headMessage
    bench.log.append(key: "k1")
    // The event of the previous hub is still live; the log of the next hub has it too.
    bench.publish(bench.log.append(key: "k2"))
    bench.perform(bench.machine.head(waiting, bench.now))
    #expect(bench.consumer.resyncs.isEmpty)
    #expect(bench.replays == 2)
    #expect(bench.consumer.events == [6, 7])
  }

  @Test("Starts over where another hub runs on an older copy of the log")
  func behind() {
    var bench = self.started()
    bench.log = EventLogModel(stream: "sync", epoch: "a")
    bench.log.hubInstance = "second"
    bench.head()
    #expect(bench.consumer.resyncs == [.hubBehind])
    #expect(bench.consumer.position.seq == 0)
  }

  @Test("Takes a new socket after six seconds without HEAD")
  func silence() {
    var bench = self.started()
    bench.wait(.seconds(5))
    bench.head()
    bench.wait(.milliseconds(5999))
    #expect(bench.opens == 1)
    bench.wait(.milliseconds(1))
    #expect(bench.opens == 2)
    bench.wait(.seconds(6))
    #expect(bench.opens == 3)
  }

  @Test("Asks again after two seconds when nobody answers, and keeps what came meanwhile")
  func retry() {
    var bench = self.started()
    bench.log.append(key: "k1")
    bench.nextFailure = Failure(.unavailable, "SHUTTING_DOWN", "")
    bench.publish(bench.log.append(key: "k2"))
    #expect(bench.replays == 1)
    bench.publish(bench.log.append(key: "k3"))
    #expect(bench.consumer.events.isEmpty)
    bench.wait(.seconds(2))
    #expect(bench.replays == 2)
    #expect(bench.consumer.events == [6, 7, 8])
  }

  @Test("Ends where asking is not allowed")
  func refused() {
    var bench = Bench()
    bench.nextFailure = Failure(.permissionDenied, "ROLE_NOT_ALLOWED", "")
    bench.head()
    #expect(bench.failure?.reason == "ROLE_NOT_ALLOWED")
  }

  @Test("Says that it is too slow at the third repair in a minute, and polls until it calms down")
  func tooSlow() {
    var bench = self.started()
    for _ in 0..<3 {
      bench.log.append(key: "lost")
      bench.publish(bench.log.append(key: "k1"))
    }
    #expect(bench.replays == 2)
    #expect(bench.consumer.resyncs == [.tooSlow])
    #expect(bench.consumer.state == bench.log.state)
    let snapshots = bench.snapshots
    bench.publish(bench.log.append(key: "k2"))
    #expect(bench.consumer.state != bench.log.state)
    bench.wait(.seconds(10))
    #expect(bench.snapshots > snapshots)
    #expect(bench.consumer.state == bench.log.state)
    for _ in 0..<5 { bench.wait(.seconds(10)) }
    bench.publish(bench.log.append(key: "k3"))
    #expect(bench.consumer.state == bench.log.state)
    #expect(bench.consumer.faults.isEmpty)
  }

  @Test(
    "Whatever is lost, repeated, reordered or begun anew, it ends equal to the log", arguments: 0..<200 as Range<UInt64>
  )
  func walk(seed: UInt64) {
    var walk = RandomWalk(seed: seed)
    for _ in 0..<400 { walk.step() }
    walk.settle()
    #expect(walk.consumer.faults.isEmpty, "seed \(seed)")
    #expect(walk.consumer.state == walk.log.state, "seed \(seed)")
    #expect(walk.consumer.position == walk.log.position, "seed \(seed)")
  }
}

/// A subscription on an unreliable connection: messages are delayed, lost, repeated and reordered; answers may be late or
/// missing.
private struct RandomWalk {
  private enum Message {
    case event(LoggedEvent)
    case head(Head)
  }

  private var random: SeededGenerator
  private var now = ContinuousClock.now
  private var machine = GapRepair(streams: ["sync"])
  private var wire: [Message] = []
  private var questions: [GapRepair.Directive] = []
  private var epochs = 1
  private(set) var log = EventLogModel(stream: "sync", epoch: "1")
  private(set) var consumer = ConsumerModel()

  init(seed: UInt64) {
    self.random = SeededGenerator(seed: seed)
    self.perform(self.machine.start(self.now))
  }

  mutating func step() {
    switch Int.random(in: 0..<100, using: &self.random) {
    case 0..<35: self.wire.append(.event(self.log.append(key: "k\(Int.random(in: 0..<6, using: &self.random))")))
    case 35..<45: self.wire.append(.head(self.log.headMessage))
    case 45..<70: if !self.wire.isEmpty { self.receive(self.wire.removeFirst()) }
    case 70..<74: if !self.wire.isEmpty { self.wire.removeFirst() }
    case 74..<77: if let message = self.wire.first { self.wire.append(message) }
    case 77..<80: self.wire.shuffle(using: &self.random)
    case 80..<92: self.answer(failing: Int.random(in: 0..<5, using: &self.random) == 0)
    case 92..<97: self.pass(.milliseconds(Int.random(in: 1...4000, using: &self.random)))
    case 97: self.log.hubInstance = "hub \(UInt64.random(in: 0..<UInt64.max, using: &self.random))"
    case 98: self.log.compact(keeping: Int.random(in: 0..<10, using: &self.random))
    default:
      self.epochs += 1
      self.log.restart(epoch: "\(self.epochs)")
    }
  }

  /// The connection becomes reliable: two minutes without new events.
  mutating func settle() {
    while !self.wire.isEmpty { self.receive(self.wire.removeFirst()) }
    for _ in 0..<60 {
      self.pass(.seconds(2))
      self.receive(.head(self.log.headMessage))
      while !self.questions.isEmpty { self.answer(failing: false) }
    }
  }

  private mutating func receive(_ message: Message) {
    switch message {
    case .event(let event): self.perform(self.machine.event(event, self.now))
    case .head(let head): self.perform(self.machine.head(head, self.now))
    }
  }

  private mutating func pass(_ duration: Duration) {
    self.now += duration
    self.perform(self.machine.tick(self.now))
  }

  private mutating func answer(failing: Bool) {
    guard !self.questions.isEmpty else { return }
    let lost = Failure(.deadlineExceeded, "RUNNING_TOO_LONG", "")
    switch self.questions.removeFirst() {
    case .replay(let request):
      let outcome = failing ? .failure(lost) : self.log.replay(request, pageSize: 7)
      self.perform(self.machine.replayed("sync", outcome, self.now))
    case .snapshot(let request):
      let outcome: Result<SnapshotReply, Failure> =
        failing ? .failure(lost) : .success(self.log.snapshot(request, pageSize: 4))
      self.perform(self.machine.snapshotted("sync", outcome, self.now))
    case .open, .deliver, .fail: break
    }
  }

  private mutating func perform(_ directives: [GapRepair.Directive]) {
    for directive in directives {
      switch directive {
      case .deliver(let element): self.consumer.take(element)
      case .replay, .snapshot: self.questions.append(directive)
      case .open, .fail: break
      }
    }
  }
}
