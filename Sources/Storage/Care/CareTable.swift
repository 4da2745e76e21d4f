public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension DatabaseView {
  /// The entries of care.
  public var care: CareTable<Self> { CareTable(view: self) }
}

/// The entries of care.
public struct CareTable<View: DatabaseView> {
  let view: View

  /// An entry, also a deleted one; nil if the id is unknown.
  ///
  /// - Parameter withVersions: Whether to add the earlier versions, the newest first, as many as fit one reply.
  public func get(_ id: String, withVersions: Bool = false) throws(Failure) -> CareRecord? {
    guard let (row, found) = try self.row(id) else { return nil }
    guard withVersions else { return found }
    return try self.view.attempt { database in
      var page = Page<CareVersion>()
      try EngineStatement(database, "SELECT body FROM care_version WHERE record = ? ORDER BY position DESC")
        .takeRows([.integer(row)]) { row in
          let body = row.blob(0)
          guard page.hasRoom(for: body.count) else { return false }
          page.append(try CareVersion(serializedBytes: body))
          return true
        }
      var record = found
      record.versions = page.records
      return record
    }
  }

  /// An entry that must exist.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> CareRecord {
    guard let record = try self.get(id) else {
      throw .unknownRecord(id, "There is no care record '\(id.prefix(64))'. `kith care list` lists them.")
    }
    return record
  }

  /// A page of entries.
  ///
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(_ query: CareQuery) throws(Failure) -> ListCareReply {
    let limit = PageLimit.records(query.limit)
    let direction = query.isAscending ? ("ASC", ">") : ("DESC", "<")
    let start = try PageCursor.numbered(query.cursor)
    let words = SearchText.words(of: query.text)
    // The cursor's time bounds the index scan.
    let from = query.isAscending ? max(query.from ?? .min, start?.key ?? .min) : query.from ?? .min
    let to = query.isAscending ? query.to ?? .max : min(query.to ?? .max, start.map { $0.key &+ 1 } ?? .max)
    let page = try self.messages.page(
      by: "occurred_at",
      """
      WHERE deleted_at IS \(query.isDeleted ? "NOT NULL" : "NULL")
        AND occurred_at >= ?1 AND occurred_at < ?2 AND (?3 = '' OR category = ?3) AND (?4 = '' OR review = ?4)
        AND (?5 = '' OR state = ?5)
        AND (?6 IS NULL OR (occurred_at, id) \(direction.1) (?6, ?7))
        AND NOT EXISTS (SELECT 1 FROM json_each(?8) WHERE instr(words, value) = 0)
      ORDER BY occurred_at \(direction.0), id \(direction.0) LIMIT ?9
      """,
      [
        .integer(from), .integer(to), .text(query.category), .text(query.review), .text(query.state),
        start.map { .integer($0.key) } ?? .null, .integer(start?.row ?? 0), .text(ColumnValues.array(words)),
        .integer(Int64(limit + 1)),
      ], limit: limit)
    var reply = ListCareReply()
    reply.records = page.records
    reply.nextCursor = page.nextCursor
    return reply
  }

  /// Whether an entry that is not deleted happened in a time span.
  public func hasAny(from start: Int64, to end: Int64) throws(Failure) -> Bool {
    try self.messages.first(
      "WHERE deleted_at IS NULL AND occurred_at >= ? AND occurred_at < ? LIMIT 1", [.integer(start), .integer(end)])
      != nil
  }

  /// The entry that was created last, deleted or not; nil if there is none.
  public func lastMade() throws(Failure) -> CareRecord? { try self.messages.first("ORDER BY id DESC LIMIT 1") }

  /// The settings; empty until they are set.
  public func settings() throws(Failure) -> CareSettings { try self.careSettings.first() ?? CareSettings() }

  /// The name to note for an entry whose request has none: the key's or the device's, and for a user of this machine the household's
  /// setting.
  public func recorder(for principal: Principal) throws(Failure) -> String {
    principal.isLocal || principal == .hub ? try self.settings().recorder : principal.plainName
  }

  func row(_ id: String) throws(Failure) -> (row: Int64, record: CareRecord)? {
    try self.view.attempt { database in
      try database.first("SELECT id, body FROM care_record WHERE uuid = ?", .text(id)) { ($0.integer(0), $0.blob(1)) }
        .map { ($0, try CareRecord(serializedBytes: $1)) }
    }
  }

  private var messages: MessageTable<CareRecord, View> { MessageTable(view: self.view, name: "care_record") }
  private var careSettings: MessageTable<CareSettings, View> { MessageTable(view: self.view, name: "care_settings") }
}

extension CareTable where View == Transaction {
  /// Adds an entry.
  public func insert(_ record: CareRecord) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO care_record (occurred_at, category, state, review, deleted_at, words, body, uuid)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
      ).run(try Self.columns(of: record) + [.text(record.id)])
    }
    try self.announce(record.id)
  }

  /// Replaces an entry.
  ///
  /// - Parameter version: What the entry said before a correction; it is kept.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func replace(_ record: CareRecord, keeping version: CareVersion? = nil) throws(Failure) {
    guard let (row, _) = try self.row(record.id) else {
      _ = try self.require(record.id)
      return
    }
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        UPDATE care_record SET occurred_at = ?, category = ?, state = ?, review = ?, deleted_at = ?, words = ?, body = ?
        WHERE id = ?
        """
      ).run(try Self.columns(of: record) + [.integer(row)])
      guard let version else { return }
      try database.run(
        """
        INSERT INTO care_version (record, position, body)
        SELECT ?1, coalesce(max(position), 0) + 1, ?2 FROM care_version WHERE record = ?1
        """, .integer(row), .blob(try version.serializedBytes()))
    }
    try self.announce(record.id)
  }

  /// Changes the settings.
  public func configure(_ settings: CareSettings) throws(Failure) {
    try self.careSettings.put(settings, key: ["id": .integer(1)])
  }

  private func announce(_ id: String) throws(Failure) {
    var event = Event()
    event.changed.ids = [id]
    event.changed.kind = "care"
    try self.view.emit(event, on: EventStream.care.name)
  }

  private static func columns(of record: CareRecord) throws -> [EngineValue] {
    var body = record
    body.versions = []
    return [
      .integer(record.occurredAt.nanosecondsSince1970), .text(record.category), .text(record.state),
      .text(record.review), record.hasDeletedAt ? .integer(record.deletedAt.nanosecondsSince1970) : .null,
      .text(SearchText.words(of: record.transcript + "\n" + record.memo).joined(separator: " ")),
      .blob(try body.serializedBytes()),
    ]
  }
}

/// The filter of a list of entries. A property that is nil or empty does not filter.
public struct CareQuery: Sendable {
  /// The first instant, nanoseconds since 1970.
  public var from: Int64?
  /// The end, exclusive.
  public var to: Int64?
  /// As in `CareRecord.category`.
  public var category = ""
  /// As in `CareRecord.review`.
  public var review = ""
  /// As in `CareRecord.state`.
  public var state = ""
  /// Only entries with all words of this text.
  public var text = ""
  /// Whether to list deleted entries instead of the others.
  public var isDeleted = false
  /// Whether the oldest comes first.
  public var isAscending = false
  /// 1-500; 0 = 50.
  public var limit: UInt32 = 0
  /// `next_cursor` of the page before; empty = the first page.
  public var cursor = ""

  /// All entries, the newest first.
  public init() {}
}
