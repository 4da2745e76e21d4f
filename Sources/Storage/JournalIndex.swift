internal import Bus

/// What must be known of the journal without reading it: which keys may be in it, and how much it holds.
///
/// Keys are kept as 64-bit hashes. A hash that is here without its row costs one read; a row without its hash is refused
/// by the unique index of its key. So the set may err on either side, and nothing happens twice.
struct JournalIndex: Sendable {
  private var hashes: Set<Int> = []
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
  func mayHold(_ ticket: CommandTicket) -> Bool { self.hashes.contains(Self.hash(ticket.principal, ticket.key)) }

  /// A row was written for the key, committed or not.
  mutating func note(_ ticket: CommandTicket) { self.hashes.insert(Self.hash(ticket.principal, ticket.key)) }

  /// The sum that the next finished row carries.
  mutating func add(bytes: Int) -> Int64 {
    self.keptBytes += Int64(bytes)
    return self.keptBytes
  }

  /// A finished row was committed.
  mutating func noteFinished() { self.rows += 1 }

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
