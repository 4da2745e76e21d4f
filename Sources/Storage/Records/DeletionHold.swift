internal import Bus
internal import GRDB

/// While it lasts, a person is asked about everything that the server lacks: many records were missing at once, and the server may have been
/// restored from an old backup.
///
/// It ends with readings to the end and not with the time of day: with the second of two that are at least twelve hours apart, the first as
/// long after its beginning. A clock that is set forward replaces one of the two waits, never both; one that is set back begins them again.
struct DeletionHold: Equatable {
  /// When it began, or a reading last counted towards its end, in nanoseconds since 1970.
  let countedAt: Int64
  /// How many readings have counted.
  var readings = 0

  /// The most records that go because the server lacks them, between two readings to the end.
  static let mostGone = 10
  /// How many readings end it.
  static let readingsToEnd = 2
  /// The shortest time between two readings that count: 12 hours, in nanoseconds.
  static let gap: Int64 = 12 * 3_600 * 1_000_000_000

  /// The hold after a reading; nil if that ends it.
  func after(readingAt now: Int64) -> DeletionHold? {
    if now < self.countedAt { return DeletionHold(countedAt: now) }
    guard now - self.countedAt >= Self.gap else { return self }
    guard self.readings + 1 < Self.readingsToEnd else { return nil }
    return DeletionHold(countedAt: now, readings: self.readings + 1)
  }
}

extension AccountTable {
  /// The hold of the account in use; nil if there is none.
  func deletionHold() throws(Failure) -> DeletionHold? {
    try self.view.attempt { database in
      try database.first("SELECT held_at, held_readings FROM monica_account WHERE is_current AND held_at IS NOT NULL") {
        DeletionHold(countedAt: $0.integer(0), readings: Int($0.integer(1)))
      }
    }
  }

  /// How many records were deleted here because the server lacks them, since it was last read to the end.
  func countOfGone() throws(Failure) -> Int {
    try self.view.attempt { database in
      try database.first("SELECT gone FROM monica_account WHERE is_current") { Int($0.integer(0)) } ?? 0
    }
  }
}

extension AccountTable where View == Transaction {
  func setDeletionHold(_ hold: DeletionHold?) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        "UPDATE monica_account SET held_at = ?, held_readings = ? WHERE is_current",
        hold.map { .integer($0.countedAt) } ?? .null, .integer(Int64(hold?.readings ?? 0)))
    }
  }

  /// A person has deleted what was asked about: what went before was deleted on the server by somebody, too.
  func endDeletionHold() throws(Failure) {
    try self.setDeletionHold(nil)
    try self.setCountOfGone(0)
  }

  func setCountOfGone(_ count: Int) throws(Failure) {
    try self.view.attempt { database in
      try database.run("UPDATE monica_account SET gone = ? WHERE is_current", .integer(Int64(count)))
    }
  }
}
