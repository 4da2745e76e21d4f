import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

/// What a worker promises of the jobs that it holds, with time passed in.
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

  /// What it says of free slots: READY counts them all, CREDIT adds to them.
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
}
