internal import GRDB

/// Keeps the search texts of live contacts, the two full-text indexes over them and the index of names up to date.
///
/// The indexes do not store the texts. Deleting an entry needs the text it was made of
/// (<https://www.sqlite.org/fts5.html#the_delete_command>), so only this type writes these tables.
struct ContactSearchIndex {
  let database: Database

  /// Adds contacts that are not in the index.
  func insert(_ contacts: [(row: Int64, text: SearchText, names: NameWords)], source: Int64) throws {
    let mark = SearchText.word(ofSource: source)
    for (row, text, _) in contacts { try self.list(text.marked(mark), row: row) }
    try NameIndex(database: self.database).insert(contacts.map { (NameOwner(contact: $0.row), $0.names) })
  }

  /// Replaces a contact's search text.
  func update(_ text: SearchText, _ names: NameWords, row: Int64, source: Int64) throws {
    let text = text.marked(SearchText.word(ofSource: source))
    if let old = try self.text(of: row) {
      guard old != text else { return }
      try self.unlist(old, row: row)
    }
    try NameIndex(database: self.database).set(names, of: NameOwner(contact: row))
    try self.list(text, row: row)
  }

  /// Removes a contact from search.
  func delete(row: Int64) throws {
    guard let old = try self.text(of: row) else { return }
    try self.unlist(old, row: row)
    try NameIndex(database: self.database).remove(NameOwner(contact: row))
  }

  private func list(_ text: SearchText, row: Int64) throws {
    try self.database.run(
      "INSERT INTO contact_search (contact, sort_key, names, words) VALUES (?, ?, ?, ?)",
      .integer(row), .text(text.sortKey), .text(text.names), .text(text.words))
    try self.database.run("INSERT INTO contact_names (rowid, names) VALUES (?, ?)", .integer(row), .text(text.names))
    try self.database.run("INSERT INTO contact_words (rowid, words) VALUES (?, ?)", .integer(row), .text(text.words))
  }

  private func unlist(_ text: SearchText, row: Int64) throws {
    try self.database.run(
      "INSERT INTO contact_names (contact_names, rowid, names) VALUES ('delete', ?, ?)",
      .integer(row), .text(text.names))
    try self.database.run(
      "INSERT INTO contact_words (contact_words, rowid, words) VALUES ('delete', ?, ?)",
      .integer(row), .text(text.words))
    try self.database.run("DELETE FROM contact_search WHERE contact = ?", .integer(row))
  }

  private func text(of row: Int64) throws -> SearchText? {
    try self.database.first(
      "SELECT sort_key, names, words FROM contact_search WHERE contact = ?", .integer(row)
    ) { SearchText(sortKey: $0.text(0), names: $0.text(1), words: $0.text(2)) }
  }
}
