internal import Bus

/// What is known of the journal without reading it: which keys it may have, and how much it holds.
///
/// Keys are kept as 64-bit hashes. A hash without a row costs one read; a row without a hash is refused by the unique
/// index of its key. The set may therefore err on either side, and no command runs twice.
///
/// Uncommitted keys are kept apart: a rollback removes such a key, and it stays if the same group deletes an older row
/// of the same key.
struct JournalIndex: Sendable {
  private var hashes: Set<Int> = []
  private var uncommitted: Set<Int> = []
  /// The number of finished rows.
  private(set) var rows = 0
  /// The running sum in the newest finished row.
  private(set) var keptBytes: Int64 = 0
  /// The running sum in the newest deleted row.
  private(set) var forgottenBytes: Int64 = 0

  init() {}

  /// Creates the index of an opened file.
  ///
  /// - Parameters:
  ///   - keys: Principal and key of all rows.
  ///   - rows: The number of finished rows.
  ///   - keptBytes: The sum in the newest finished row.
  ///   - forgottenBytes: The sum before the oldest finished row.
  init(keys: some Sequence<(String, String)>, rows: Int, keptBytes: Int64, forgottenBytes: Int64) {
    for (principal, key) in keys { self.hashes.insert(Self.hash(principal, key)) }
    self.rows = rows
    self.keptBytes = keptBytes
    self.forgottenBytes = forgottenBytes
  }

  /// Whether the key may have a row.
  func mayHold(_ ticket: CommandTicket) -> Bool {
    let hash = Self.hash(ticket.principal, ticket.key)
    return self.hashes.contains(hash) || self.uncommitted.contains(hash)
  }

  /// Adds a key whose row is about to be written.
  ///
  /// - Returns: Whether the key is new.
  mutating func note(_ ticket: CommandTicket) -> Bool {
    let hash = Self.hash(ticket.principal, ticket.key)
    return self.uncommitted.insert(hash).inserted && !self.hashes.contains(hash)
  }

  /// Commits a key.
  ///
  /// - Parameter finishedBytes: The bytes of the finished row; nil if none was written.
  mutating func commit(_ ticket: CommandTicket, finishedBytes: Int64?) {
    if let hash = self.uncommitted.remove(Self.hash(ticket.principal, ticket.key)) { self.hashes.insert(hash) }
    guard let finishedBytes else { return }
    self.rows += 1
    self.keptBytes += finishedBytes
  }

  /// Removes a key that was rolled back.
  mutating func drop(_ ticket: CommandTicket) { self.uncommitted.remove(Self.hash(ticket.principal, ticket.key)) }

  /// Removes the keys of committed deletions.
  mutating func forget(_ keys: [(String, String)], forgottenBytes: Int64) {
    for (principal, key) in keys { self.hashes.remove(Self.hash(principal, key)) }
    self.rows -= keys.count
    self.forgottenBytes = max(self.forgottenBytes, forgottenBytes)
  }

  /// Whether the journal is a slice over the limits.
  func isOver(_ limits: JournalLimits) -> Bool {
    self.rows >= limits.rows + limits.slice || self.keptBytes - self.forgottenBytes > limits.bytes
  }

  private static func hash(_ principal: String, _ key: String) -> Int {
    var hasher = Hasher()
    hasher.combine(principal)
    hasher.combine(key)
    return hasher.finalize()
  }
}
