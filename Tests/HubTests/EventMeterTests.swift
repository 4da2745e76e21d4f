import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Hub

/// A meter, and what events count beside themselves.
private struct Trial {
  var meter = EventMeter()

  mutating func counts(_ events: LoggedEvent...) -> [EventMeter.Count] {
    var found: [EventMeter.Count] = []
    for event in events {
      let counts = self.meter.take(event)
      #expect(counts.first == .event(stream: event.header.stream))
      found += counts.dropFirst()
    }
    return found
  }
}

struct EventMeterTests {
  private func sync(
    _ source: String, _ state: SyncStatus.State, run: String, from start: Int64 = 0, to end: Int64 = 0,
    failing: Bool = false
  ) -> LoggedEvent {
    var logged = LoggedEvent()
    logged.header.stream = "sync"
    logged.header.key = source
    logged.event.sync.source = source
    logged.event.sync.state = state
    logged.event.sync.runID = run
    logged.event.sync.startedAt = .init(nanosecondsSince1970: start)
    logged.event.sync.finishedAt = .init(nanosecondsSince1970: end)
    if failing { logged.event.sync.error.reason = "BOOK_UNAVAILABLE" }
    return logged
  }

  private func job(_ id: String, _ state: String, tombstone: Bool = false) -> LoggedEvent {
    var logged = LoggedEvent()
    logged.header.stream = "jobs"
    logged.header.tombstone = tombstone
    logged.event.job.jobID = id
    logged.event.job.state = state
    return logged
  }

  @Test func `a pass counts once, with its time, however often its end is published`() {
    var trial = Trial()
    let end = self.sync("contacts:home", .completed, run: "1", from: 1_000, to: 3_500)
    #expect(
      trial.counts(self.sync("contacts:home", .syncing, run: "1"), end, end)
        == [.pass(kind: "contacts", result: "completed", nanoseconds: 2_500)])
    #expect(
      trial.counts(
        self.sync("contacts:home", .syncing, run: "2"), self.sync("monica", .syncing, run: "3"),
        self.sync("monica", .error, run: "3", from: 10, to: 5, failing: true),
        self.sync("contacts:home", .completed, run: "2", failing: true))
        == [
          .pass(kind: "monica", result: "failed", nanoseconds: 0),
          .pass(kind: "contacts", result: "partial", nanoseconds: 0),
        ])
    #expect(
      trial.counts(self.sync("monica", .syncing, run: "4"), self.sync("monica", .idle, run: "4"))
        == [.pass(kind: "monica", result: "stopped", nanoseconds: 0)])
  }

  @Test func `the end of a pass of the last process does not count, nor does a source that is removed`() {
    var trial = Trial()
    #expect(trial.counts(self.sync("monica", .completed, run: "0")).isEmpty)
    var removed = self.sync("contacts:home", .idle, run: "1")
    removed.header.tombstone = true
    #expect(
      trial.counts(
        self.sync("contacts:home", .syncing, run: "1"), removed,
        self.sync("contacts:home", .completed, run: "1")
      ).isEmpty)
  }

  @Test func `leases are taken and lost, and jobs end`() {
    var trial = Trial(meter: EventMeter(leased: ["old"]))
    #expect(trial.counts(self.job("a", "queued"), self.job("a", "leased")) == [.lease(change: "taken")])
    #expect(
      trial.counts(self.job("a", "queued"), self.job("a", "leased"), self.job("a", "done"))
        == [.lease(change: "lost"), .lease(change: "taken"), .job(state: "done")])
    // A person retries a dead job: nobody had it.
    #expect(
      trial.counts(self.job("old", "dead"), self.job("old", "queued"))
        == [.job(state: "dead"), .lease(change: "lost")])
    #expect(
      trial.counts(self.job("b", "cancelled"), self.job("a", "", tombstone: true)) == [.job(state: "cancelled")])
  }

  @Test func `messages count when they are settled`() {
    var trial = Trial()
    var counts: [EventMeter.Count] = []
    for state in ["pending", "sending", "delivered", "failed"] {
      var logged = LoggedEvent()
      logged.header.stream = "reminders"
      logged.event.delivery.state = state
      counts += trial.counts(logged)
    }
    #expect(counts == [.delivery(state: "delivered"), .delivery(state: "failed")])
  }
}
