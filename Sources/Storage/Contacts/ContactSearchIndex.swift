internal import GRDB
internal import KithMessages

/// Keeps what search looks through in step with the live contacts. Triggers carry it into the two full-text indexes.
struct ContactSearchIndex {
  let database: Database

  /// Makes a contact findable, or findable by what it says now.
  func put(_ contact: Contact, row: Int64, source: Int64) throws {
    let text = SearchText(of: contact, source: source)
    try self.database.cachedStatement(
      sql: """
        INSERT INTO contact_search (contact, names, words) VALUES (?, ?, ?)
        ON CONFLICT (contact) DO UPDATE SET names = excluded.names, words = excluded.words
        WHERE names <> excluded.names OR words <> excluded.words
        """
    ).execute(arguments: [row, text.names, text.words])
  }

  /// Hides a contact.
  func delete(row: Int64) throws {
    try self.database.cachedStatement(sql: "DELETE FROM contact_search WHERE contact = ?").execute(arguments: [row])
  }
}
