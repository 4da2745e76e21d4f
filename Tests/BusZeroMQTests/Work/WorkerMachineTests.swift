import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

/// The rules of a worker about its jobs, with time passed in.
struct WorkerMachineTests {
  private let start = ContinuousClock.now

  /// A worker that was welcomed and has one job.
  private func working() -> (WorkerMachine, Job) {
    var machine = WorkerMachine(
      WorkerMachine.Identity(name: "one", instance: "a", capabilities: ["kith.v1.Transcriber/Transcribe"], slots: 1),
      now: self.start)
    _ = machine.start(now: self.start)
    var welcome = Welcome()
    welcome.heartbeat = .with { $0.nanos = 500_000_000 }
    welcome.lease = .with { $0.seconds = 30 }
    _ = machine.receive(.welcome(welcome), now: self.start)
    let job = Job.with {
      $0.jobID = "job"
      $0.leaseID = "lease"
      $0.attempt = 1
    }
    #expect(machine.receive(.job(job, [1]), now: self.start) == [.run(job, [1])])
    return (machine, job)
  }

  private func goodbye(after seconds: Int64) -> WorkMessage {
    var message = Disconnect()
    message.status = Failure(.unavailable, "SHUTTING_DOWN", "").status
    message.reconnectAfter = .with { $0.seconds = seconds }
    return .disconnect(message)
  }

  @Test(arguments: [[], ["lease"]]) func whatHasEndedIsKeptUntilTheHubHasIt(lost: [String]) {
    var (machine, _) = self.working()
    _ = machine.ended("lease", WorkResult(), [7], now: self.start)
    _ = machine.receive(self.goodbye(after: 1), now: self.start)
    let later = self.start + .seconds(300)
    for second in 1...300 { _ = machine.tick(self.start + .seconds(second)) }
    #expect(machine.leases == ["lease"])
    // Also where the hub has given the job to another: the first end counts.
    let again = machine.receive(.welcome(.with { $0.lostLeaseIds = lost }), now: later)
    #expect(again.contains { if case .send(.final(_, [7]), _) = $0 { true } else { false } })
    _ = machine.receive(.ack(.with { $0.leaseID = "lease" }), now: later)
    #expect(machine.leases.isEmpty)
  }

  @Test func aJobThatIsLostStops() {
    var (machine, _) = self.working()
    let directives = machine.receive(.welcome(.with { $0.lostLeaseIds = ["lease"] }), now: self.start)
    #expect(directives.contains(.stop(lease: "lease")) && machine.leases.isEmpty)
  }

  /// The free slots that it reports: READY counts all, CREDIT adds to them.
  private func slots(_ directives: [WorkerMachine.Directive]) -> [UInt32] {
    directives.compactMap { directive in
      switch directive {
      case .send(.ready(let ready), _): ready.credit
      case .send(.credit(let credit), _): credit.add
      default: nil
      }
    }
  }

  @Test func theSlotOfAJobIsTakenUntilItsBatchesAreStored() {
    var (machine, job) = self.working()
    _ = machine.batch("lease", [1], checkpoint: [1], now: self.start)
    #expect(machine.ended("lease", WorkResult(), [], now: self.start).isEmpty)
    let now = self.start + .seconds(10)
    _ = machine.receive(.heartbeat(Heartbeat()), now: now)
    #expect(self.slots(machine.tick(now)) == [0])
    var stored = LeaseUpdate()
    stored.leaseID = job.leaseID
    stored.committedBatch = 1
    #expect(self.slots(machine.receive(.lease(stored), now: now)) == [1])
    #expect(self.slots(machine.receive(.ack(.with { $0.leaseID = "lease" }), now: now)).isEmpty)
  }

  @Test func theSlotOfAJobThatIsLostWithItsLastBatchIsFree() {
    var (machine, _) = self.working()
    _ = machine.batch("lease", [1], checkpoint: [1], now: self.start)
    _ = machine.ended("lease", WorkResult(), [], now: self.start)
    #expect(self.slots(machine.receive(.cancel(.with { $0.leaseID = "lease" }), now: self.start)) == [1])
  }

  @Test func aJobTooManyIsGivenBackAndFreesNothing() {
    var (machine, _) = self.working()
    let other = Job.with {
      $0.jobID = "other"
      $0.leaseID = "other"
    }
    let refusal = machine.receive(.job(other, []), now: self.start)
    guard case .send(.final(let result, _), _)? = refusal.first else {
      Issue.record("\(refusal)")
      return
    }
    #expect(result.status.reason == "NO_CREDIT" && result.retryable && result.leaseID == "other")
    #expect(refusal.count == 1 && self.slots(refusal).isEmpty)
    #expect(self.slots(machine.receive(.ack(.with { $0.leaseID = "other" }), now: self.start)).isEmpty)
    #expect(machine.leases == ["lease"])
  }

  @Test func aJobStopsByTheOwnClock() {
    var (machine, _) = self.working()
    _ = machine.receive(self.goodbye(after: 1), now: self.start)
    #expect(!machine.tick(self.start + .milliseconds(25_400)).contains(.stop(lease: "lease")))
    #expect(machine.tick(self.start + .milliseconds(25_600)).contains(.stop(lease: "lease")))
  }

  @Test(arguments: [false, true]) func itSleepsWhileTheHubIsAway(hasEnded: Bool) {
    var (machine, _) = self.working()
    if hasEnded { _ = machine.ended("lease", WorkResult(), [], now: self.start) }
    _ = machine.receive(self.goodbye(after: 60), now: self.start)
    var (now, ticks) = (self.start, 0)
    while now < self.start + .seconds(40), ticks < 1000 {
      _ = machine.tick(now)
      ticks += 1
      now = max(now, machine.wakeAt)
    }
    #expect(ticks < 200, "a turn for each heartbeat and no more")
  }

  // MARK: - Slots

  private func kinds(_ directives: [WorkerMachine.Directive]) -> [WorkKind] {
    directives.compactMap { if case .send(let message, _) = $0 { message.kind } else { nil } }
  }

  /// Its directives at that time; the hub is connected.
  private func tick(_ machine: inout WorkerMachine, after seconds: Double) -> [WorkerMachine.Directive] {
    let now = self.start + .seconds(seconds)
    _ = machine.receive(.heartbeat(Heartbeat()), now: now)
    return machine.tick(now)
  }

  private func ready(_ directives: [WorkerMachine.Directive]) -> Ready? {
    directives.lazy.compactMap { if case .send(.ready(let ready), _) = $0 { ready } else { nil } }.first
  }

  private func end(_ directives: [WorkerMachine.Directive]) -> WorkResult? {
    directives.lazy.compactMap { if case .send(.final(let result, _), _) = $0 { result } else { nil } }.first
  }

  @Test func aSlotIsFreeAgainWhenItsJobHasEnded() {
    var (machine, _) = self.working()
    #expect(self.ready(self.tick(&machine, after: 10))?.credit == 0)
    let directives = machine.ended("lease", WorkResult(), [7], now: self.start + .seconds(11))
    #expect(self.kinds(directives) == [.final, .credit])
    // The end is sent again, but not the CREDIT.
    #expect(self.kinds(self.tick(&machine, after: 16)).filter { [.final, .credit].contains($0) } == [.final])
    let ready = self.ready(self.tick(&machine, after: 20))
    #expect(ready?.credit == 1 && ready?.held.map(\.leaseID) == ["lease"])
  }

  @Test func aJobThatIsCancelledFreesItsSlot() {
    var (machine, _) = self.working()
    let directives = machine.receive(.cancel(.with { $0.leaseID = "lease" }), now: self.start)
    #expect(directives.first == .stop(lease: "lease") && self.kinds(directives) == [.credit])
  }

  @Test func whatHasNoSlotIsGivenBack() {
    var (machine, _) = self.working()
    let other = Job.with { $0.leaseID = "other" }
    let directives = machine.receive(.job(other, []), now: self.start)
    let end = self.end(directives)
    #expect(end?.status.reason == "NO_CREDIT" && end?.retryable == true)
    #expect(!directives.contains { if case .run = $0 { true } else { false } })
  }

  // MARK: - Batches

  @Test func twoBatchesAreUnderWayAndAreSaidAgain() {
    var (machine, _) = self.working()
    let first = machine.batch("lease", [1], checkpoint: [1], now: self.start)
    #expect(first.contains(.goOn(lease: "lease")))
    let second = machine.batch("lease", [2], checkpoint: [2], now: self.start)
    #expect(self.kinds(second) == [.partial] && !second.contains(.goOn(lease: "lease")))
    #expect(self.kinds(self.tick(&machine, after: 5)).filter { $0 == .partial }.count == 2)
    let stored = LeaseUpdate.with {
      $0.leaseID = "lease"
      $0.committedBatch = 1
    }
    #expect(machine.receive(.lease(stored), now: self.start + .seconds(5)).contains(.goOn(lease: "lease")))
    #expect(self.kinds(self.tick(&machine, after: 10)).filter { $0 == .partial }.count == 1)
  }

  @Test func whatIsStoredIsLetGo() {
    var (machine, _) = self.working()
    let (first, second) = (BlobRef.with { $0.sha256 = "first" }, BlobRef.with { $0.sha256 = "second" })
    _ = machine.batch("lease", [], checkpoint: [], outputs: [first], now: self.start)
    _ = machine.batch("lease", [], checkpoint: [], outputs: [second], now: self.start)
    func stored(_ number: UInt32) -> [WorkerMachine.Directive] {
      let update = LeaseUpdate.with {
        $0.leaseID = "lease"
        $0.committedBatch = number
      }
      return machine.receive(.lease(update), now: self.start)
    }
    #expect(stored(1).contains(.letGo(lease: "lease", blobs: [first])))
    // The same bytes once more: they are still needed.
    _ = machine.batch("lease", [], checkpoint: [], outputs: [second], now: self.start)
    #expect(!stored(2).contains { if case .letGo = $0 { true } else { false } })
    #expect(stored(3).contains(.letGo(lease: "lease", blobs: [second])))
  }

  @Test func theEndWaitsForItsBatches() {
    var (machine, _) = self.working()
    _ = machine.batch("lease", [1], checkpoint: [], now: self.start)
    #expect(machine.ended("lease", WorkResult(), [7], now: self.start).isEmpty)
    let stored = LeaseUpdate.with {
      $0.leaseID = "lease"
      $0.committedBatch = 1
    }
    #expect(self.kinds(machine.receive(.lease(stored), now: self.start)).contains(.final))
  }

  @Test func aNewSessionHearsEverythingAgain() {
    var (machine, _) = self.working()
    _ = machine.batch("lease", [1], checkpoint: [], now: self.start)
    _ = machine.receive(self.goodbye(after: 1), now: self.start)
    let back = machine.receive(.welcome(Welcome()), now: self.start + .seconds(2))
    #expect(self.kinds(back) == [.partial] && back.contains(.resumeTransfers))
    // The same session has lost nothing.
    #expect(machine.receive(.welcome(Welcome()), now: self.start + .seconds(3)).isEmpty)
  }

  // MARK: - Draining

  @Test func whoHasNothingLeavesAtOnce() {
    let identity = WorkerMachine.Identity(name: "one", instance: "a", capabilities: [], slots: 1)
    var machine = WorkerMachine(identity, now: self.start)
    let directives = machine.drain(grace: .seconds(30), now: self.start)
    #expect(self.kinds(directives) == [.drain, .disconnect] && directives.last == .left(nil))
    #expect(machine.drain(grace: .seconds(30), now: self.start).isEmpty)
  }

  @Test func whoDrainsEndsWhatItHasAndTakesNoMore() {
    var (machine, _) = self.working()
    #expect(self.kinds(machine.drain(grace: .seconds(30), now: self.start)) == [.drain])
    let refusal = self.end(machine.receive(.job(.with { $0.leaseID = "other" }, []), now: self.start))
    // It was not started, so another worker may get it, even if it must run at most once.
    #expect(refusal?.status.reason == "NO_CREDIT" && refusal?.retryable == true)
    _ = machine.receive(.ack(.with { $0.leaseID = "other" }), now: self.start)
    #expect(self.ready(self.tick(&machine, after: 10))?.credit == 0)
    // Its slot is not offered.
    #expect(self.kinds(machine.ended("lease", WorkResult(), [7], now: self.start + .seconds(11))) == [.final])
    let last = machine.receive(.ack(.with { $0.leaseID = "lease" }), now: self.start + .seconds(12))
    #expect(self.kinds(last) == [.disconnect] && last.last == .left(nil))
  }

  @Test func whatIsNotDoneInTimeGoesBack() {
    var (machine, _) = self.working()
    _ = machine.batch("lease", [1], checkpoint: [], now: self.start)
    _ = machine.drain(grace: .seconds(3), now: self.start)
    #expect(self.end(self.tick(&machine, after: 2.999)) == nil)
    let directives = self.tick(&machine, after: 3)
    let end = self.end(directives)
    #expect(directives.contains(.stop(lease: "lease")) && end?.status.reason == "DRAINING" && end?.retryable == true)
    // The hub has five seconds to acknowledge.
    #expect(machine.wakeAt <= self.start + .seconds(8))
    #expect(!self.tick(&machine, after: 7.999).contains(.left(nil)))
    #expect(self.tick(&machine, after: 8).last == .left(nil))
  }
}
