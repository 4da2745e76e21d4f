public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension DatabaseView {
  /// The contacts.
  public var contacts: ContactTable<Self> { ContactTable(view: self) }
}

/// The contacts.
public struct ContactTable<View: DatabaseView> {
  let view: View

  /// A contact, also a deleted one; nil if the id is unknown.
  public func get(_ id: String) throws(Failure) -> Contact? {
    guard let row = try self.row(of: id) else { return nil }
    return try self.load([row]).first
  }

  /// A page of contacts in the order of their names.
  ///
  /// The page ends early, with `next_cursor` set, if the reply would become too large.
  ///
  /// - Parameters:
  ///   - limit: How many contacts: 0 = 50, more than 500 = 500.
  ///   - cursor: `next_cursor` of the page before; empty = the first page.
  ///   - source: Only contacts of this source; empty = of all.
  ///   - includeDeleted: Whether to include deleted contacts.
  ///   - heldBack: Whether to leave out all contacts but those whose deletion is held back.
  ///   - isReply: Whether the page must fit one reply. If false, it has `limit` whole contacts.
  /// - Throws: `FIELD_INVALID` for the cursor; `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func page(
    limit: UInt32 = 0, cursor: String = "", source: String = "", includeDeleted: Bool = false, heldBack: Bool = false,
    isReply: Bool = true
  ) throws(Failure) -> ListContactsReply {
    let limit = PageLimit.records(limit)
    let start = cursor.isEmpty ? PageCursor(key: "", row: 0) : try PageCursor(text: cursor)
    let sourceRow: Int64? = source.isEmpty ? nil : try self.view.sources.row(of: source)
    let places = try self.view.attempt { database in
      let live = Self.selection(
        ofSource: sourceRow != nil, where: "deleted_at IS NULL" + (heldBack ? " AND missing_since IS NOT NULL" : ""))
      let deleted = Self.selection(ofSource: sourceRow != nil, where: "deleted_at IS NOT NULL")
      return try database.all(
        !includeDeleted || heldBack
          ? live : "SELECT * FROM (\(live)) UNION ALL SELECT * FROM (\(deleted)) ORDER BY sort_key, id LIMIT :limit",
        named: [
          "key": .text(start.key), "row": .integer(start.row), "limit": .integer(Int64(limit + 1)),
          "source": .optional(sourceRow),
        ]
      ) { PageCursor(key: $0.text(0), row: $0.integer(1)) }
    }
    var reply = ListContactsReply()
    let rows = places.prefix(limit).map(\.row)
    reply.contacts = isReply ? try self.loadWhatFits(rows) : try self.load(rows)
    if reply.contacts.count < places.count { reply.nextCursor = places[reply.contacts.count - 1].text }
    return reply
  }

  /// The number of a source's contacts that are not deleted.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func count(source: String) throws(Failure) -> Int {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try database.first("SELECT count(*) FROM contact WHERE source = ? AND deleted_at IS NULL", .integer(row)) {
        Int($0.integer(0))
      } ?? 0
    }
  }

  /// The names of contacts, by their ids. Unknown ids are left out.
  public func names(of ids: [String]) throws(Failure) -> [String: String] {
    try self.view.attempt { database in
      let names = try database.all(
        "SELECT uuid, formatted_name FROM contact WHERE uuid IN (SELECT value FROM json_each(?))",
        .text(ColumnValues.array(ids))
      ) { ($0.text(0), $0.text(1)) }
      return Dictionary(names) { first, _ in first }
    }
  }

  /// The row of a contact; nil if the id is unknown.
  func row(of id: String) throws(Failure) -> Int64? {
    try self.view.attempt { database in
      try database.first("SELECT id FROM contact WHERE uuid = ?", .text(id)) { $0.integer(0) }
    }
  }

  /// Reads contacts in the order of `rows`: as many as fit one reply, and at least one.
  func loadWhatFits(_ rows: [Int64]) throws(Failure) -> [Contact] {
    var page = Page<Contact>(room: PageLimit.bodyBytes)
    for start in stride(from: 0, to: rows.count, by: PageLimit.chunk) {
      for contact in try self.load(Array(rows[start..<min(start + PageLimit.chunk, rows.count)])) {
        var contact = contact
        var room = contact.roomInReply
        if room > PageLimit.bodyBytes {
          contact = PageLimit.fit(contact)
          room = contact.roomInReply
        }
        guard page.hasRoom(for: room) else { return page.records }
        page.append(contact)
      }
    }
    return page.records
  }

  /// Reads contacts in the order of `rows`, with one query per table.
  func load(_ rows: [Int64]) throws(Failure) -> [Contact] {
    try self.view.attempt { database in
      var contacts = [Contact](repeating: Contact(), count: rows.count)
      let indices = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($0.element, $0.offset) })
      try EngineStatement(database, ContactRow.selection).forEach([.text(ColumnValues.array(rows))]) { row in
        guard let index = indices[row.integer(0)] else { return }
        var contact = ContactRow.contact(from: row, at: 3)
        contact.id = row.text(1)
        contact.source = row.text(2)
        contacts[index] = contact
      }
      try ContactValueTable(database: database).read(into: &contacts, indices: indices)
      return contacts
    }
  }

  private static func selection(ofSource: Bool, where state: String) -> String {
    """
    SELECT sort_key, id FROM contact WHERE \(state)\(ofSource ? " AND source = :source" : "")
    AND (sort_key, id) > (:key, :row) ORDER BY sort_key, id LIMIT :limit
    """
  }
}

/// Writing. Each method appends the changed contacts to the transaction's events.
extension ContactTable where View == Transaction {
  /// Inserts a contact.
  ///
  /// - Parameter contact: Has a new id and the name of an existing source.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source; `ALREADY_EXISTS/RECORD_EXISTS` for the id; `FIELD_INVALID`.
  public func insert(_ contact: Contact) throws(Failure) {
    let source = try self.view.sources.row(of: contact.source)
    guard !contact.id.isEmpty else { throw .invalid(field: "id", "is empty.") }
    guard try self.row(of: contact.id) == nil else {
      throw Failure(.alreadyExists, "RECORD_EXISTS", "There is a contact \(contact.id) already.")
    }
    _ = try self.add([PreparedContact(contact)], source: source)
  }

  /// Inserts contacts with new ids.
  ///
  /// - Returns: Their rows, in the same order.
  func add(_ contacts: [PreparedContact], source: Int64) throws(Failure) -> [Int64] {
    let rows = try self.view.attempt { database in
      let insertion = try EngineStatement(database, ContactRow.insertion)
      let rows = try contacts.map { contact in
        try insertion.run(.text(contact.contact.id), .integer(source), andEach: contact.fields)
        return database.lastInsertedRowID
      }
      let added = zip(rows, contacts)
      try ContactValueTable(database: database).insert(added.map { ($0, $1.lists) })
      try ContactSearchIndex(database: database).insert(
        added.filter { !$1.contact.hasDeletedAt }.map { ($0, $1.search, $1.names) }, source: source)
      return rows
    }
    self.view.changed(contacts: contacts.map(\.contact.id))
    try self.view.links.follow(to: contacts.map(\.contact))
    return rows
  }

  /// Replaces every field of the stored contact with the same id, deletion included. The creation stamp stays.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for contact or source; `FIELD_INVALID`.
  public func update(_ contact: Contact) throws(Failure) {
    try self.update(contact.id, with: PreparedContact(contact))
  }

  /// Replaces the stored contact `id`, as ``update(_:)`` does.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for contact or source.
  public func update(_ id: String, with prepared: PreparedContact) throws(Failure) {
    let row = try self.knownRow(of: id)
    let contact = prepared.contact
    let source = try self.view.sources.row(of: contact.source)
    try self.view.attempt { database in
      try EngineStatement(database, ContactRow.replacement).run(
        .integer(row), .integer(source), andEach: prepared.fields)
      let values = ContactValueTable(database: database)
      try values.delete(row: row)
      try values.insert([(row, prepared.lists)])
      let search = ContactSearchIndex(database: database)
      if contact.hasDeletedAt {
        try search.delete(row: row)
      } else {
        try search.update(prepared.search, prepared.names, row: row, source: source)
      }
    }
    self.view.changed(contacts: [id])
    try self.view.links.follow(to: [contact])
  }

  /// Soft-deletes contacts: lists and search leave them out, and they can be restored until they are purged.
  ///
  /// Unknown and already deleted contacts are skipped.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: The number of deleted contacts.
  @discardableResult
  public func softDelete(_ ids: [String], at now: Int64) throws(Failure) -> Int {
    let traces = try self.view.links.note(ids)
    let deleted = try self.view.attempt { database in
      let search = ContactSearchIndex(database: database)
      return try ids.filter { id in
        let row = try database.first("SELECT id FROM contact WHERE uuid = ? AND deleted_at IS NULL", .text(id)) {
          $0.integer(0)
        }
        guard let row else { return false }
        try database.run(
          "UPDATE contact SET deleted_at = ?1, updated_at = ?1, missing_since = NULL, is_kept = 0 WHERE id = ?2",
          .integer(now), .integer(row))
        try search.delete(row: row)
        return true
      }
    }
    self.view.changed(contacts: deleted)
    try self.view.links.follow(traces)
    return deleted.count
  }

  /// Undeletes a contact at a person's request, or keeps one whose deletion is held back. It stays although its card is missing.
  ///
  /// Any other contact does not change.
  ///
  /// - Returns: The contact after the change.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func restore(_ id: String, at now: Int64) throws(Failure) -> Contact {
    let row = try self.knownRow(of: id)
    guard var contact = try self.load([row]).first else { throw Self.unknown(id) }
    guard contact.hasDeletedAt || contact.hasMissingSince else { return contact }
    let source = try self.view.sources.row(of: contact.source)
    try self.view.attempt { database in
      try database.run(
        "UPDATE contact SET deleted_at = NULL, missing_since = NULL, updated_at = ?, is_kept = 1 WHERE id = ?",
        .integer(now), .integer(row))
      try ContactSearchIndex(database: database).update(
        SearchText(of: contact), NameWords(of: contact), row: row, source: source)
    }
    self.view.changed(contacts: [id])
    contact.clearDeletedAt()
    contact.clearMissingSince()
    contact.updatedAt = .init(nanosecondsSince1970: now)
    try self.view.links.follow(to: [contact])
    return contact
  }

  /// Erases contacts that were deleted long ago, with their cards and all else stored of them.
  ///
  /// It takes two calls: the first marks contacts that are due soon, a later one erases them. A clock that is set
  /// forward can therefore not erase a contact that was deleted just now.
  ///
  /// - Parameters:
  ///   - kept: How long contacts are kept after their deletion, in nanoseconds.
  ///   - notice: How long before its erasure a contact must be marked, in nanoseconds.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The ids of the erased contacts.
  @discardableResult
  public func purge(keptFor kept: Int64, notice: Int64, at now: Int64) throws(Failure) -> [String] {
    let ids = try self.view.attempt { database in
      // A mark is void if the contact was deleted again or the clock was set back.
      try database.run(
        """
        UPDATE contact SET erasure_noted_at = NULL
        WHERE deleted_at IS NOT NULL AND erasure_noted_at IS NOT NULL AND (deleted_at >= ?1 OR erasure_noted_at > ?2)
        """, .integer(now - kept + notice), .integer(now))
      try database.run(
        """
        UPDATE contact SET erasure_noted_at = ?2
        WHERE deleted_at IS NOT NULL AND deleted_at < ?1 AND erasure_noted_at IS NULL
        """, .integer(now - kept + notice), .integer(now))
      let rows = try database.all(
        "SELECT id FROM contact WHERE deleted_at IS NOT NULL AND deleted_at < ?1 AND erasure_noted_at <= ?2",
        .integer(now - kept), .integer(now - notice)
      ) { $0.integer(0) }
      return try self.erase(rows)
    }
    if !ids.isEmpty { try self.view.photos.dropUnreferenced() }
    return ids
  }

  /// Erases contacts with their cards and the problems of those. Photos stay.
  func erase(_ rows: [Int64]) throws(Failure) -> [String] {
    var traces: Set<ContactTrace> = []
    let ids = try self.view.attempt { database in
      let values = ContactValueTable(database: database)
      let search = ContactSearchIndex(database: database)
      let known = EngineValue.text(ColumnValues.array(rows))
      traces = try self.view.links.note(
        database.all("SELECT uuid FROM contact WHERE id IN (SELECT value FROM json_each(?))", known) { $0.text(0) })
      return try rows.compactMap { row in
        try values.delete(row: row)
        try search.delete(row: row)
        try database.run(
          "DELETE FROM card_problem WHERE (source, href) IN (SELECT source, href FROM card WHERE contact = ?)",
          .integer(row))
        try database.run("DELETE FROM card WHERE contact = ?", .integer(row))
        let id = try database.first("SELECT uuid FROM contact WHERE id = ?", .integer(row)) { $0.text(0) }
        try database.run("DELETE FROM contact WHERE id = ?", .integer(row))
        return id
      }
    }
    self.view.changed(contacts: ids)
    try self.view.links.follow(traces)
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

/// A contact converted for the tables and for search.
///
/// Preparing a contact takes about as long as writing it and needs no transaction. Prepare many contacts before the
/// transaction, because all other writes wait for it. A class, because it holds some ten strings and arrays: each pass of one
/// reference on the writer would otherwise be ten.
public final class PreparedContact: Sendable {
  /// The contact as given.
  public let contact: Contact
  let fields: PackedRows
  let lists: ContactLists
  let search: SearchText
  let names: NameWords

  /// Prepares a contact.
  ///
  /// - Throws: `FIELD_INVALID` if the photo's digest is invalid.
  public convenience init(_ contact: Contact) throws(Failure) {
    try self.init(
      contact, lists: ContactLists(of: contact), search: SearchText(of: contact), names: NameWords(of: contact))
  }

  private init(_ contact: Contact, lists: ContactLists, search: SearchText, names: NameWords) throws(Failure) {
    self.contact = contact
    self.fields = try ContactRow.arguments(of: contact, sortKey: search.sortKey)
    self.lists = lists
    self.search = search
    self.names = names
  }

  /// The same contact with a picture. The expensive parts are reused.
  ///
  /// - Throws: `FIELD_INVALID` if the digest is invalid.
  public func showing(_ photo: BlobRef) throws(Failure) -> PreparedContact {
    var contact = self.contact
    contact.photo = photo
    return try PreparedContact(contact, lists: self.lists, search: self.search, names: self.names)
  }
}
