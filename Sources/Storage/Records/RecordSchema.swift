internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// Records, queued changes, and their search indexes.
  static let records = Migration(
    name: "records",
    sql: """
      -- endpoint '': what is recorded before the first login, which makes it its own.
      CREATE TABLE monica_account (
        id INTEGER PRIMARY KEY,
        endpoint TEXT NOT NULL UNIQUE,
        user_id INTEGER NOT NULL DEFAULT 0,
        user_name TEXT NOT NULL DEFAULT '',
        user_email TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL CHECK (state IN ('none', 'logged_in', 'logged_out', 'expired')),
        is_current INTEGER NOT NULL,
        ca_file TEXT NOT NULL DEFAULT '',
        created_at INTEGER NOT NULL DEFAULT 0,
        last_used_at INTEGER NOT NULL DEFAULT 0,
        last_pull_at INTEGER,
        pull BLOB,                 -- where pulling goes on: the sync's own
        status BLOB                -- a SyncStatus message
      ) STRICT;
      CREATE UNIQUE INDEX monica_account_current ON monica_account (is_current) WHERE is_current;
      INSERT INTO monica_account (endpoint, state, is_current) VALUES ('', 'none', 1);

      -- body: the message without what is in columns or follows from other rows. base: the same, as the server had it when
      -- it was last seen. sort_key: of people and tags, which lists have by name; the others go by rank, then by time.
      CREATE TABLE record (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        account INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        monica_id INTEGER,
        owner INTEGER,
        state INTEGER NOT NULL,
        sort_key TEXT,
        rank INTEGER NOT NULL,
        at INTEGER NOT NULL,
        name TEXT,
        duration INTEGER NOT NULL,
        emotion INTEGER NOT NULL,
        they_called INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        deleted_at INTEGER,
        last_attempt_at INTEGER,
        remote_stamp INTEGER,
        body BLOB NOT NULL,
        base BLOB
      ) STRICT;
      CREATE UNIQUE INDEX record_on_server ON record (account, kind, monica_id) WHERE monica_id IS NOT NULL;
      CREATE INDEX record_by_name ON record (account, kind, sort_key, id, rank)
        WHERE sort_key IS NOT NULL AND deleted_at IS NULL;
      CREATE INDEX record_by_name_deleted ON record (account, kind, sort_key, id, rank)
        WHERE sort_key IS NOT NULL AND deleted_at IS NOT NULL;
      CREATE INDEX record_by_time ON record (account, kind, rank, at) WHERE sort_key IS NULL AND deleted_at IS NULL;
      CREATE INDEX record_by_time_deleted ON record (account, kind, rank, at)
        WHERE sort_key IS NULL AND deleted_at IS NOT NULL;
      CREATE INDEX record_unsettled ON record (account, state, kind, rank, at) WHERE state <> 0;
      CREATE INDEX record_by_emotion ON record (account, kind, emotion, rank, at)
        WHERE emotion <> 0 AND deleted_at IS NULL;
      -- Everything that statistics of calls need.
      CREATE INDEX record_call_fact ON record (account, at, owner, duration, emotion, they_called)
        WHERE kind = 11 AND deleted_at IS NULL;

      -- Every record under every person it is about.
      CREATE TABLE record_person (
        person INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        is_deleted INTEGER NOT NULL,
        rank INTEGER NOT NULL,
        at INTEGER NOT NULL,
        record INTEGER NOT NULL,
        PRIMARY KEY (person, kind, is_deleted, rank, at, record)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX record_person_record ON record_person (record);

      -- Tags of people and calls, channels of conversations; folded.
      CREATE TABLE record_label (
        account INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        label TEXT NOT NULL,
        is_deleted INTEGER NOT NULL,
        sort_key TEXT NOT NULL,
        at INTEGER NOT NULL,
        record INTEGER NOT NULL,
        PRIMARY KEY (account, kind, label, is_deleted, sort_key, at, record)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX record_label_record ON record_label (record);

      -- The blobs that records name: they stay while a record has them.
      CREATE TABLE record_blob (
        sha256 BLOB NOT NULL,
        record INTEGER NOT NULL,
        PRIMARY KEY (sha256, record)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX record_blob_record ON record_blob (record);

      -- One row a record, however often it was edited. sent: what is or was under way, while nobody knows whether it arrived.
      -- next_attempt_at NULL: it does not go by itself.
      CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY,
        record INTEGER NOT NULL UNIQUE,
        account INTEGER NOT NULL,
        operation TEXT NOT NULL CHECK (operation IN ('create', 'update', 'delete')),
        attempts INTEGER NOT NULL DEFAULT 0,
        next_attempt_at INTEGER,
        first_tried_at INTEGER,
        queued_at INTEGER NOT NULL,
        sent BLOB,
        error BLOB                 -- a Status message
      ) STRICT;
      CREATE INDEX outbox_account ON outbox (account);
      CREATE INDEX outbox_next ON outbox (account, next_attempt_at) WHERE next_attempt_at IS NOT NULL;

      -- server: a RemoteRecord message; NULL = it was deleted there.
      CREATE TABLE conflict (
        record INTEGER PRIMARY KEY,
        account INTEGER NOT NULL,
        found_at INTEGER NOT NULL,
        server BLOB
      ) STRICT;
      CREATE INDEX conflict_account ON conflict (account);

      CREATE TABLE call_template (
        account INTEGER NOT NULL,
        sort_key TEXT NOT NULL,
        name TEXT NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (account, sort_key, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE monica_catalog (
        account INTEGER NOT NULL,
        catalog TEXT NOT NULL,
        monica_id INTEGER NOT NULL,
        name TEXT NOT NULL,        -- folded
        type TEXT NOT NULL,
        body BLOB NOT NULL,        -- a CatalogEntry message
        PRIMARY KEY (account, catalog, monica_id)
      ) STRICT, WITHOUT ROWID;

      -- The contact of the address book that a person said is the same, and those of which they said that they are not.
      CREATE TABLE person_link (
        person INTEGER PRIMARY KEY,
        contact_uuid TEXT NOT NULL
      ) STRICT;
      CREATE INDEX person_link_contact ON person_link (contact_uuid);
      CREATE TABLE person_link_dismissed (
        person INTEGER NOT NULL,
        contact_uuid TEXT NOT NULL,
        PRIMARY KEY (person, contact_uuid)
      ) STRICT, WITHOUT ROWID;

      -- What search looks through, as SearchText writes it; see the remark at contact_search. The ids of record_search go by
      -- time, so that the newest matches come first without all of them being looked at.
      CREATE TABLE record_search (
        id INTEGER PRIMARY KEY,
        record INTEGER NOT NULL UNIQUE,
        words TEXT NOT NULL
      ) STRICT;
      CREATE VIRTUAL TABLE record_words USING fts5 (
        words, content = 'record_search', content_rowid = 'id', tokenize = 'trigram case_sensitive 1',
        detail = none, columnsize = 0);
      CREATE TABLE person_search (
        person INTEGER PRIMARY KEY,
        account INTEGER NOT NULL,
        sort_key TEXT NOT NULL,
        names TEXT NOT NULL,
        words TEXT NOT NULL
      ) STRICT;
      CREATE VIRTUAL TABLE person_words USING fts5 (
        words, content = 'person_search', content_rowid = 'person', tokenize = 'trigram case_sensitive 1',
        detail = none, columnsize = 0);
      -- The words of names, for those who spell them otherwise.
      CREATE TABLE person_spelling (
        account INTEGER NOT NULL,
        letters INTEGER NOT NULL,
        word TEXT NOT NULL,
        person INTEGER NOT NULL,
        sound TEXT NOT NULL,
        PRIMARY KEY (account, letters, word, person)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX person_spelling_sound ON person_spelling (account, sound, word) WHERE sound <> '';
      CREATE INDEX person_spelling_person ON person_spelling (person);
      """)

  /// Attempts, which a worker may still run after the hub has ended.
  static let attempts = Migration(
    name: "attempts",
    sql: """
      -- attempt: names the one whose outcome is not stored; NULL = there is none. attempted: the operation that it carries out,
      -- which may be another by now. Where they are, `sent` is.
      ALTER TABLE outbox ADD COLUMN attempt TEXT;
      ALTER TABLE outbox ADD COLUMN attempted TEXT;
      """)

  /// Changes whose answer was lost and that the server may still carry out.
  static let busyServers = Migration(
    name: "busy_servers",
    sql: """
      -- busy_until: until when the server may be at what was sent, in nanoseconds since 1970; NULL = nothing is known of that.
      ALTER TABLE outbox ADD COLUMN busy_until INTEGER;
      """)

  /// Names that changes of one kind may wait for.
  static let openChanges = Migration(
    name: "open_changes",
    sql: """
      CREATE INDEX outbox_open ON outbox (account) WHERE attempt IS NOT NULL OR busy_until IS NOT NULL;
      """)
}

extension Migration {
  /// When the server made a record, so that another one that gets its id is told from it.
  static let remoteMade = Migration(name: "remote_made", sql: "ALTER TABLE record ADD COLUMN remote_made INTEGER;")

  /// That the server does not have a record that was deleted here. Until now, a deleted record with `remote_made` meant this.
  static let deletedThere = Migration(
    name: "deleted_there",
    sql: """
      ALTER TABLE record ADD COLUMN deleted_there INTEGER NOT NULL DEFAULT 0;
      UPDATE record SET remote_made = NULL WHERE monica_id IS NULL AND remote_made IS NOT NULL;
      -- Of people who were deleted before this, nothing tells those that the server never had. As before, none comes back by itself.
      UPDATE record SET deleted_there = 1 WHERE kind = 1 AND deleted_at IS NOT NULL AND monica_id IS NULL
        AND id NOT IN (SELECT record FROM outbox);
      """)

  /// When many records were missing on the server at once.
  static let deletionHolds = Migration(
    name: "deletion_holds",
    sql: """
      -- held_at: since when everything is asked about that the server lacks, or when a reading last counted towards the end of that, in
      -- nanoseconds since 1970; NULL = it is not. held_readings: how many have counted. gone: how many records were deleted here because
      -- the server lacks them, since it was last read to the end.
      ALTER TABLE monica_account ADD COLUMN held_at INTEGER;
      ALTER TABLE monica_account ADD COLUMN held_readings INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE monica_account ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
      """)

  /// What a record was on the server that does not have it any more.
  static let leftServers = Migration(
    name: "left_servers",
    sql: """
      -- left_id: the last id that the server had given it; left_made: when the server had made it. NULL = the server never lost it, or by an
      -- earlier version. Where `monica_id` is, they are of before.
      ALTER TABLE record ADD COLUMN left_id INTEGER;
      ALTER TABLE record ADD COLUMN left_made INTEGER;
      CREATE INDEX record_left ON record (account, kind, left_id) WHERE left_id IS NOT NULL;
      """)

  /// Writes the names of people again that no server has named: family name first in Japanese.
  static let japaneseNames = Migration(name: "japanese_names", sql: "") { database in
    let people = try database.all("SELECT id, body, name FROM record WHERE kind = 1") {
      (id: $0.integer(0), person: try? Person(serializedBytes: $0.blob(1)), name: $0.text(2))
    }
    for row in people {
      // A damaged record is reported when it is read; the store opens all the same.
      guard let person = row.person, person.shownName != row.name else { continue }
      try database.run("UPDATE record SET name = ? WHERE id = ?", .text(person.shownName), .integer(row.id))
    }
  }
}
