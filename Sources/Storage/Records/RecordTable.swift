public import Bus
internal import GRDB
public import KithMessages

/// People and what happened with them: reading. All of it is about the account in use.
public struct RecordTable<View: DatabaseView> {
  let view: View

  /// The record of an id, deleted ones included; nil when there is none of this kind.
  public func get<R: SyncedRecord>(_ type: R.Type, _ id: String) throws(Failure) -> R? {
    guard let row = try self.row(of: id, R.kind) else { return nil }
    return try self.load([row]).first.flatMap { R($0) }
  }

  /// The record of an id, of whatever kind, deleted ones included; nil when there is none.
  public func find(_ id: String) throws(Failure) -> AnyRecord? {
    guard let row = try self.row(of: id) else { return nil }
    return try self.load([row]).first
  }

  /// The record of an id, deleted ones included.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require<R: SyncedRecord>(_ type: R.Type, _ id: String) throws(Failure) -> R {
    guard let record = try self.get(type, id) else { throw Self.unknown(R.kind, id) }
    return record
  }

  /// A page of records: people and tags by name, tasks those that are open first, everything else newest first.
  ///
  /// The page ends early, with `nextCursor` set, where the reply would grow too large.
  ///
  /// - Returns: The records, and where the next page begins; empty = there is none.
  /// - Throws: `FIELD_INVALID` for the cursor or the feeling; `NOT_FOUND/RECORD_UNKNOWN` for the person.
  public func page<R: SyncedRecord>(
    _ type: R.Type, _ query: RecordQuery
  ) throws(Failure) -> (records: [R], nextCursor: String) {
    let page = try self.page(of: [R.kind], query)
    return (page.records.compactMap { R($0) }, page.nextCursor)
  }

  /// A page of records of several kinds, newest first. People, tags and tasks have orders of their own and do not go along.
  ///
  /// - Throws: As ``page(_:_:)``.
  public func timeline(
    of kinds: [RecordKind], _ query: RecordQuery
  ) throws(Failure) -> (records: [AnyRecord], nextCursor: String) {
    try self.page(of: kinds.filter { !$0.isNamed && $0 != .task }, query)
  }

  /// The records of a person in the order of lists, at most 500.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the person.
  public func all<R: SyncedRecord>(_ type: R.Type, ofPerson person: String) throws(Failure) -> [R] {
    let places = try self.places(of: [R.kind], RecordQuery(person: person), limit: 500)
    return try self.load(places.map(\.row), seenBy: person).compactMap { R($0) }
  }

  /// How many records of a kind are not deleted.
  public func count(_ kind: RecordKind) throws(Failure) -> Int {
    let account = try self.account
    return try self.view.attempt { database in
      try database.first(
        """
        SELECT count(*) FROM record
        WHERE account = ? AND kind = ? AND sort_key IS \(kind.isNamed ? "NOT NULL" : "NULL") AND deleted_at IS NULL
        """, .integer(account), .integer(Int64(kind.rawValue))
      ) { Int($0.integer(0)) } ?? 0
    }
  }

  /// The row of the account in use.
  var account: Int64 {
    get throws(Failure) {
      let row = try self.view.attempt { database in
        try database.first("SELECT id FROM monica_account WHERE is_current") { $0.integer(0) }
      }
      guard let row else { throw .storeDamaged }
      return row
    }
  }

  /// The row of a record; nil when there is none of this kind.
  func row(of id: String, _ kind: RecordKind? = nil) throws(Failure) -> Int64? {
    try self.view.attempt { database in
      try database.first(
        """
        SELECT id FROM record WHERE uuid = ? AND account = (SELECT id FROM monica_account WHERE is_current)
          AND kind = coalesce(?, kind)
        """, .text(id), kind.map { .integer(Int64($0.rawValue)) } ?? .null
      ) { $0.integer(0) }
    }
  }

  func load(_ rows: [Int64], seenBy person: String? = nil) throws(Failure) -> [AnyRecord] {
    try self.view.attempt { database in try RecordLoader(database: database).load(rows, seenBy: person) }
  }

  func places(
    of kinds: [RecordKind], _ query: RecordQuery, limit: Int
  ) throws(Failure) -> [RecordListing.Place] {
    let isNamed = kinds.first?.isNamed ?? false
    var person: Int64?
    if let id = query.person {
      person = try self.row(of: id, .person)
      if person == nil { throw Self.unknown(.person, id) }
    }
    let listing = try RecordListing(
      of: kinds, self.asStored(query), account: self.account, person: person, limit: limit)
    guard !listing.sql.isEmpty else { return [] }
    return try self.view.attempt { database in
      try database.all(listing.sql, named: listing.values) { RecordListing.place(of: $0, isNamed: isNamed) }
    }
  }

  /// The query by the states that are stored: without an account, what is shown as here is stored as pending.
  func asStored(_ query: RecordQuery) throws(Failure) -> RecordQuery {
    guard let state = query.syncState, try !self.view.accounts.current().hasServer else { return query }
    var stored = query
    stored.syncState = state == .here ? .pending : .here
    return stored
  }

  private func page(
    of kinds: [RecordKind], _ query: RecordQuery
  ) throws(Failure) -> (records: [AnyRecord], nextCursor: String) {
    let limit = PageLimit.records(query.limit)
    let places = try self.places(of: kinds, query, limit: limit + 1)
    let records = try self.loadWhatFits(places.prefix(limit).map(\.row), seenBy: query.person)
    return (records, records.count < places.count ? places[records.count - 1].cursor.text : "")
  }

  /// Reads records in the order of `rows`, as many as fit into one reply, and at least one.
  func loadWhatFits(_ rows: [Int64], seenBy person: String? = nil) throws(Failure) -> [AnyRecord] {
    var records: [AnyRecord] = []
    var bytes = 0
    for start in stride(from: 0, to: rows.count, by: PageLimit.chunk) {
      for record in try self.load(Array(rows[start..<min(start + PageLimit.chunk, rows.count)]), seenBy: person) {
        let record = try self.fit(record)
        bytes += try Encoding.pb.encode(record.record).count + 8
        guard bytes <= PageLimit.replyBytes || records.isEmpty else { return records }
        records.append(record)
      }
    }
    return records
  }

  private func fit(_ record: AnyRecord) throws(Failure) -> AnyRecord {
    func fit<R: SyncedRecord>(_ record: R) throws(Failure) -> AnyRecord { try PageLimit.fit(record).any }
    return try fit(record.record)
  }

  static func unknown(_ kind: RecordKind?, _ id: String) -> Failure {
    let here = kind.map { "; `\($0.list)` shows those of this one" } ?? ""
    return .unknownRecord(
      id, "There is no \(kind?.noun ?? "record") '\(id.prefix(64))'. It may belong to another account\(here).")
  }
}

extension DatabaseView {
  /// People and what happened with them.
  public var records: RecordTable<Self> { RecordTable(view: self) }
  /// The queued changes.
  public var outbox: OutboxTable<Self> { OutboxTable(view: self) }
  /// The accounts on Monica servers.
  public var accounts: AccountTable<Self> { AccountTable(view: self) }
  /// The names that the server knows for genders and types.
  public var catalog: CatalogTable<Self> { CatalogTable(view: self) }
  /// The templates of calls.
  public var templates: TemplateTable<Self> { TemplateTable(view: self) }
  /// Which contacts of the address book are which people.
  public var links: LinkTable<Self> { LinkTable(view: self) }
}
