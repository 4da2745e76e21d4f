import Bus
import EventLoop
import KithMessages
import Logging
import Storage
import TestKit
import Testing

@testable import ContactsSync

/// The real reader; its first listing does not end before it is cancelled.
private struct HangingPort: BatchPort, Bus.Port {
  private let service: LocalBatchPort
  private let hasHung = Lock(false)
  private let begun: AsyncStream<Void>.Continuation
  /// Yields one element when the listing hangs.
  let hanging: AsyncStream<Void>

  init() {
    let reading = ContactsSourceService { WallClock.nanoseconds() + 60_000_000_000 }
    self.service = LocalBatchPort(reading.routes, batches: reading.batchRoutes)
    (self.hanging, self.begun) = AsyncStream.makeStream()
  }

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    try await self.service.call(command, context)
  }

  func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply {
    let isFirst = self.hasHung.withLock { hasHung in
      defer { hasHung = true }
      return !hasHung
    }
    guard isFirst else { return try await self.service.call(command, context, receive: receive) }
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    self.begun.yield()
    await withTaskCancellationHandler {
      for await _ in never {}
    } onCancel: {
      end.finish()
    }
    throw .cancelled
  }
}

/// The real reader; the task is cancelled after its last card.
private struct CancellingPort: BatchPort, Bus.Port {
  let service: LocalBatchPort

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    try await self.service.call(command, context)
  }

  func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply {
    let reply = try await self.service.call(command, context, receive: receive)
    if command is FetchItemsRequest { withUnsafeCurrentTask { $0?.cancel() } }
    return reply
  }
}

@Suite(.timeLimit(.minutes(5))) struct StoppedPassTests {
  @Test func aCancelledPassKeepsNoToken() async throws {
    let home = try Household()
    try home.write("all.vcf", Household.card(uid: "a", name: "A"))
    try await home.addFile(file: "all.vcf")
    let reading = ContactsSourceService { WallClock.nanoseconds() + 60_000_000_000 }
    let port = CancellingPort(service: LocalBatchPort(reading.routes, batches: reading.batchRoutes))
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let contacts = ContactsSyncActor(storage: home.storage, source: port, secrets: home.secrets, logger: logger)
    let statuses = try await contacts.sync(["export"], PassOptions(), cause: "", progress: nil)
    #expect(statuses.map(\.state) == [.idle])
    let record = try await home.storage.read { view throws(Failure) in try view.sources.find("export") }
    #expect(record?.token == "")
    #expect(try await home.live("export").count == 1)
    await contacts.stop()
    await home.close()
  }

  /// Runs `body` with an actor in which one pass hangs in its listing and another waits for it.
  private func withPassesInLine(
    _ body: (ContactsSyncActor, _ first: Task<[SyncStatus]?, Never>, _ second: Task<[SyncStatus]?, Never>) async throws
      -> Void
  ) async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    let port = HangingPort()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let contacts = ContactsSyncActor(storage: home.storage, source: port, secrets: home.secrets, logger: logger)
    let pass = { @Sendable in try? await contacts.sync(["home"], PassOptions(), cause: "", progress: nil) }
    let first = Task { await pass() }
    for await _ in port.hanging { break }
    let second = Task { await pass() }
    // Until the second pass has joined; it reads the sources first.
    try await until { await contacts.passCount >= 2 }
    try await body(contacts, first, second)
    await contacts.stop()
    await home.close()
  }

  @Test func stoppingEndsThePassThatRunsAndTheOneBehindIt() async throws {
    try await self.withPassesInLine { contacts, first, second in
      await contacts.stop()
      #expect(await contacts.passCount == 0)
      #expect(await first.value == nil)
      #expect(await second.value == nil)
    }
  }

  @Test func aPassEndsWithTheOnlyOneWhoWaitedForItAlsoWhereAnotherWaitsBehindIt() async throws {
    try await self.withPassesInLine { _, first, second in
      first.cancel()
      #expect(await first.value == nil)
      #expect(await second.value?.map(\.state) == [.completed])
      #expect(await second.value?.map(\.added) == [3])
    }
  }
}
