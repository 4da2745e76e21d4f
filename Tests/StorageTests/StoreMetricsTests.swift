import Bus
import GRDB
import Instruments
import KithMessages
import Logging
import SwiftProtobuf
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct StoreMetricsTests {
  @Test func `commits and writes are counted, and what waits`() async throws {
    let registry = MetricsRegistry([.commitDuration, .writes, .failedCommits])
    let temporary = TemporaryStore()
    let storage = try StorageActor(
      directory: temporary.directory, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      limits: StorageLimits(), migrations: Migration.all + [.sample], metrics: registry
    ) { _ in }
    func number(_ name: String) -> Int {
      let line = registry.text().split(separator: "\n").first { $0.hasPrefix("\(name) ") }
      return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }
    let (writes, commits) = (number("kith_writes_total"), number("kith_commit_duration_seconds_count"))
    _ = try await storage.insert("a")
    await #expect(throws: Failure.cancelled) { try await storage.insert("b", failing: .cancelled) }
    #expect(number("kith_writes_total") == writes + 2)
    #expect(number("kith_commit_duration_seconds_count") == commits + 2)
    #expect(number("kith_failed_commits_total") == 0)
    // Without its transaction a group cannot be committed.
    await #expect(throws: Failure.self) {
      try await storage.write { transaction throws(Failure) in
        try transaction.attempt { try $0.execute(sql: "ROLLBACK") }
      }
    }
    #expect(number("kith_failed_commits_total") == 1)
    await storage.close()
  }

  @Test func `what waits is counted by what it waits for`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    #expect(try await storage.queueLengths() == QueueLengths())
    try await storage.write { transaction throws(Failure) in
      try transaction.accounts.login(
        AccountRecord(endpoint: "https://monica.example", userID: 1), now: 1)
      _ = try transaction.records.create(Person.with { $0.firstName = "Ann" }, now: 2)
      for state in ["pending", "sending", "delivered"] {
        let message = DeliveryTableTests.message(subject: state)
        for var entry in try transaction.deliveries.queue(message, on: DeliveryTableTests.ntfy(state), now: 3) {
          entry.state = state
          try transaction.deliveries.put(entry, now: 4)
        }
      }
    }
    let lengths = try await storage.queueLengths()
    #expect(lengths.deliveries == 2 && lengths.outbox.pending == 1 && lengths.writes == 0)
    await storage.close()
    withExtendedLifetime(temporary) {}
  }
}
