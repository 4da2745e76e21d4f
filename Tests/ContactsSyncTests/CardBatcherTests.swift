import Bus
import KithMessages
import Synchronization
import Testing

@testable import ContactsSync

/// How many cards each batch has.
struct CardBatcherTests {
  private static func sizes(of files: [[CardRead]], after checkpoint: [UInt8] = []) async throws -> [Int] {
    let sizes = Mutex<[Int]>([])
    var batcher = CardBatcher(checkpoint: Checkpoint(resumed: checkpoint)) { batch in
      sizes.withLock { $0.append(batch.cards.count) }
    }
    for file in files { try await batcher.add(file) }
    try await batcher.flush()
    return sizes.withLock { $0 }
  }

  @Test func theFirstBatchOfAPassIsSmall() async throws {
    #expect(try await Self.sizes(of: Array(repeating: [CardRead()], count: 950)) == [100, 400, 400, 50])
    #expect(try await Self.sizes(of: []) == [])
  }

  @Test func anAttemptThatGoesOnHasNoSmallBatch() async throws {
    let sizes = try await Self.sizes(of: Array(repeating: [CardRead()], count: 850), after: [0, 0, 0, 100])
    #expect(sizes == [400, 400, 50])
  }

  @Test func theCardsOfAFileStayTogether() async throws {
    let file = Array(repeating: CardRead(), count: 600)
    #expect(try await Self.sizes(of: [file, [CardRead()], file]) == [600, 601])
  }

  @Test func manyBytesFillABatch() async throws {
    var card = CardRead()
    card.raw = .init(repeating: 0x20, count: CardBatcher.limit.bytes / 3)
    #expect(try await Self.sizes(of: Array(repeating: [card], count: 4)) == [3, 1])
  }
}
