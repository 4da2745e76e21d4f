import Bus
import EventLoop
import KithMessages
import Logging
import TestKit
import Testing

@testable import ContactsSync

/// The real reader; its second batch of cards breaks.
private struct BreakingPort: BatchPort, Bus.Port {
  enum Fault {
    /// By a picture that the store refuses.
    case picture
    /// By the removal of the source after it.
    case source
    /// By such a picture; after it the source sends nothing more until it is cancelled.
    case pictureAndSilence
  }

  static let gone = Failure(.unavailable, "GONE", "The source is gone.")

  private let service: LocalBatchPort
  private let fault: Fault
  private let batches = Lock(0)
  private let ended = Lock(false)
  private let silence = Gate()

  init(_ fault: Fault) {
    let reading = ContactsSourceService { WallClock.nanoseconds() + 60_000_000_000 }
    self.service = LocalBatchPort(reading.routes, batches: reading.batchRoutes)
    self.fault = fault
  }

  /// Whether the broken call has returned.
  var hasEnded: Bool { self.ended.withLock { $0 } }

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    try await self.service.call(command, context)
  }

  func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply {
    defer { self.ended.withLock { $0 = true } }
    return try await self.service.call(command, context) { batch throws(Failure) in
      guard var cards = batch as? CardBatch else { return try await receive(batch) }
      let number = self.batches.withLock { batches in
        batches += 1
        return batches
      }
      if number == 2, self.fault != .source {
        var picture = Picture()
        picture.ref.sha256 = "none"
        cards.cards[0].pictures.append(picture)
      }
      guard let spoilt = cards as? C.Batch else { return }
      try await receive(spoilt)
      guard number == 2 else { return }
      switch self.fault {
      case .picture: break
      case .source: throw Self.gone
      case .pictureAndSilence: await self.silence.waitForCancellation()
      }
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct BrokenPassTests {
  private static let first = UInt32(CardBatcher.firstCards)
  private static let second = UInt32(CardBatcher.limit.cards)

  @Test func whatTheStoreRefusesEndsThePassAndItsReading() async throws {
    try await self.refuse(.picture)
  }

  @Test func aSourceThatIsSilentIsNotWaitedForAfterARefusal() async throws {
    try await self.refuse(.pictureAndSilence)
  }

  private func refuse(_ fault: BreakingPort.Fault) async throws {
    try await self.withPass(fault) { home, contacts, port in
      let refusal = await #expect(throws: Failure.self) {
        try await contacts.sync(["home"], PassOptions(), cause: "", progress: nil)
      }
      #expect(refusal?.reason == "FIELD_INVALID")
      let status = try await home.storedStatus()
      #expect(status.state == .error && status.error.reason == "FIELD_INVALID" && status.added == Self.first)
      #expect(try await home.live("home").count == Int(Self.first) && port.hasEnded)
    }
  }

  @Test func whatWasReadBeforeTheSourceBrokeIsStored() async throws {
    try await self.withPass(.source) { home, contacts, port in
      let statuses = try await contacts.sync(["home"], PassOptions(), cause: "", progress: nil)
      #expect(statuses.map(\.state) == [.error] && statuses.map(\.error.reason) == ["GONE"])
      #expect(statuses.map(\.added) == [Self.first + Self.second])
      #expect(try await home.live("home").count == Int(Self.first + Self.second) && port.hasEnded)
    }
  }

  private func withPass(
    _ fault: BreakingPort.Fault, _ body: (Household, ContactsSyncActor, BreakingPort) async throws -> Void
  ) async throws {
    let home = try Household()
    try home.fill(900)
    try await home.addFolder()
    let port = BreakingPort(fault)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let contacts = ContactsSyncActor(storage: home.storage, source: port, secrets: home.secrets, logger: logger)
    try await body(home, contacts, port)
    await contacts.stop()
    await home.close()
  }
}
