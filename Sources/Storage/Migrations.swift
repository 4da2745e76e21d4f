internal import GRDB

/// One step of the schema. Steps are only ever added; the file's `user_version` is the number of steps taken.
struct Migration: Sendable {
  /// The name for the log.
  let name: String
  /// Its statements.
  let sql: String
  /// Changes that SQL cannot express, such as in stored messages. Runs after the statements, in the same transaction.
  var rewrite: (@Sendable (Database) throws -> Void)?
}

extension Migration {
  /// The steps in their order. A step that was released is never changed.
  static let all: [Migration] = [
    .engine,
    .contacts,
    .accounts,
    .records,
    .care,
    .reminders,
    .keys,
    .deliveries,
    .jobs,
    .attempts,
    .busyServers,
    .careAttempts,
    .creations,
    .openChanges,
    .careWritten,
    .careTimes,
    .blobReaders,
    .careAges,
    .clockSteps,
    .fileNames,
    .devices,
    .backups,
    .names,
    .japaneseNames,
    .plan,
    .planReminders,
    .planStock,
    .planStockOrder,
    .nameSounds,
    .remoteMade,
    .linkTraces,
    .deletedThere,
    .deletionHolds,
    .leftServers,
  ]

  /// The least role that may read a blob. Backups, which hold everything, are for admins.
  static let blobReaders = Migration(
    name: "blob_readers",
    sql: """
      ALTER TABLE blob_file ADD COLUMN reader TEXT NOT NULL DEFAULT 'viewer';
      UPDATE blob_file SET reader = 'admin' WHERE media_type = 'application/vnd.sqlite3';
      """)

  /// The engine's own tables: journal of commands, streams of events, blobs.
  static let engine = Migration(
    name: "engine",
    sql: """
      CREATE TABLE meta (
        name TEXT NOT NULL PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Finished rows are in the order in which they finished: a command that ends gets a new id.
      -- kept_bytes is a running sum over them, so that the size of what is kept is one subtraction.
      CREATE TABLE command (
        id INTEGER PRIMARY KEY,
        principal TEXT NOT NULL,
        key TEXT NOT NULL,
        request_id TEXT NOT NULL,
        method TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        created_at INTEGER NOT NULL,
        finished_at INTEGER,           -- NULL while it runs
        kept_bytes INTEGER NOT NULL,
        request BLOB,                  -- while it runs: to run it again after a crash
        header BLOB,                   -- ReplyHeader with status and effects
        reply BLOB
      ) STRICT;
      CREATE UNIQUE INDEX command_key ON command (principal, key);
      CREATE INDEX command_running ON command (id) WHERE finished_at IS NULL;

      CREATE TABLE stream (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        seq INTEGER NOT NULL DEFAULT 0,
        first_seq INTEGER NOT NULL DEFAULT 1
      ) STRICT;
      INSERT INTO stream (id, name) VALUES
        (0, 'system'), (1, 'jobs'), (2, 'sync'), (3, 'contacts'), (4, 'people'), (5, 'calls'), (6, 'conversations'),
        (7, 'care'), (8, 'reminders');

      CREATE TABLE event (
        stream INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        key TEXT NOT NULL,
        time INTEGER NOT NULL,
        cause TEXT NOT NULL,
        tombstone INTEGER NOT NULL,
        payload BLOB NOT NULL,
        PRIMARY KEY (stream, seq)
      ) STRICT, WITHOUT ROWID;
      -- The last event of each key that is not gone: what a snapshot gives, and what compaction leaves.
      CREATE TABLE last_event (
        stream INTEGER NOT NULL,
        key TEXT NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (stream, key)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX last_event_seq ON last_event (stream, seq);

      -- Bytes that belong to a record, such as photos.
      CREATE TABLE blob (
        sha256 BLOB NOT NULL PRIMARY KEY,
        size INTEGER NOT NULL,
        media_type TEXT NOT NULL,
        data BLOB NOT NULL
      ) STRICT;
      -- Files under blobs/ that pass through: uploads, exports, backups.
      CREATE TABLE blob_file (
        sha256 BLOB NOT NULL PRIMARY KEY,
        size INTEGER NOT NULL,
        media_type TEXT NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)
}
