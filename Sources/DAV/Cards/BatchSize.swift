/// How many cards are asked for at once: as many as fill a reply of about 4 MB.
///
/// Small enough to hold two of them, large enough that the time between requests does not count.
struct BatchSize: Sendable {
  static let range = 10...500
  static let goal = 4 << 20

  private(set) var count = 100
  /// Whether a reply has shown how large the cards are.
  private(set) var isMeasured = false
  /// What a failure has taught: more than this is not tried again.
  private var ceiling = Self.range.upperBound

  /// Learns from a reply.
  mutating func succeeded(cards: Int, bytes: Int) {
    guard cards > 0 else { return }
    self.isMeasured = true
    let fitting = Self.goal / max(1, bytes / cards)
    // One batch of small cards says little of the next: at most four times as many.
    self.count = min(max(min(fitting, self.count * 4), Self.range.lowerBound), self.ceiling)
  }

  /// Halves the batch after one that was too much. Returns false when it cannot be smaller.
  mutating func failed(asked: Int) -> Bool {
    guard asked > Self.range.lowerBound else { return false }
    // Never more again: of two batches under way the larger one may fail later.
    self.ceiling = min(self.ceiling, max(Self.range.lowerBound, asked / 2))
    self.count = min(self.count, self.ceiling)
    return true
  }
}
