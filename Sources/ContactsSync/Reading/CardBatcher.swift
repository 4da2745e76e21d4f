internal import Bus
internal import KithMessages

/// Gathers cards into batches that are worth a commit and small enough to hold.
struct CardBatcher: Sendable {
  /// Cards of a batch, and bytes of cards and pictures, at which it goes out.
  ///
  /// Each commit writes the pages of the indexes that it touched and a piece of the search index, which are merged later: few
  /// large ones cost half as much as many small ones. More than these do not fit the cache of the store's writer, and hold up
  /// whoever else writes.
  static let limit = (cards: 400, bytes: 4 << 20)

  private let yield: @Sendable (CardBatch) async throws(Failure) -> Void
  private var batch = CardBatch()
  private var bytes = 0
  /// The cards that were handed on or are gathered, those that could not be read included.
  private(set) var count = 0
  /// The files that were read, those of an earlier attempt included.
  private var files: UInt32
  private let checkpoint: Checkpoint

  /// Begins to gather.
  ///
  /// - Parameter checkpoint: Told before each batch how many files are done with it, for who reads files in their order.
  init(
    checkpoint: Checkpoint = Checkpoint(), _ yield: @escaping @Sendable (CardBatch) async throws(Failure) -> Void
  ) {
    self.yield = yield
    self.checkpoint = checkpoint
    self.files = Self.files(before: checkpoint)
  }

  /// How many files an earlier attempt has done with.
  static func files(before checkpoint: Checkpoint) -> UInt32 {
    checkpoint.resumed.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Adds the cards of one file, which stay together: what a file no longer holds is seen from one batch.
  mutating func add(_ cards: [CardRead]) async throws(Failure) {
    self.batch.cards += cards
    self.count += cards.count
    self.files += 1
    for card in cards { self.bytes += card.raw.count + card.pictures.reduce(256) { $0 + $1.data.count } }
    if self.batch.cards.count >= Self.limit.cards || self.bytes >= Self.limit.bytes { try await self.flush() }
  }

  /// Hands on what is gathered.
  mutating func flush() async throws(Failure) {
    guard !self.batch.cards.isEmpty else { return }
    guard !Task.isCancelled else { throw .cancelled }
    self.checkpoint.set((0..<4).reversed().map { UInt8(truncatingIfNeeded: self.files >> (8 * UInt32($0))) })
    let batch = self.batch
    self.batch = CardBatch()
    self.bytes = 0
    try await self.yield(batch)
  }
}
