public import Bus
internal import GRDB
public import KithMessages

/// The contacts: writing. Every method tells the transaction which contacts it changed.
extension ContactTable where View == Transaction {
  /// Adds a contact.
  ///
  /// - Parameter contact: With a new id, and the name of an existing source.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source; `ALREADY_EXISTS/RECORD_EXISTS` for the id; `FIELD_INVALID`.
  public func insert(_ contact: Contact) throws(Failure) {
    let source = try self.view.sources.row(of: contact.source)
    guard !contact.id.isEmpty else { throw .invalid(field: "id", "is empty.") }
    guard try self.row(of: contact.id) == nil else {
      throw Failure(.alreadyExists, "RECORD_EXISTS", "There is a contact \(contact.id) already.")
    }
    _ = try self.add(PreparedContact(contact), source: source)
  }

  /// Adds a contact whose id is new.
  ///
  /// - Returns: Its row.
  func add(_ prepared: PreparedContact, source: Int64) throws(Failure) -> Int64 {
    let contact = prepared.contact
    let row = try self.view.attempt { database in
      try EngineStatement(database, ContactRow.insertion).run(
        .text(contact.id), [.integer(source)] + prepared.fields)
      let row = database.lastInsertedRowID
      try ContactValueTable(database: database).insert(prepared.lists, row: row)
      if !contact.hasDeletedAt {
        try ContactSearchIndex(database: database).insert(prepared.search, row: row, source: source)
      }
      return row
    }
    self.view.changed(contacts: [contact.id])
    return row
  }

  /// Writes a contact over the stored one of the same id: every field, deletion included. Its creation stamp stays.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for contact or source; `FIELD_INVALID`.
  public func update(_ contact: Contact) throws(Failure) {
    try self.update(contact.id, with: PreparedContact(contact))
  }

  /// Writes a contact over the stored one of another id, as ``update(_:)`` does.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for contact or source.
  public func update(_ id: String, with prepared: PreparedContact) throws(Failure) {
    let row = try self.knownRow(of: id)
    let contact = prepared.contact
    let source = try self.view.sources.row(of: contact.source)
    try self.view.attempt { database in
      try EngineStatement(database, ContactRow.replacement).run(
        .integer(source), prepared.fields + [.integer(row)])
      let values = ContactValueTable(database: database)
      try values.delete(row: row)
      try values.insert(prepared.lists, row: row)
      let search = ContactSearchIndex(database: database)
      if contact.hasDeletedAt {
        try search.delete(row: row)
      } else {
        try search.update(prepared.search, row: row, source: source)
      }
    }
    self.view.changed(contacts: [id])
  }

  /// Deletes contacts softly: they leave lists and search, and can be restored until they are purged.
  ///
  /// Contacts that are unknown or deleted already stay as they are.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: How many went.
  @discardableResult
  public func softDelete(_ ids: [String], at now: Int64) throws(Failure) -> Int {
    let deleted = try self.view.attempt { database in
      let search = ContactSearchIndex(database: database)
      return try ids.filter { id in
        let row = try Int64.fetchOne(
          database.cachedStatement(sql: "SELECT id FROM contact WHERE uuid = ? AND deleted_at IS NULL"), arguments: [id]
        )
        guard let row else { return false }
        try database.cachedStatement(
          sql: """
            UPDATE contact SET deleted_at = ?1, updated_at = ?1, missing_since = NULL, is_kept = 0 WHERE id = ?2
            """
        ).execute(arguments: [now, row])
        try search.delete(row: row)
        return true
      }
    }
    self.view.changed(contacts: deleted)
    return deleted.count
  }

  /// Makes a deleted contact live again because a person asked for it. It is kept while its card stays away.
  ///
  /// A contact that is not deleted stays as it is.
  ///
  /// - Returns: The contact as it is now.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func restore(_ id: String, at now: Int64) throws(Failure) -> Contact {
    let row = try self.knownRow(of: id)
    guard var contact = try self.load([row]).first else { throw Self.unknown(id) }
    guard contact.hasDeletedAt else { return contact }
    let source = try self.view.sources.row(of: contact.source)
    try self.view.attempt { database in
      try database.cachedStatement(
        sql: "UPDATE contact SET deleted_at = NULL, missing_since = NULL, updated_at = ?, is_kept = 1 WHERE id = ?"
      ).execute(arguments: [now, row])
      try ContactSearchIndex(database: database).update(SearchText(of: contact), row: row, source: source)
    }
    self.view.changed(contacts: [id])
    contact.clearDeletedAt()
    contact.clearMissingSince()
    contact.updatedAt = .init(nanosecondsSince1970: now)
    return contact
  }

  /// Erases the contacts that were deleted long ago, with their cards and what else was kept of them.
  ///
  /// It takes two calls: the first one notes what is near its end, and a later one erases it. So a clock that is set forward
  /// cannot erase by itself what was deleted just now.
  ///
  /// - Parameters:
  ///   - kept: How long contacts are kept after their deletion, in nanoseconds.
  ///   - notice: How long before its erasure a contact has to be noted, in nanoseconds.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The ids of the contacts that went.
  @discardableResult
  public func purge(keptFor kept: Int64, notice: Int64, at now: Int64) throws(Failure) -> [String] {
    let ids = try self.view.attempt { database in
      // A note is void when the contact was deleted again, or the clock was set back.
      try database.execute(
        sql: """
          UPDATE contact SET erasure_noted_at = NULL
          WHERE deleted_at IS NOT NULL AND erasure_noted_at IS NOT NULL
            AND (deleted_at >= ?1 OR erasure_noted_at > ?2)
          """, arguments: [now - kept + notice, now])
      try database.execute(
        sql: """
          UPDATE contact SET erasure_noted_at = ?2
          WHERE deleted_at IS NOT NULL AND deleted_at < ?1 AND erasure_noted_at IS NULL
          """, arguments: [now - kept + notice, now])
      let rows = try Int64.fetchAll(
        database,
        sql: """
          SELECT id FROM contact
          WHERE deleted_at IS NOT NULL AND deleted_at < ?1 AND erasure_noted_at <= ?2
          """, arguments: [now - kept, now - notice])
      return try self.erase(rows)
    }
    if !ids.isEmpty { try self.view.photos.dropUnreferenced() }
    return ids
  }

  /// Erases contacts with their cards and the problems of these. Photos stay.
  func erase(_ rows: [Int64]) throws(Failure) -> [String] {
    let ids = try self.view.attempt { database in
      let values = ContactValueTable(database: database)
      let search = ContactSearchIndex(database: database)
      return try rows.compactMap { row in
        try values.delete(row: row)
        try search.delete(row: row)
        try database.cachedStatement(
          sql: """
            DELETE FROM card_problem
            WHERE (source, href) IN (SELECT source, href FROM card WHERE contact = ?)
            """
        ).execute(arguments: [row])
        try database.cachedStatement(sql: "DELETE FROM card WHERE contact = ?").execute(arguments: [row])
        let id = try String.fetchOne(
          database.cachedStatement(sql: "SELECT uuid FROM contact WHERE id = ?"), arguments: [row])
        try database.cachedStatement(sql: "DELETE FROM contact WHERE id = ?").execute(arguments: [row])
        return id
      }
    }
    self.view.changed(contacts: ids)
    return ids
  }

  private func knownRow(of id: String) throws(Failure) -> Int64 {
    guard let row = try self.row(of: id) else { throw Self.unknown(id) }
    return row
  }

  private static func unknown(_ id: String) -> Failure {
    .unknownRecord(
      id, "There is no contact '\(id.prefix(64))'. It may have been removed; `kith contacts search` finds others.")
  }
}
