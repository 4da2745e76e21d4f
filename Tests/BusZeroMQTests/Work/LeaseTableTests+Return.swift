import Bus
import EventLoop
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import BusZeroMQ

/// Workers that reconnect, and hubs that restart.
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

  @Test func whatTheLastProcessLeftIsGivenOutAnewWhenSomebodyWaitsForIt() {
    let (_, job) = self.leased()
    var record = self.record()
    record.state = .leased
    record.worker = "one"
    record.instance = "a"
    record.attempt = 1
    record.leaseID = job.leaseID
    var table = self.table()
    table.restore(record, isOnce: false, now: self.start)
    // Its worker's process has ended as well.
    let back = self.settle(
      &table,
      table.ready(self.ready("one", "b"), from: [2], principal: "uid:1", services: [self.method], now: self.start),
      at: self.start)
    #expect(self.states(back) == [.queued])
    let later = self.start + .seconds(2)
    #expect(self.states(self.settle(&table, table.tick(later), at: later)).isEmpty)
    #expect(table.waitsFor("job") == .caller)
    #expect(self.states(self.settle(&table, table.claim("job", now: later), at: later)) == [.leased])
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
    // The worker is lost, and reports the end later.
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
}
