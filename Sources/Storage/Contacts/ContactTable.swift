public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// The contacts: reading.
public struct ContactTable<View: DatabaseView> {
  let view: View

  /// The contact of an id, deleted ones included; nil when there is none.
  public func get(_ id: String) throws(Failure) -> Contact? {
    guard let row = try self.row(of: id) else { return nil }
    return try self.load([row]).first
  }

  /// A page of contacts in the order of their names.
  ///
  /// The page ends early, with `next_cursor` set, where the reply would grow too large.
  ///
  /// - Parameters:
  ///   - limit: How many contacts: 0 = 50, more than 500 = 500.
  ///   - cursor: `next_cursor` of the page before; empty = the first page.
  ///   - source: Only of this one; empty = of all.
  ///   - includeDeleted: Whether deleted contacts stand among the others.
  ///   - isReply: Whether the page has to fit one reply; else it has all contacts of `limit`, whole.
  /// - Throws: `FIELD_INVALID` for the cursor; `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func page(
    limit: UInt32 = 0, cursor: String = "", source: String = "", includeDeleted: Bool = false, isReply: Bool = true
  ) throws(Failure) -> ListContactsReply {
    let limit = PageLimit.records(limit)
    let start = cursor.isEmpty ? PageCursor(key: "", row: 0) : try PageCursor(text: cursor)
    let sourceRow: Int64? = source.isEmpty ? nil : try self.view.sources.row(of: source)
    let places = try self.view.attempt { database in
      let live = Self.selection(ofSource: sourceRow != nil, where: "deleted_at IS NULL")
      let deleted = Self.selection(ofSource: sourceRow != nil, where: "deleted_at IS NOT NULL")
      let statement = try database.cachedStatement(
        sql: !includeDeleted
          ? live : "SELECT * FROM (\(live)) UNION ALL SELECT * FROM (\(deleted)) ORDER BY sort_key, id LIMIT :limit")
      var arguments: StatementArguments = ["key": start.key, "row": start.row, "limit": limit + 1]
      if let sourceRow { arguments += ["source": sourceRow] }
      return try Row.fetchAll(statement, arguments: arguments).map { PageCursor(key: $0[0], row: $0[1]) }
    }
    var reply = ListContactsReply()
    let rows = places.prefix(limit).map(\.row)
    reply.contacts = isReply ? try self.loadWhatFits(rows) : try self.load(rows)
    if reply.contacts.count < places.count { reply.nextCursor = places[reply.contacts.count - 1].text }
    return reply
  }

  /// How many contacts of a source are not deleted.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func count(source: String) throws(Failure) -> Int {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) FROM contact WHERE source = ? AND deleted_at IS NULL"),
        arguments: [row]) ?? 0
    }
  }

  /// The row of a contact.
  func row(of id: String) throws(Failure) -> Int64? {
    try self.view.attempt { database in
      try EngineStatement(database, "SELECT id FROM contact WHERE uuid = ?").first([.text(id)]) { $0.integer(0) }
    }
  }

  /// Reads contacts in the order of `rows`, as many as fit into one reply, and at least one.
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

  /// Reads contacts in the order of `rows`: one query a table, whatever their number.
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
