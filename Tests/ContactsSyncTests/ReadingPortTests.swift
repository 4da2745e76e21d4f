import Bus
import Dispatch
import EventLoop
import Foundation
import KithMessages
import Logging
import SwiftProtobuf
import Testing

@testable import ContactsSync

/// The real reader; records its requests and pauses after each listing.
private struct ObservedPort: BatchPort, Bus.Port {
  let service = LocalBatchPort(Self.reading.routes, batches: Self.reading.batchRoutes)
  var asked: @Sendable (FetchItemsRequest) -> Void = { _ in }
  var willList: @Sendable (ListItemsRequest) -> Void = { _ in }
  var listed: @Sendable () async -> Void = {}

  private static let reading = ContactsSourceService { WallClock.nanoseconds() + 60_000_000_000 }

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    try await self.service.call(command, context)
  }

  func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply {
    if let fetch = command as? FetchItemsRequest { self.asked(fetch) }
    if let list = command as? ListItemsRequest { self.willList(list) }
    let reply = try await self.service.call(command, context, receive: receive)
    if command is ListItemsRequest { await self.listed() }
    return reply
  }
}

@Suite(.timeLimit(.minutes(5))) struct ReadingPortTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test func whatChangesAfterTheListingIsInTheNextPass() async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    let actor = Lock<ContactsSyncActor?>(nil)
    let second = Lock<Task<SyncSchedule.Outcome, Never>?>(nil)
    let port = ObservedPort(listed: {
      guard let contacts = actor.withLock({ $0 }), second.withLock({ $0 == nil }) else { return }
      try? home.write("late.vcf", Household.card(uid: "late", name: "Late"))
      second.withLock { $0 = Task { await contacts.syncInBackground("home") } }
      // Time for a request while this pass runs.
      for _ in 0..<50 { _ = await contacts.locations() }
    })
    let contacts = ContactsSyncActor(storage: home.storage, source: port, secrets: home.secrets, logger: Self.logger)
    actor.withLock { $0 = contacts }
    try await contacts.syncAll()
    let task = try #require(second.withLock { $0 })
    #expect(await task.value == .completed)
    #expect(try await home.live().contains { $0.uid == "late" })
    await contacts.stop()
    await home.close()
  }

  @Test func manyCardsAreAskedForInSeveralRequests() async throws {
    let home = try Household()
    let padding = String(repeating: "x", count: 200)
    let count = 1500
    for index in 0..<count {
      try home.write("\(padding)\(index).vcf", Household.card(uid: "u\(index)", name: "Person \(index)"))
    }
    try await home.addFolder()
    let requests = Lock<[FetchItemsRequest]>([])
    let port = ObservedPort(asked: { request in requests.withLock { $0.append(request) } })
    let contacts = ContactsSyncActor(storage: home.storage, source: port, secrets: home.secrets, logger: Self.logger)
    try await contacts.syncAll()
    let asked = requests.withLock { $0 }
    #expect(asked.count == 2)
    for request in asked { #expect(try request.serializedData().count < 262_144) }
    #expect(Set(asked.flatMap(\.hrefs)).count == count && asked.reduce(0) { $0 + $1.hrefs.count } == count)
    #expect(try await home.storedStatus().added == count)
    await contacts.stop()
    await home.close()
  }

  /// If every card is read anyway, a listing needs no fingerprints.
  @Test func aSourceIsToldWhetherAllOfItWillBeRead() async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    let requests = Lock<[ListItemsRequest]>([])
    let port = ObservedPort(willList: { request in requests.withLock { $0.append(request) } })
    let contacts = ContactsSyncActor(storage: home.storage, source: port, secrets: home.secrets, logger: Self.logger)
    try await contacts.syncAll()
    try await contacts.syncAll()
    _ = try await contacts.sync([], PassOptions(isFull: true), cause: "", progress: nil)
    #expect(requests.withLock { $0.map(\.readsAll) } == [true, false, true])
    await contacts.stop()
    await home.close()
  }

  /// Many readers that hang at the same time, as on a broken disk, each hold only their own thread.
  @Test func readingsThatHangHoldNobodyElse() async throws {
    let home = try Household()
    let count = ProcessInfo.processInfo.activeProcessorCount * 4
    let arrived = Lock(0)
    let gate = DispatchSemaphore(value: 0)
    let isOpen = Lock(true)
    let service = ContactsSourceService {
      if arrived.withLock({
        $0 += 1; return $0
      }) == count {
        for _ in 0..<count { gate.signal() }
      }
      if gate.wait(timeout: .now() + 240) == .timedOut { isOpen.withLock { $0 = false } }
      return WallClock.nanoseconds()
    }
    let port = LocalBatchPort(service.routes, batches: service.batchRoutes)
    var request = ListItemsRequest()
    request.source.vdir.path = home.folder
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask { [request] in _ = try await port.call(request, CallContext()) { _ throws(Failure) in } }
      }
      try await group.waitForAll()
    }
    #expect(isOpen.withLock { $0 }, "a reading waited for the thread of another one")
    await home.close()
  }
}
