internal import Bus
internal import Foundation
internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// Entries of care, their earlier versions, and the sound that waits for transcription.
  static let care = Migration(
    name: "care",
    sql: """
      -- body: a CareRecord message. The columns are what lists go by; words is what search looks through.
      CREATE TABLE care_record (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        occurred_at INTEGER NOT NULL,
        category TEXT NOT NULL,
        state TEXT NOT NULL,
        review TEXT NOT NULL,
        deleted_at INTEGER,
        words TEXT NOT NULL,
        body BLOB NOT NULL
      ) STRICT;
      CREATE INDEX care_record_live ON care_record (occurred_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX care_record_deleted ON care_record (occurred_at, id) WHERE deleted_at IS NOT NULL;

      -- body: a CareVersion message.
      CREATE TABLE care_version (
        record INTEGER NOT NULL,
        position INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (record, position)
      ) STRICT, WITHOUT ROWID;

      -- A row from before the file is made until after it is unlinked. next_attempt_at NULL: it waits for a person.
      CREATE TABLE care_audio (
        record INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        state TEXT NOT NULL CHECK (state IN ('recording', 'waiting', 'deleting')),
        language TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        next_attempt_at INTEGER,
        since INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE care_settings (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body BLOB NOT NULL                  -- a CareSettings message
      ) STRICT;
      """)

  /// The number of the transcription attempt: a worker may still run one after the hub that started it has ended.
  static let careAttempts = Migration(
    name: "care_attempts",
    sql: """
      -- attempt: names the one that is under way or comes next.
      ALTER TABLE care_audio ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
      """)

  /// When recordings began by the monotonic clock: nanoseconds since the boot that `boot` names.
  static let careAges = Migration(
    name: "care_ages",
    sql: """
      ALTER TABLE care_audio ADD COLUMN steady INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE care_audio ADD COLUMN boot TEXT NOT NULL DEFAULT '';
      """)

  /// Gives entries typed by a person a state of their own; they had the state `transcribed`.
  static let careWritten = Migration(name: "care_written", sql: "") { database in
    var last: Int64 = 0
    while true {
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT id, body FROM care_record WHERE id > ? AND state = 'transcribed' ORDER BY id LIMIT 500",
        arguments: [last])
      guard let end = rows.last else { return }
      last = end[0]
      for row in rows {
        // A damaged entry is reported when it is read; the store opens all the same.
        guard var record = try? CareRecord(serializedBytes: [UInt8](row[1] as Data)),
          record.engine.isEmpty || record.transcript.isEmpty
        else { continue }
        record.knownState = .written
        try database.execute(
          sql: "UPDATE care_record SET state = ?, body = ? WHERE id = ?",
          arguments: [record.state, Data(try record.serializedBytes() as [UInt8]), row[0] as Int64])
      }
    }
  }

  /// Normalizes times whose nanoseconds are below 0 or above 999,999,999, which protobuf clients could store. JSON has
  /// no form for them, so a list with one of them could not be sent as JSON.
  static let careTimes = Migration(name: "care_times", sql: "") { database in
    try Self.repair(CareRecord.self, of: "body", in: "care_record", database) {
      if $0.hasOccurredAt { $0.occurredAt.normalize() }
    }
    try Self.repair(CareVersion.self, of: "body", in: "care_version", database) {
      if $0.hasOccurredAt { $0.occurredAt.normalize() }
    }
    // Stored answers, which may be replayed.
    let methods = ["Record", "Update", "Confirm", "Delete", "Restore", "StartVoice", "StopVoice", "Transcribe"]
    let names = methods.map { "'kith.v1.Care/\($0)'" }.joined(separator: ", ")
    try Self.repair(CareReply.self, of: "reply", in: "command", where: "method IN (\(names))", database) {
      if $0.record.hasOccurredAt { $0.record.occurredAt.normalize() }
    }
  }

  /// Applies a change to each message in a column of a table.
  static func repair<M: SwiftProtobuf.Message & Equatable>(
    _ type: M.Type, of column: String, in table: String, where condition: String = "true", _ database: Database,
    _ change: @escaping @Sendable (inout M) -> Void
  ) throws {
    let repaired = DatabaseFunction("repaired", argumentCount: 1, pure: true) { values in
      // SQLite may also call this for rows that the condition leaves out.
      guard let body = Data.fromDatabaseValue(values[0]), let before = try? M(serializedBytes: body) else {
        return values[0]
      }
      var after = before
      change(&after)
      guard after != before else { return values[0] }
      let bytes: Data = try after.serializedBytes()
      return bytes
    }
    database.add(function: repaired)
    defer { database.remove(function: repaired) }
    try database.execute(
      sql: "UPDATE \(table) SET \(column) = repaired(\(column)) WHERE \(condition) AND \(column) <> repaired(\(column))"
    )
  }
}

extension Google_Protobuf_Timestamp {
  /// Converts it to the same moment with 0 to 999,999,999 nanoseconds.
  fileprivate mutating func normalize() {
    guard !(0..<1_000_000_000).contains(self.nanos) else { return }
    self = .init(nanosecondsSince1970: self.nanosecondsSince1970)
  }
}
