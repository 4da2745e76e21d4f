internal import GRDB
internal import KithMessages

/// The full-text index of calls, conversations, notes and activities that are not deleted.
///
/// As in ``ContactSearchIndex``, an entry is removed by the text that it was made of.
struct RecordSearchIndex {
  let database: Database

  /// Adds a record.
  func insert(_ traits: RecordTraits, row: Int64, kind: RecordKind, account: Int64, people: [Int64]) throws {
    let marks = [Self.mark(of: kind, account: account)] + people.map(Self.mark(ofPerson:))
    let words = SearchText.text(of: traits.texts, marks: marks)
    let place = try self.freePlace(at: traits.at)
    try self.database.run(
      "INSERT INTO record_search (id, record, words) VALUES (?, ?, ?)", .integer(place), .integer(row), .text(words))
    try self.database.run("INSERT INTO record_words (rowid, words) VALUES (?, ?)", .integer(place), .text(words))
  }

  /// Removes a record.
  func delete(_ row: Int64) throws {
    let entry = try self.database.first("SELECT id, words FROM record_search WHERE record = ?", .integer(row)) {
      (place: $0.integer(0), words: $0.text(1))
    }
    guard let entry else { return }
    try self.database.run(
      "INSERT INTO record_words (record_words, rowid, words) VALUES ('delete', ?, ?)", .integer(entry.place),
      .text(entry.words))
    try self.database.run("DELETE FROM record_search WHERE record = ?", .integer(row))
  }

  /// The word in the texts of all records of a kind.
  static func mark(of kind: RecordKind, account: Int64) -> String {
    self.mark(0xF0000, account << 4 | Int64(kind.rawValue))
  }

  /// The word in the texts of all records about a person; others may share it.
  static func mark(ofPerson row: Int64) -> String { self.mark(0x100000, row) }

  /// The place of a moment in the order of ids: quarters of a second, so that neighbours in the index are small steps apart.
  static func place(at moment: Int64) -> Int64 { moment / 250_000_000 }

  private static func mark(_ plane: UInt32, _ number: Int64) -> String {
    String(Character(Unicode.Scalar(plane + UInt32(truncatingIfNeeded: number) & 0xFFFF) ?? "\u{F0000}"))
  }

  /// A place from a moment on that no record has, right behind one that has: where many have one moment, as after an import, it is
  /// found in steps that double, and not by walking past all of them.
  private func freePlace(at moment: Int64) throws -> Int64 {
    let wanted = Self.place(at: moment)
    guard try self.isTaken(wanted) else { return wanted }
    var (taken, step) = (wanted, Int64(1))
    while try self.isTaken(taken + step) {
      taken += step
      step *= 2
    }
    var free = taken + step
    while free - taken > 1 {
      let middle = taken + (free - taken) / 2
      if try self.isTaken(middle) { taken = middle } else { free = middle }
    }
    return free
  }

  private func isTaken(_ place: Int64) throws -> Bool {
    try self.database.first("SELECT 1 FROM record_search WHERE id = ?", .integer(place)) { _ in true
    }
      ?? false
  }
}
