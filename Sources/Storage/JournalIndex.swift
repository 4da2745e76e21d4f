internal import Bus

/// What must be known of the journal without reading it: which keys may be in it, and how much it holds.
///
/// Keys are kept as 64-bit hashes. A hash that is here without its row costs one read; a row without its hash is refused
/// by the unique index of its key. So the set may err on either side, and nothing happens twice.
///
/// A key whose row is not committed yet is kept apart: it goes when the row is rolled back, and stays when the same
/// group forgets an older row of it.
struct JournalIndex: Sendable {
  private var hashes: Set<Int> = []
  private var uncommitted: Set<Int> = []
  /// Finished rows.
  private(set) var rows = 0
  /// The running sum that the newest finished row carries.
  private(set) var keptBytes: Int64 = 0
  /// The same of the newest row that was forgotten.
  private(set) var forgottenBytes: Int64 = 0

  init() {}

  /// Begins with what the file holds.
  ///
  /// - Parameters:
  ///   - keys: Principal and key of all rows.
  ///   - rows: How many of them are finished.
  ///   - keptBytes: Of the newest finished row.
  ///   - forgottenBytes: What the sum was before the oldest finished row.
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

  /// A row is about to be written for the key.
  ///
  /// - Returns: Whether the key had none.
  mutating func note(_ ticket: CommandTicket) -> Bool {
    let hash = Self.hash(ticket.principal, ticket.key)
    return self.uncommitted.insert(hash).inserted && !self.hashes.contains(hash)
  }

  /// What was written for the key was committed.
  ///
  /// - Parameter finishedBytes: Of the finished row; nil when there was none.
  mutating func commit(_ ticket: CommandTicket, finishedBytes: Int64?) {
    if let hash = self.uncommitted.remove(Self.hash(ticket.principal, ticket.key)) { self.hashes.insert(hash) }
    guard let finishedBytes else { return }
    self.rows += 1
    self.keptBytes += finishedBytes
  }

  /// What was written for the key was rolled back.
  mutating func drop(_ ticket: CommandTicket) { self.uncommitted.remove(Self.hash(ticket.principal, ticket.key)) }

  /// Rows were forgotten, and that was committed.
  mutating func forget(_ keys: [(String, String)], forgottenBytes: Int64) {
    for (principal, key) in keys { self.hashes.remove(Self.hash(principal, key)) }
    self.rows -= keys.count
    self.forgottenBytes = max(self.forgottenBytes, forgottenBytes)
  }

  /// Whether more is kept than the limits allow, by a slice.
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
