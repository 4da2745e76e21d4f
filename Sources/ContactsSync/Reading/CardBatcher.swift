internal import Bus
internal import KithMessages

/// Collects cards into batches that are large enough for a commit and small enough for memory.
struct CardBatcher: Sendable {
  /// The number of cards, and of bytes of cards and photos, at which a batch is complete.
  ///
  /// Each commit writes the index pages that it touched and a segment of the search index, which is merged later: a few
  /// large commits cost half as much as many small ones. Larger batches do not fit the cache of the store's writer, and
  /// delay other writes.
  static let limit = (cards: 400, bytes: 4 << 20)
  /// The number of cards of the first batch of a request: at the beginning of a pass the store has nothing to do before it
  /// comes. A worker that goes on with a folder after another one begins with no small batch.
  static let firstCards = 100

  private let yield: @Sendable (CardBatch) async throws(Failure) -> Void
  private var batch = CardBatch()
  private var bytes = 0
  private var isFirst: Bool
  /// The cards so far, including unreadable ones.
  private(set) var count = 0
  /// The files so far, including those of an earlier attempt.
  private var files: UInt32
  private let checkpoint: Checkpoint

  /// Makes an empty batcher.
  ///
  /// - Parameter checkpoint: Receives, before each batch, the number of files that are complete with it, if files are
  ///   read in order.
  init(
    checkpoint: Checkpoint = Checkpoint(), _ yield: @escaping @Sendable (CardBatch) async throws(Failure) -> Void
  ) {
    self.yield = yield
    self.checkpoint = checkpoint
    self.files = Self.files(before: checkpoint)
    self.isFirst = self.files == 0
  }

  /// How many files an earlier attempt has completed.
  static func files(before checkpoint: Checkpoint) -> UInt32 {
    checkpoint.resumed.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Adds the cards of one file, which stay in one batch: cards missing in the file are found by one batch.
  mutating func add(_ cards: [CardRead]) async throws(Failure) {
    self.batch.cards += cards
    self.count += cards.count
    self.files += 1
    for card in cards { self.bytes += card.raw.count + card.pictures.reduce(256) { $0 + $1.data.count } }
    let cards = self.isFirst ? Self.firstCards : Self.limit.cards
    if self.batch.cards.count >= cards || self.bytes >= Self.limit.bytes { try await self.flush() }
  }

  /// Sends the batch.
  mutating func flush() async throws(Failure) {
    guard !self.batch.cards.isEmpty else { return }
    guard !Task.isCancelled else { throw .cancelled }
    self.checkpoint.set((0..<4).reversed().map { UInt8(truncatingIfNeeded: self.files >> (8 * UInt32($0))) })
    let batch = self.batch
    self.batch = CardBatch()
    self.bytes = 0
    self.isFirst = false
    try await self.yield(batch)
  }
}
