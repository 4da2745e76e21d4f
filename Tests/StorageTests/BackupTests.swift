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
    let bytes = try await storage.readWhole(ref.sha256)
    #expect(ref.size == UInt64(bytes.count))

    let restored = TemporaryStore()
    try FileManager.default.createDirectory(atPath: restored.directory, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: restored.directory + "/kith.db"))
    let copy = try restored.open()
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
}
