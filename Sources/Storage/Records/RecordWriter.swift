internal import Bus
internal import Foundation
internal import GRDB
internal import KithMessages

/// Writes rows of `record` with the rows that follow from them: people, labels, blobs, search. It decides nothing.
struct RecordWriter {
  let database: Database

  /// The row of a record; nil if there is none.
  func read(_ row: Int64) throws -> StoredRecord? {
    var record: StoredRecord?
    try EngineStatement(self.database, StoredRecord.selection + " WHERE record.id = ?")
      .forEach([.integer(row)]) { record = try StoredRecord(from: $0) }
    return record
  }

  /// Rows in the order of their numbers.
  func read(_ rows: [Int64]) throws -> [StoredRecord] {
    var records: [StoredRecord] = []
    try EngineStatement(
      self.database, StoredRecord.selection + " WHERE record.id IN (SELECT value FROM json_each(?)) ORDER BY record.id"
    ).forEach([.text(ColumnValues.array(rows))]) { records.append(try StoredRecord(from: $0)) }
    return records
  }

  /// Writes a record; inserts it if its row is 0.
  ///
  /// - Parameter old: The stored record; nil if it is new.
  /// - Returns: Its row.
  @discardableResult
  func save(_ record: StoredRecord, over old: StoredRecord?) throws -> Int64 {
    let traits = record.traits
    let people = try self.rows(ofPeople: traits.people)
    let columns: [EngineValue] = [
      record.isOnServer ? .integer(Int64(bitPattern: record.monicaID)) : .null,
      record.kind == .person ? .null : people.first.map { .integer($0) } ?? .null,
      .integer(Int64(record.state.rawValue)), traits.sortKey.map { .text($0) } ?? .null, .integer(traits.rank),
      .integer(traits.at), traits.name.map { .text(of: $0) } ?? .null, .integer(traits.duration),
      .integer(traits.emotion), .integer(traits.theyCalled ? 1 : 0), .integer(record.createdAt),
      .integer(record.updatedAt), Self.value(record.deletedAt), Self.value(record.lastAttemptAt),
      Self.value(record.remoteStamp), .blob(try record.content.body),
      try record.base.map { .blob(try $0.body) } ?? .null, Self.value(record.remoteMadeAt),
      .integer(record.isDeletedThere ? 1 : 0), Self.value(record.left?.id), Self.value(record.left?.madeAt),
    ]
    guard let old else {
      try EngineStatement(self.database, Self.insertion).run(
        [.text(record.id), .integer(record.account), .integer(Int64(record.kind.rawValue))] + columns)
      let row = self.database.lastInsertedRowID
      try self.list(record, traits, row: row, people: people)
      return row
    }
    try EngineStatement(self.database, Self.replacement).run(columns + [.integer(old.row)])
    if old.traits != traits || old.isDeleted != record.isDeleted {
      try self.unlist(old.row)
      try self.list(record, traits, row: old.row, people: people)
    } else if record.kind == .person || record.kind == .contactField {
      try self.findable(record, row: old.row, people: people)
    }
    return old.row
  }

  /// Erases rows with all rows that follow from them.
  func erase(_ rows: [Int64]) throws {
    for row in rows {
      try self.unlist(row)
      try PersonSearchIndex(database: self.database).delete(row)
      for (table, column) in [
        ("outbox", "record"), ("conflict", "record"), ("person_link", "person"), ("person_link_dismissed", "person"),
        ("record_person", "person"), ("record", "id"),
      ] { try self.database.run("DELETE FROM \(table) WHERE \(column) = ?", .integer(row)) }
    }
  }

  /// The rows of people in the order of `ids`; unknown ids are left out.
  func rows(ofPeople ids: [String]) throws -> [Int64] {
    try ids.compactMap { id in
      try self.database.first("SELECT id FROM record WHERE uuid = ? AND kind = 1", .text(id)) { $0.integer(0) }
    }
  }

  private func list(_ record: StoredRecord, _ traits: RecordTraits, row: Int64, people: [Int64]) throws {
    let isDeleted = EngineValue.integer(record.isDeleted ? 1 : 0)
    let kind = EngineValue.integer(Int64(record.kind.rawValue))
    for person in people {
      try self.database.run(
        "INSERT INTO record_person (person, kind, is_deleted, rank, at, record) VALUES (?, ?, ?, ?, ?, ?)",
        .integer(person), kind, isDeleted, .integer(traits.rank), .integer(traits.at), .integer(row))
    }
    for label in traits.labels {
      try self.database.run(
        """
        INSERT INTO record_label (account, kind, label, is_deleted, sort_key, at, record) VALUES (?, ?, ?, ?, ?, ?, ?)
        """, .integer(record.account), kind, .text(label), isDeleted, .text(traits.sortKey ?? ""), .integer(traits.at),
        .integer(row))
    }
    for digest in traits.blobs {
      try self.database.run("INSERT INTO record_blob (sha256, record) VALUES (?, ?)", .blob(digest), .integer(row))
    }
    if !record.isDeleted, !traits.texts.isEmpty {
      try RecordSearchIndex(database: self.database).insert(
        traits, row: row, kind: record.kind, account: record.account, people: people)
    }
    try self.findable(record, row: row, people: people)
  }

  private func unlist(_ row: Int64) throws {
    try RecordSearchIndex(database: self.database).delete(row)
    for table in ["record_person", "record_label", "record_blob"] {
      try self.database.run("DELETE FROM \(table) WHERE record = ?", .integer(row))
    }
  }

  /// Updates the search index of people; their e-mail addresses are records of their own.
  private func findable(_ record: StoredRecord, row: Int64, people: [Int64]) throws {
    let index = PersonSearchIndex(database: self.database)
    switch record.kind {
    case .person: try index.refresh(row)
    case .contactField: for person in people { try index.refresh(person) }
    default: break
    }
  }

  private static func value(_ number: Int64?) -> EngineValue { number.map { .integer($0) } ?? .null }

  private static let columns = [
    "monica_id", "owner", "state", "sort_key", "rank", "at", "name", "duration", "emotion", "they_called", "created_at",
    "updated_at", "deleted_at", "last_attempt_at", "remote_stamp", "body", "base", "remote_made", "deleted_there",
    "left_id", "left_made",
  ]

  private static let insertion = """
    INSERT INTO record (uuid, account, kind, \(Self.columns.joined(separator: ", ")))
    VALUES (?, ?, ?\(String(repeating: ", ?", count: Self.columns.count)))
    """

  private static let replacement =
    "UPDATE record SET \(Self.columns.map { $0 + " = ?" }.joined(separator: ", ")) WHERE id = ?"
}
