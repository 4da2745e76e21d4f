import Bus
import Dispatch
import GRDB
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct MemoryReleaseTests {
  @Test func `a little work is not waited for, a burst is`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let memory = MemoryRelease(storage.file.pool, quiet: .seconds(3600))
    memory.note(rows: 999)
    #expect(!memory.isWaiting)
    memory.note(rows: 1)
    #expect(memory.isWaiting)
    await storage.close()
  }

  @Test func `memory is given back once a burst is over`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (releases, released) = AsyncStream<Void>.makeStream()
    let memory = MemoryRelease(storage.file.pool, quiet: .milliseconds(20)) { released.yield() }
    memory.note(rows: 1000)
    var iterator = releases.makeAsyncIterator()
    await iterator.next()
    #expect(!memory.isWaiting)
    memory.note(rows: 500)
    #expect(!memory.isWaiting)
    // The store still works after its statements were released.
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
