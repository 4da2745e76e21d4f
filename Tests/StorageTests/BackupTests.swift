import Bus
import Foundation
import GRDB
import KithMessages
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct BackupTests {
  @Test func `a backup made in use restores with a new epoch`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    for index in 0..<50 { _ = try await storage.insert("before\(index)") }
    let running = try #require(TemporaryStore.context(key: "running").ticket)
    try await storage.accept(running, request: [1])
    async let writes: Void = {
      for index in 0..<50 { _ = try await storage.insert("during\(index)") }
    }()
    let ref = try await storage.backup()
    try await writes
    let restored = TemporaryStore()
    let copy = try await Self.restore(ref, of: storage, into: restored)
    let records = try await copy.records()
    #expect(records.isSuperset(of: (0..<50).map { "before\($0)" }))
    #expect(copy.head(.contacts) == UInt64(records.count))
    #expect(try await copy.unfinished().isEmpty)
    #expect(try await copy.insert("before0").isReplayed)
    let epoch = try #require(storage.heads().first?.epoch)
    #expect(!epoch.isEmpty)
    #expect(copy.heads().first?.epoch != epoch)
    let failure = await #expect(throws: Failure.self) { try await copy.replay("contacts", after: 1, epoch: epoch) }
    #expect(failure?.reason == "EPOCH_CHANGED")
    #expect(await copy.status().integrity == .sound)
    #expect(try await storage.unfinished().count == 1)
    await copy.close()
    await storage.close()
  }

  @Test func `what waited in a backup may have been sent since`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (waiting, flying, running) = try await storage.write { transaction throws(Failure) in
      let flying = try transaction.records.create(Person(first: "Ann"), now: 1)
      _ = try transaction.outbox.begin(try transaction.outbox.due(now: 1, limit: 1).map(\.row), now: 1)
      let waiting = try transaction.records.create(Person(first: "Bob"), now: 1)
      var call = Call(with: waiting, at: 1)
      call.isRunning = true
      return (waiting, flying, try transaction.records.create(call, now: 1))
    }
    let ref = try await storage.backup()
    let restored = TemporaryStore()
    let copy = try await Self.restore(ref, of: storage, into: restored)
    let due = try await copy.read { view throws(Failure) in try view.outbox.due(now: 2, limit: 5) }
    #expect(Set(due.map(\.id)) == [waiting.id, flying.id])
    #expect(due.allSatisfy { $0.isUnsure && $0.firstTriedAt == 1 })
    let call = try await copy.read { view throws(Failure) in
      try view.outbox.page().entries.contains { $0.id == running.id && $0.attempts == 0 }
    }
    #expect(call)
    await copy.close()
    await storage.close()
  }

  private static func restore(
    _ ref: BlobRef, of storage: StorageActor, into restored: TemporaryStore
  ) async throws -> StorageActor {
    let bytes = try await storage.readWhole(ref.sha256, by: .admin)
    #expect(ref.size == UInt64(bytes.count))
    try FileManager.default.createDirectory(atPath: restored.directory, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: restored.directory + "/kith.db"))
    return try restored.open()
  }
}
