internal import Foundation
internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// Entries of care, what they said before they were corrected, and the sound that waits to be transcribed.
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

  /// Attempts at transcribing, which a worker may be at while the hub that asked for them is gone.
  static let careAttempts = Migration(
    name: "care_attempts",
    sql: """
      -- attempt: names the one that is under way or comes next.
      ALTER TABLE care_audio ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
      """)

  /// The state of entries whose words a person wrote: they had that of entries that were transcribed.
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
        var record = try CareRecord(serializedBytes: [UInt8](row[1] as Data))
        guard record.engine.isEmpty || record.transcript.isEmpty else { continue }
        record.state = "written"
        try database.execute(
          sql: "UPDATE care_record SET state = ?, body = ? WHERE id = ?",
          arguments: [record.state, Data(try record.serializedBytes() as [UInt8]), row[0] as Int64])
      }
    }
  }
}
