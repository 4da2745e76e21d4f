import Bus
import EventLoop
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import BusZeroMQ

/// The promises of the work plane about leases, with time passed in.
struct LeaseTableTests {
  let start = ContinuousClock.now
  let method = "kith.v1.Transcriber/Transcribe"

  func record(_ id: String = "job", service: String = "kith.v1.Transcriber/Transcribe") -> JobRecord {
    JobRecord(id: id, key: id, isKept: false, service: service, command: [1], inputs: [], createdAt: 0)
  }

  func ready(_ name: String = "one", _ instance: String = "a", credit: UInt32 = 1, held: [Held] = []) -> Ready {
    var ready = Ready()
    ready.workerName = name
    ready.instanceID = instance
    ready.credit = credit
    ready.held = held
    return ready
  }

  func table() -> LeaseTable {
    let numbers = Lock(0)
    return LeaseTable {
      let number = numbers.withLock { count in
        count += 1
        return count
      }
      return "id-\(number)"
    }
  }

  /// Commits changes immediately.
  func settle(
    _ table: inout LeaseTable, _ directives: [LeaseTable.Directive], at now: ContinuousClock.Instant
  ) -> [LeaseTable.Directive] {
    var (rest, done) = (directives[...], [LeaseTable.Directive]())
    while let directive = rest.popFirst() {
      if case .store(let record, let stored) = directive { rest += table.stored(record.id, stored, now: now) }
      done.append(directive)
    }
    return done
  }

  /// A table with one worker that has one job.
  func leased(once: Bool = false) -> (LeaseTable, Job) {
    var table = self.table()
    _ = self.settle(
      &table, table.ready(self.ready(), from: [1], principal: "uid:1", services: [self.method], now: self.start),
      at: self.start)
    let done = self.settle(&table, table.add(self.record(), isOnce: once, now: self.start), at: self.start)
    guard case .give(_, let job)? = done.last else {
      Issue.record("no job was given: \(done)")
      return (table, Job())
    }
    return (table, job)
  }

  func end(_ job: Job, _ failure: Failure? = nil, retryable: Bool = false) -> WorkResult {
    var result = WorkResult()
    result.jobID = job.jobID
    result.attempt = job.attempt
    result.leaseID = job.leaseID
    if let failure { result.status = failure.status }
    result.retryable = retryable
    return result
  }

  func states(_ directives: [LeaseTable.Directive]) -> [JobState] {
    directives.compactMap { if case .store(let record, _) = $0 { record.state } else { nil } }
  }

  @Test func nothingIsSentBeforeItsLeaseIsStored() {
    var table = self.table()
    _ = table.ready(self.ready(), from: [1], principal: "uid:1", services: [self.method], now: self.start)
    let granted = table.add(self.record(), isOnce: false, now: self.start)
    guard case .store(let record, let stored)? = granted.first, granted.count == 1 else {
      Issue.record("\(granted)")
      return
    }
    #expect(record.state == .leased && record.attempt == 1)
    guard case .give(let peer, let job)? = table.stored(record.id, stored, now: self.start).first else {
      Issue.record("no job was given")
      return
    }
    #expect(peer == [1] && job.attempt == 1 && job.leaseID == record.leaseID)
    #expect(table.workers[[1]]?.credit == 0)
  }

  @Test func aSecondEndIsADuplicate() {
    var (table, job) = self.leased()
    let first = self.settle(&table, table.final(self.end(job), [7], from: [1], now: self.start), at: self.start)
    #expect(self.states(first) == [.done])
    #expect(first.contains(.send([1], LeaseTable.ack("job", job.leaseID, isDuplicate: false))))
    #expect(first.contains { if case .conclude(let record) = $0 { record.reply == [7] } else { false } })
    let second = table.final(self.end(job), [7], from: [1], now: self.start)
    #expect(second == [.send([1], LeaseTable.ack("job", job.leaseID, isDuplicate: true))])
  }

  @Test func aWorkerThatIsRestartedLosesItsJobAtOnce() {
    var (table, job) = self.leased()
    let now = self.start + .seconds(2)
    let done = self.settle(
      &table, table.ready(self.ready("one", "b"), from: [2], principal: "uid:1", services: [self.method], now: now),
      at: now)
    #expect(self.states(done) == [.queued, .leased])
    guard case .give(let peer, let again)? = done.last else {
      Issue.record("\(done)")
      return
    }
    #expect(peer == [2] && again.jobID == job.jobID && again.attempt == 2 && again.leaseID != job.leaseID)
  }

  @Test func aWorkerThatComesBackWithinTheGraceKeepsItsJob() {
    var (table, job) = self.leased()
    table.unreachable([1], now: self.start)
    var held = Held()
    held.jobID = job.jobID
    held.attempt = 1
    held.leaseID = job.leaseID
    let now = self.start + .seconds(9)
    #expect(self.states(table.tick(now)).isEmpty)
    let done = table.ready(
      self.ready("one", "a", credit: 0, held: [held]), from: [2], principal: "uid:1", services: [self.method], now: now)
    #expect(
      done.contains { if case .send([2], .welcome(let welcome)) = $0 { welcome.lostLeaseIds.isEmpty } else { false } })
    let ended = table.final(self.end(job), [], from: [2], now: now)
    #expect(self.states(ended) == [.done])
    #expect(table.jobs["job"]?.record.attempt == 1)
  }

  @Test func aWorkerThatStaysAwayLosesItsJobAfterTheGrace() {
    var (table, _) = self.leased()
    table.unreachable([1], now: self.start)
    #expect(self.states(table.tick(self.start + .milliseconds(9_999))).isEmpty)
    #expect(self.states(table.tick(self.start + .seconds(10))) == [.queued])
  }

  @Test func silenceOfFourHeartbeatsIsAnEndAsWell() {
    var (table, _) = self.leased()
    _ = table.tick(self.start + .seconds(10))
    #expect(table.workers.sessions.isEmpty)
    #expect(self.states(table.tick(self.start + .seconds(20))) == [.queued])
  }

  @Test func theEndOfALostLeaseCountsWhenItIsFirst() {
    var (table, job) = self.leased()
    let now = self.start + .seconds(21)
    _ = self.settle(&table, table.tick(self.start + .seconds(10)), at: now)
    _ = self.settle(&table, table.tick(self.start + .seconds(20)), at: now)
    let second = self.settle(
      &table, table.ready(self.ready("two", "b"), from: [2], principal: "uid:1", services: [self.method], now: now),
      at: now)
    guard case .give(_, let again)? = second.last else {
      Issue.record("\(second)")
      return
    }
    // The first worker returns: its session is unknown, it sends READY, and reports its end.
    _ = table.ready(self.ready("one", "a", credit: 0), from: [3], principal: "uid:1", services: [self.method], now: now)
    let late = self.settle(&table, table.final(self.end(job), [], from: [3], now: now), at: now)
    #expect(
      late.contains { if case .send([2], .cancel(let cancel)) = $0 { cancel.leaseID == again.leaseID } else { false } })
    #expect(late.contains(.send([3], LeaseTable.ack("job", job.leaseID, isDuplicate: false))))
    #expect(
      table.final(self.end(again), [], from: [2], now: now)
        == [.send([2], LeaseTable.ack("job", again.leaseID, isDuplicate: true))])
  }

  @Test func fiveLossesEndAJobWithGrowingPauses() {
    var (table, job) = self.leased()
    var now = self.start
    var waits: [Duration] = []
    for loss in 1...5 {
      let failed = self.end(job, Failure(.internal, "WORKER_FAULT", "It failed."), retryable: true)
      var done = self.settle(&table, table.final(failed, [], from: [1], now: now), at: now)
      guard loss < 5 else {
        #expect(self.states(done) == [.dead])
        #expect(table.jobs.isEmpty)
        break
      }
      _ = table.credit(.with { $0.add = 1 }, from: [1], now: now)
      let began = now
      while true {
        now += .milliseconds(500)
        _ = table.heartbeat(Heartbeat(), from: [1], now: now)
        done = self.settle(&table, table.tick(now), at: now)
        if case .give(_, let next)? = done.last {
          job = next
          break
        }
        guard now < began + .seconds(60) else {
          Issue.record("the job was not given again")
          return
        }
      }
      waits.append(now - began)
    }
    #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
  }

  @Test func whatMayHappenOnceIsNeverRepeated() {
    var (table, job) = self.leased(once: true)
    table.unreachable([1], now: self.start)
    // Its worker may only be disconnected from the hub. It stops by its own clock before the lease ends.
    #expect(self.states(table.tick(self.start + .milliseconds(29_999))).isEmpty)
    let lost = self.settle(&table, table.tick(self.start + .seconds(30)), at: self.start)
    #expect(self.states(lost) == [.unknown])
    #expect(
      lost.contains {
        if case .conclude(let record) = $0 { record.failure?.reason == "OUTCOME_UNKNOWN" } else { false }
      })
    let now = self.start + .seconds(31)
    _ = table.ready(self.ready("two", "b"), from: [2], principal: "uid:1", services: [self.method], now: now)
    #expect(self.states(table.tick(now)).isEmpty)
    // The end from its worker is stored all the same.
    _ = table.ready(self.ready("one", "a"), from: [3], principal: "uid:1", services: [self.method], now: now)
    #expect(self.states(table.final(self.end(job), [], from: [3], now: now)) == [.done])
  }

  @Test func bytesAreWantedOnce() {
    var (table, job) = self.leased()
    func batch(_ number: UInt32, of lease: String? = nil) -> Partial {
      .with {
        $0.jobID = job.jobID
        $0.leaseID = lease ?? job.leaseID
        $0.batchSeq = number
      }
    }
    #expect(table.wants(batch(1)) && !table.wants(batch(2)) && !table.wants(batch(1, of: "another")))
    // The worker sends it again while the caller is storing it.
    _ = table.partial(batch(1), from: [1], now: self.start)
    #expect(!table.wants(batch(1)) && table.wants(batch(2)))
    _ = table.partial(batch(2), from: [1], now: self.start)
    #expect(!table.wants(batch(3)), "two are unanswered")
    #expect(table.wants(self.end(job)))
    let directives = table.final(self.end(job), [7], from: [1], now: self.start)
    #expect(!table.wants(self.end(job)) && !table.wants(batch(3)))
    _ = self.settle(&table, directives, at: self.start)
    #expect(!table.wants(self.end(job)))
  }

  @Test func aBatchIsAnsweredWhenItIsStoredAndNotAskedForAgain() {
    var (table, job) = self.leased()
    func batch(_ number: UInt32) -> Partial {
      .with {
        $0.jobID = job.jobID
        $0.leaseID = job.leaseID
        $0.batchSeq = number
        $0.checkpoint = Data([UInt8(number)])
      }
    }
    #expect(table.partial(batch(1), from: [1], now: self.start) == [.deliver(job: "job", batch: 1)])
    #expect(table.partial(batch(1), from: [1], now: self.start).isEmpty)
    #expect(table.partial(batch(2), from: [1], now: self.start) == [.deliver(job: "job", batch: 2)])
    #expect(table.partial(batch(3), from: [1], now: self.start).isEmpty, "two are unanswered")
    let stored = self.settle(&table, table.taken("job", batch: 1, now: self.start), at: self.start)
    #expect(
      stored.contains { if case .send([1], .lease(let update)) = $0 { update.committedBatch == 1 } else { false } })
    // The worker is lost while the caller stores the second batch: the next attempt waits for that.
    let now = self.start + .seconds(5)
    let lost = self.settle(
      &table, table.ready(self.ready("one", "b"), from: [2], principal: "uid:1", services: [self.method], now: now),
      at: now)
    #expect(self.states(lost) == [.queued])
    let taken = self.settle(&table, table.taken("job", batch: 2, now: now), at: now)
    guard case .give(_, let again)? = taken.last else {
      Issue.record("\(taken)")
      return
    }
    #expect(again.batches == 2 && again.checkpoint == Data([2]) && again.attempt == 2)
    // And the end of the first attempt does not belong to what is stored any more once the second has stored a batch.
    let third = Partial.with {
      $0.jobID = again.jobID
      $0.leaseID = again.leaseID
      $0.batchSeq = 3
    }
    _ = table.partial(third, from: [2], now: now)
    _ = self.settle(&table, table.taken("job", batch: 3, now: now), at: now)
    _ = table.ready(self.ready("old", "a"), from: [3], principal: "uid:1", services: [self.method], now: now)
    #expect(
      table.final(self.end(job), [], from: [3], now: now)
        == [.send([3], LeaseTable.ack("job", job.leaseID, isDuplicate: true))])
  }

  @Test func aSlotIsFreeAgainWhenNothingWasSent() {
    var table = self.table()
    _ = table.ready(self.ready(), from: [1], principal: "uid:1", services: [self.method], now: self.start)
    // Its lease is not stored yet.
    _ = table.add(self.record("first"), isOnce: true, now: self.start)
    let given = self.settle(&table, table.cancel("first", "", now: self.start), at: self.start)
    #expect(self.states(given) == [.cancelled])
    let next = self.settle(&table, table.add(self.record("second"), isOnce: true, now: self.start), at: self.start)
    guard case .give(_, let job)? = next.last else {
      Issue.record("\(next)")
      return
    }
    // A job that could not be sent was certainly not started.
    let waiting = self.settle(&table, table.notSent(job.jobID, now: self.start), at: self.start)
    #expect(self.states(waiting) == [.queued])
    #expect(table.jobs["second"]?.record.losses == 0)
  }

  @Test func aGrantThatIsBeingStoredTakesItsPlaceOnANewConnection() {
    var table = self.table()
    _ = table.ready(self.ready(), from: [1], principal: "uid:1", services: [self.method], now: self.start)
    let granted = table.add(self.record("first"), isOnce: false, now: self.start)
    _ = table.ready(self.ready(), from: [2], principal: "uid:1", services: [self.method], now: self.start)
    #expect(
      self.settle(&table, table.add(self.record("second"), isOnce: false, now: self.start), at: self.start).isEmpty)
    let given = self.settle(&table, granted, at: self.start)
    let jobs = given.compactMap { if case .give(let peer, let job) = $0 { (peer, job.jobID) } else { nil } }
    #expect(jobs.map(\.0) == [[2]] && jobs.map(\.1) == ["first"])
  }

  @Test func aJobThatIsRefusedIsNotThrownBackAtOnce() {
    var (table, job) = self.leased()
    var (now, grants) = (self.start, 0)
    // A worker without a free slot that claims to have one.
    while now <= self.start + .seconds(10) {
      var directives: [LeaseTable.Directive] = []
      if let lease = table.jobs["job"]?.lease?.id, lease == job.leaseID {
        let refusal = self.end(job, Failure(.resourceExhausted, "NO_CREDIT", ""), retryable: true)
        directives = self.settle(&table, table.final(refusal, [], from: [1], now: now), at: now)
        #expect(table.workers[[1]]?.credit == 0)
      }
      directives += self.settle(&table, table.credit(.with { $0.add = 1 }, from: [1], now: now), at: now)
      directives += self.settle(&table, table.tick(now), at: now)
      for case .give(_, let next) in directives {
        job = next
        grants += 1
      }
      now += .milliseconds(100)
    }
    #expect((5...10).contains(grants), "about once a second")
    #expect(table.jobs["job"]?.record.losses == 0)
  }

  @Test func aWorkerHasSixteenJobsAtMost() {
    var table = self.table()
    _ = table.ready(
      self.ready(credit: 1000), from: [1], principal: "uid:1", services: [self.method], now: self.start)
    var given = 0
    for number in 0..<20 {
      let done = self.settle(
        &table, table.add(self.record("job-\(number)"), isOnce: false, now: self.start), at: self.start)
      given += done.count { if case .give = $0 { true } else { false } }
    }
    #expect(given == 16)
    // A worker that claims more slots than the limit gets the limit.
    _ = self.settle(&table, table.credit(.with { $0.add = 1000 }, from: [1], now: self.start), at: self.start)
    #expect(table.workers[[1]]?.credit == 12, "four more were given")
  }

  @Test func aCheckpointIsCutAtItsBound() {
    var (table, job) = self.leased()
    let partial = Partial.with {
      $0.jobID = job.jobID
      $0.leaseID = job.leaseID
      $0.batchSeq = 1
      $0.checkpoint = Data(repeating: 7, count: 5000)
    }
    _ = table.partial(partial, from: [1], now: self.start)
    guard case .store(let record, _)? = table.taken("job", batch: 1, now: self.start).first else {
      Issue.record("nothing is stored")
      return
    }
    #expect(record.checkpoint == [UInt8](repeating: 7, count: WireLimits.checkpoint))
  }

  @Test func aJobOfUnknownOutcomeIsForgottenWhenTheStoreForgetsIt() {
    var (table, job) = self.leased(once: true)
    _ = self.settle(&table, table.cancel("job", "", now: self.start), at: self.start)
    table.forget("other")
    #expect(table.jobs["job"]?.phase == .unknown)
    table.forget("job")
    #expect(table.jobs.isEmpty && table.jobsByLease.isEmpty)
    #expect(
      table.final(self.end(job), [], from: [1], now: self.start)
        == [.send([1], LeaseTable.ack("job", job.leaseID, isDuplicate: true))])
  }

  @Test func aStrangerIsToldToIntroduceItself() {
    var table = self.table()
    #expect(table.heartbeat(Heartbeat(), from: [9], now: self.start) == [LeaseTable.unknownSession([9])])
    #expect(table.final(WorkResult(), [], from: [9], now: self.start) == [LeaseTable.unknownSession([9])])
  }
}
