internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// The full-text index of people: name, nickname, company, e-mail addresses and numbers; and their place in the index of names.
struct PersonSearchIndex {
  let database: Database

  /// Updates the entry of a person.
  func refresh(_ row: Int64) throws {
    let entry = try self.entry(of: row)
    let known = try self.text(of: row)
    if known != entry?.text { try self.replace(known, entry, row) }
  }

  /// Replaces what the index has of a person.
  func rebuild(_ row: Int64) throws { try self.replace(try self.text(of: row), try self.entry(of: row), row) }

  private func replace(_ known: SearchText?, _ entry: Entry?, _ row: Int64) throws {
    if let known { try self.unlist(known, row) }
    guard let entry else { return }
    try self.list(entry, row)
    try NameIndex(database: self.database).insert([(NameOwner(person: row), entry.names)])
  }

  /// Removes a person.
  func delete(_ row: Int64) throws {
    if let known = try self.text(of: row) { try self.unlist(known, row) }
  }

  /// The word in the texts of all people of an account.
  static func mark(ofAccount account: Int64) -> String { SearchText.word(ofSource: account) }

  private struct Entry {
    let account: Int64
    let text: SearchText
    let names: NameWords
  }

  /// The entry of a person; nil if the person is deleted.
  private func entry(of row: Int64) throws -> Entry? {
    let stored = try self.database.first(
      "SELECT account, sort_key, body FROM record WHERE id = ? AND deleted_at IS NULL", .integer(row)
    ) { (account: $0.integer(0), sortKey: $0.text(1), body: $0.blob(2)) }
    guard let stored else { return nil }
    let person = try Person(serializedBytes: stored.body)
    var ways: [String] = []
    try EngineStatement(
      self.database,
      """
      SELECT record.body FROM record_person CROSS JOIN record ON record.id = record_person.record
      WHERE record_person.person = ? AND record_person.kind = \(RecordKind.contactField.rawValue)
        AND record_person.is_deleted = 0
      """
    ).forEach([.integer(row)]) { field in
      let field = try ContactField(serializedBytes: field.blob(0))
      let digits = SearchText.digits(of: field.data)
      if field.data.utf8.contains(UInt8(ascii: "@")) {
        ways.append(field.data)
      } else if digits.utf8.count > 2 {
        ways += [field.data, digits]
      }
    }
    var names = [person.displayName, person.firstName, person.middleName, person.lastName, person.nickname]
    for (one, other) in [(person.lastName, person.firstName), (person.firstName, person.lastName)] {
      // Scripts without blanks have none between these either.
      guard let last = one.unicodeScalars.last, let first = other.unicodeScalars.first else { continue }
      if SearchText.isDense(last), SearchText.isDense(first) { names.append(one + other) }
    }
    let marks = [Self.mark(ofAccount: stored.account)]
    return Entry(
      account: stored.account,
      text: SearchText(
        sortKey: stored.sortKey, names: SearchText.text(of: names, marks: marks),
        words: SearchText.text(of: names + [person.company] + ways, marks: marks)),
      names: NameWords(of: person))
  }

  private func list(_ entry: Entry, _ row: Int64) throws {
    try self.database.run(
      "INSERT INTO person_search (person, account, sort_key, names, words) VALUES (?, ?, ?, ?, ?)", .integer(row),
      .integer(entry.account), .text(entry.text.sortKey), .text(entry.text.names), .text(entry.text.words))
    try self.database.run(
      "INSERT INTO person_words (rowid, words) VALUES (?, ?)", .integer(row), .text(entry.text.words))
  }

  private func unlist(_ text: SearchText, _ row: Int64) throws {
    try self.database.run(
      "INSERT INTO person_words (person_words, rowid, words) VALUES ('delete', ?, ?)", .integer(row), .text(text.words))
    try self.database.run("DELETE FROM person_search WHERE person = ?", .integer(row))
    try NameIndex(database: self.database).remove(NameOwner(person: row))
  }

  private func text(of row: Int64) throws -> SearchText? {
    try self.database.first("SELECT sort_key, names, words FROM person_search WHERE person = ?", .integer(row)) {
      SearchText(sortKey: $0.text(0), names: $0.text(1), words: $0.text(2))
    }
  }
}
