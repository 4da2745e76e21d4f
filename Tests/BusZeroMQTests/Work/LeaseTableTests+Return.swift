import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

/// Who comes back to a job, and who has to let it go or gives it back.
extension LeaseTableTests {
  @Test(arguments: [(false, 10), (true, 30)])
  func aRestartedHubWaitsForTheWorkersThatItLeft(once: Bool, seconds: Int) {
    let (_, job) = self.leased()
    var record = self.record()
    record.state = .leased
    record.worker = "one"
    record.instance = "a"
    record.leaseID = job.leaseID
    var table = self.table()
    table.restore(record, isOnce: once, now: self.start)
    var now = self.start
    while let next = table.wakeAt, next < self.start + .seconds(seconds) {
      now = next
      #expect(self.states(table.tick(now)).isEmpty)
    }
    #expect(table.wakeAt == self.start + .seconds(seconds))
    #expect(self.states(table.tick(self.start + .seconds(seconds))) == [once ? .unknown : .queued])
  }

  @Test func theTimeToComeBackBeginsWhenTheWayIsOpen() {
    let (_, job) = self.leased()
    var record = self.record()
    record.state = .leased
    record.instance = "a"
    record.leaseID = job.leaseID
    var table = self.table()
    table.restore(record, isOnce: false, now: self.start)
    for seconds in [9, 18, 27] {
      #expect(self.states(table.tick(self.start + .seconds(seconds))).isEmpty)
      table.extendGrace(now: self.start + .seconds(seconds))
    }
    // By then its worker has stopped by its own clock.
    #expect(self.states(table.tick(self.start + .milliseconds(29_999))).isEmpty)
    #expect(self.states(table.tick(self.start + .seconds(30))) == [.queued])
  }

  @Test(arguments: [false, true]) func aWorkerLosesWhatItIsNotApprovedForAnyMore(once: Bool) {
    var (table, job) = self.leased(once: once)
    var held = Held()
    held.jobID = job.jobID
    held.leaseID = job.leaseID
    let directives = table.ready(
      self.ready(credit: 0, held: [held]), from: [1], principal: "uid:1", services: ["kith.v1.ContactsSource"],
      now: self.start)
    #expect(self.states(directives) == [once ? .unknown : .queued])
    #expect(
      directives.contains {
        if case .send(_, .welcome(let welcome)) = $0 { welcome.lostLeaseIds == [job.leaseID] } else { false }
      })
    #expect(
      table.final(self.end(job), [7], from: [1], now: self.start)
        == [.send([1], LeaseTable.ack("job", job.leaseID, isDuplicate: true))])
  }

  @Test func aWorkerThatIsDrainingStaysSo() {
    var (table, _) = self.leased()
    _ = table.drain(from: [1], now: self.start)
    for peer: LeaseTable.Peer in [[1], [2]] {
      _ = table.ready(self.ready(credit: 0), from: peer, principal: "uid:1", services: [self.method], now: self.start)
      #expect(table.workers[peer]?.isDraining == true && !table.workers.isServed(self.method))
    }
    // Its successor is another process.
    _ = table.ready(self.ready("one", "b"), from: [3], principal: "uid:1", services: [self.method], now: self.start)
    #expect(table.workers.isServed(self.method))
  }

  @Test func whatHasEndedWaitsInNoQueue() {
    var (table, job) = self.leased()
    _ = table.add(self.record("other"), isOnce: false, now: self.start)
    _ = self.settle(&table, table.cancel("other", "", now: self.start), at: self.start)
    #expect(table.queues.values.joined().isEmpty)
    // Its worker is lost, and brings the end all the same.
    table.unreachable([1], now: self.start)
    let now = self.start + .seconds(10)
    #expect(self.states(self.settle(&table, table.tick(now), at: now)) == [.queued])
    _ = table.ready(self.ready(credit: 0), from: [2], principal: "uid:1", services: [self.method], now: now)
    #expect(self.states(self.settle(&table, table.final(self.end(job), [], from: [2], now: now), at: now)) == [.done])
    #expect(table.jobs.isEmpty && table.queues.values.joined().isEmpty)
  }

  @Test func whoIsAtAJobOfUnknownOutcomeMayGoOn() {
    var (table, job) = self.leased(once: true)
    let now = self.start + .seconds(30)
    _ = self.settle(&table, table.tick(now), at: now)
    _ = table.ready(self.ready(credit: 0), from: [2], principal: "uid:1", services: [self.method], now: now)
    let progress = Partial.with {
      $0.jobID = job.jobID
      $0.leaseID = job.leaseID
      $0.progress.fraction = 0.5
    }
    #expect(table.partial(progress, from: [2], now: now).isEmpty, "neither revoked nor told to anybody")
    #expect(self.states(table.final(self.end(job), [], from: [2], now: now)) == [.done])
  }

  @Test func aJobThatIsRefusedIsNotThrownBackAtOnce() {
    var (table, job) = self.leased()
    var (now, grants) = (self.start, 0)
    // A worker that has no slot for it, and says that it has.
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
}
