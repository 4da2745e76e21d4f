import Bus
import Instruments
import KithMessages
import Logging
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
    #expect(try await storage.queueLengths() == QueueLengths())
    await storage.close()
  }
}
