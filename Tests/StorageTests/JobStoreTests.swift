import Bus
import EventLoop
import KithMessages
import Testing

@testable import Storage

/// Callers find their kept jobs again; lists leave out the jobs' content.
@Suite struct JobStoreTests {
  private func draft(_ id: String, key: String = "attempt", isKept: Bool = true) -> JobRecord {
    JobRecord(
      id: id, key: key, isKept: isKept, service: "kith.v1.Delivery/Deliver", command: [1, 2], inputs: [], createdAt: 5)
  }

  private func end(_ record: JobRecord, _ state: JobState, in storage: StorageActor) async throws {
    var record = record
    record.state = state
    record.reply = state == .done ? [7] : []
    if state == .failed { record.status = Failure(.unavailable, "CHANNEL_TROUBLE", "trouble").status }
    try await storage.apply([record])
  }

  /// A failure is found again too, so a retry needs a new key; `VoiceTests` shows that care uses one.
  @Test(arguments: [JobState.done, .failed, .dead, .unknown, .leased])
  func theSameAttemptFindsItsJob(_ state: JobState) async throws {
    let store = TemporaryStore()
    let storage = try store.open()
    #expect(try await storage.open(self.draft("one")).id == "one")
    try await self.end(self.draft("one"), state, in: storage)
    let found = try await storage.open(self.draft("two"))
    #expect(found.id == "one" && found.state == state && found.reply == (state == .done ? [7] : []))
    #expect((found.failure?.reason == "CHANNEL_TROUBLE") == (state == .failed))
    // A new attempt is a new job, and so is a job that is not kept.
    #expect(try await storage.open(self.draft("three", key: "next")).id == "three")
    #expect(try await storage.open(self.draft("four", isKept: false)).id == "four")
    await storage.close()
  }

  @Test func whatWasCancelledIsLeftBehind() async throws {
    let store = TemporaryStore()
    let storage = try store.open()
    _ = try await storage.open(self.draft("one"))
    try await self.end(self.draft("one"), .cancelled, in: storage)
    #expect(try await storage.open(self.draft("two")).id == "two")
    await storage.close()
  }

  @Test(arguments: JobState.allCases)
  func onlyWhatIsDeadIsTriedAgain(_ state: JobState) async throws {
    let store = TemporaryStore()
    let storage = try store.open()
    _ = try await storage.open(self.draft("one"))
    try await self.end(self.draft("one"), state, in: storage)
    func retry() async throws -> JobRecord {
      try await storage.write { transaction throws(Failure) in
        var record = try transaction.jobs.require("one")
        try transaction.jobs.retry(&record, now: 9)
        return record
      }
    }
    if state == .dead {
      #expect(try await retry().state == .queued)
    } else {
      let failure = await #expect(throws: Failure.self) { try await retry() }
      #expect(failure?.reason == "JOB_NOT_RETRYABLE" && failure?.message.contains(" \(state.rawValue).") == true)
    }
    await storage.close()
  }

  @Test func aPageHoldsAsManyAsFitAndTheNextOneTheRest() async throws {
    let store = TemporaryStore()
    let storage = try store.open()
    for number in 0..<60 {
      var record = self.draft("job-\(number)", isKept: false)
      _ = try await storage.open(record)
      record.state = .failed
      record.status = Failure(.internal, "ENGINE_FAILED", String(repeating: "x", count: 4000)).status
      try await storage.apply([record])
    }
    var (found, request) = ([String](), ListJobsRequest())
    request.limit = 200
    repeat {
      let page = try await storage.read { [request] view throws(Failure) in try view.jobs.page(request) }
      #expect(!page.jobs.isEmpty && page.jobs.count < 30)
      found += page.jobs.map(\.jobID)
      request.cursor = page.nextCursor
    } while !request.cursor.isEmpty
    #expect(found == (0..<60).reversed().map { "job-\($0)" })
    await storage.close()
  }

  @Test func whatEndedGoesWhenItIsOldOrThereIsTooMuch() async throws {
    let store = TemporaryStore()
    let storage = try store.open()
    for number in 0..<6 { _ = try await storage.open(self.draft("job-\(number)", isKept: false)) }
    for number in 0..<5 { try await self.end(self.draft("job-\(number)", isKept: false), .done, in: storage) }
    func expire(before moment: Int64, limit: Int) async throws -> [String] {
      try await storage.write { transaction throws(Failure) in
        while try transaction.jobs.expire(before: moment, limit: limit) {}
      }
      return try await storage.read { view throws(Failure) in
        try view.jobs.page(ListJobsRequest()).jobs.map(\.jobID)
      }
    }
    #expect(try await expire(before: 0, limit: 10).count == 6)
    #expect(try await expire(before: 0, limit: 3) == ["job-5", "job-4", "job-3"])
    // Queued jobs stay, however old.
    #expect(try await expire(before: .max, limit: 3) == ["job-5"])
    let gone = store.published.withLock { $0.map(\.header).filter { $0.stream == "jobs" && $0.tombstone }.map(\.key) }
    #expect(Set(gone) == Set((0..<5).map { "job-\($0)" }))
    await storage.close()
  }
}
