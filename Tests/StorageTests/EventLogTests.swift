import Bus
import EventLoop
import GRDB
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct EventLogTests {
  @Test func `a replay gives pages up to the head`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    for index in 0..<7 { try await storage.status("contacts:\(index % 3)") }
    let first = try await storage.replay("sync", after: 2, limit: 3)
    #expect(first.events.map(\.header.seq) == [3, 4, 5])
    #expect(first.more)
    #expect(first.head.seq == 7)
    #expect(first.firstAvailable == 1)
    let rest = try await storage.replay("sync", after: 5, epoch: first.head.epoch)
    #expect(rest.events.map(\.header.seq) == [6, 7])
    #expect(!rest.more)
    #expect(first.events + rest.events == temporary.published.withLock { Array($0[2...]) })
    #expect(storage.heads().first { $0.stream == "sync" } == first.head)
    await storage.close()
  }

  @Test func `a page of a replay is bounded in bytes`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let ids = (0..<500).map { _ in UUIDv7.make().text }
    for _ in 0..<20 {
      try await storage.write { transaction throws(Failure) in transaction.changed(contacts: ids) }
    }
    let page = try await storage.replay("contacts", after: 0)
    let bytes = try page.serializedBytes() as [UInt8]
    #expect(bytes.count <= 80 << 10)
    #expect(page.events.count > 1)
    #expect(page.more)
    await storage.close()
  }

  @Test(arguments: ["nothing", "", "sync'"])
  func `an unknown stream is not found`(name: String) async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let failure = await #expect(throws: Failure.self) { try await storage.replay(name, after: 0) }
    #expect(failure?.code == .notFound)
    let writeFailure = await #expect(throws: Failure.self) {
      try await storage.write { transaction throws(Failure) in try transaction.emit(Event(), on: name) }
    }
    #expect(writeFailure?.code == .notFound)
    await storage.close()
  }

  @Test func `another epoch and a position ahead of the log ask for a snapshot`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    for (after, epoch) in [(0, "other"), (1, ""), (UInt64.max, "")] as [(UInt64, String)] {
      let failure = await #expect(throws: Failure.self) {
        try await storage.replay("sync", after: after, epoch: epoch)
      }
      #expect(failure?.reason == "EPOCH_CHANGED")
    }
    await storage.close()
  }

  @Test func `a snapshot pages through the last event of each key as of its first page`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    for round in 0..<3 {
      for index in 0..<10 { try await storage.status("s\(index)", state: round == 2 ? .completed : .syncing) }
    }
    try await storage.write { transaction throws(Failure) in
      try transaction.emit(Event(), on: "sync", key: "s0", tombstone: true)
      try transaction.emit(Event(), on: "sync")
    }
    var request = SnapshotRequest()
    request.stream = "sync"
    request.limit = 4
    var pages: [SnapshotReply] = []
    repeat {
      let page = try await storage.snapshot(request)
      pages.append(page)
      request.pageToken = page.nextPageToken
      // Later pages leave out what changes between pages.
      if pages.count == 1 { try await storage.status("s9") }
    } while !request.pageToken.isEmpty
    let events = pages.flatMap(\.lastByKey)
    #expect(pages.allSatisfy { $0.position.seq == 32 })
    #expect(events.map(\.header.key) == (1..<9).map { "s\($0)" })
    #expect(events.allSatisfy { $0.event.sync.state == .completed })
    #expect(try await storage.replay("sync", after: 32).events.map(\.header.key) == ["s9"])
    await storage.close()
  }

  @Test(arguments: ["x", "a.b.c", "..", "1.2.3.4", "e.5.9"])
  func `a page token that is not one is refused`(token: String) async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let request = SnapshotRequest.with {
      $0.stream = "sync"
      $0.pageToken = token
    }
    let failure = await #expect(throws: Failure.self) { try await storage.snapshot(request) }
    #expect(failure?.status.details["page_token"] != nil)
    await storage.close()
  }

  @Test func `compaction leaves the newest events and the last of every key`() async throws {
    let temporary = TemporaryStore()
    var limits = StorageLimits()
    limits.events.count = 20
    limits.events.slice = 6
    let storage = try temporary.open(limits: limits)
    try await storage.status("old")
    for _ in 0..<100 { try await storage.status("busy") }
    try await storage.upkeep()
    #expect(storage.group.position.firsts[EventStream.sync.rawValue] == 82)
    let failure = await #expect(throws: Failure.self) { try await storage.replay("sync", after: 80) }
    #expect(failure?.reason == "SEQ_COMPACTED")
    #expect(failure?.status.details["first_available"] == "82")
    #expect(try await storage.replay("sync", after: 81).events.map(\.header.seq) == Array(82...101))
    var request = SnapshotRequest()
    request.stream = "sync"
    #expect(try await storage.snapshot(request).lastByKey.map(\.header.key) == ["old", "busy"])
    // The next event of a key deletes its last one below the boundary.
    try await storage.status("old")
    let left = try await storage.read { view throws(Failure) in
      try view.attempt { try Int.fetchOne($0, sql: "SELECT count(*) FROM event WHERE seq < 82") }
    }
    #expect(left == 0)
    await storage.close()

    let reopened = try temporary.open(limits: limits)
    #expect(reopened.head(.sync) == 102)
    #expect(try await reopened.replay("sync", after: 90).firstAvailable == 82)
    try await reopened.upkeep(now: WallClock.nanoseconds() + Duration.seconds(31 * 24 * 3600).nanoseconds)
    #expect(try await reopened.replay("sync", after: 102).firstAvailable == 103)
    #expect(try await reopened.snapshot(request).lastByKey.map(\.header.key) == ["busy", "old"])
    try await reopened.status("busy")
    #expect(reopened.head(.sync) == 103)
    await reopened.close()
  }
}
