import Bus
import Dispatch
import GRDB
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct MemoryReleaseTests {
  @Test func `memory is given back once a burst is over, and not for a little work`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (releases, released) = AsyncStream<Void>.makeStream()
    let memory = MemoryRelease(storage.file.pool, quiet: .milliseconds(20)) { released.yield() }
    memory.note(rows: 999)
    #expect(!memory.isWaiting)
    memory.note(rows: 1)
    #expect(memory.isWaiting)
    var iterator = releases.makeAsyncIterator()
    await iterator.next()
    #expect(!memory.isWaiting)
    memory.note(rows: 500)
    #expect(!memory.isWaiting)
    // The store goes on with statements that were thrown away.
    #expect(try await storage.insert("a").isReplayed == false)
    #expect(try await storage.records() == ["a"])
    await storage.close()
  }

  @Test func `a store that was closed meanwhile is left alone`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (releases, released) = AsyncStream<Void>.makeStream()
    let memory = MemoryRelease(storage.file.pool, quiet: .milliseconds(20)) { released.yield() }
    memory.note(rows: 1000)
    await storage.close()
    var iterator = releases.makeAsyncIterator()
    await iterator.next()
    #expect(!memory.isWaiting)
  }
}
