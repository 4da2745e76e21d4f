extension Migration {
  /// Sources, their cards, the contacts made of them, and the tables of search.
  static let contacts = Migration(
    name: "contacts",
    sql: """
      CREATE TABLE source (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL CHECK (kind IN ('vdir', 'vcf', 'carddav')),
        location TEXT NOT NULL,
        username TEXT NOT NULL,
        password_file TEXT NOT NULL,
        ca_file TEXT NOT NULL,
        created_at INTEGER,
        token TEXT NOT NULL DEFAULT '',
        identity TEXT NOT NULL DEFAULT '',
        -- A SyncStatus message: it is shown as it is, never searched.
        status BLOB
      ) STRICT;

      -- NULL in given: the card says no name in parts. NULL in photo_sha256: it has no picture.
      CREATE TABLE contact (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        source INTEGER NOT NULL,
        sort_key TEXT NOT NULL,
        deleted_at INTEGER,
        is_kept INTEGER NOT NULL DEFAULT 0,
        source_identifier TEXT NOT NULL,
        uid TEXT NOT NULL,
        formatted_name TEXT NOT NULL,
        name_prefix TEXT NOT NULL,
        given TEXT,
        middle TEXT NOT NULL,
        family TEXT NOT NULL,
        suffix TEXT NOT NULL,
        phonetic_given TEXT NOT NULL,
        phonetic_family TEXT NOT NULL,
        phonetic_middle TEXT NOT NULL,
        nickname TEXT NOT NULL,
        organization TEXT NOT NULL,
        phonetic_organization TEXT NOT NULL,
        department TEXT NOT NULL,
        title TEXT NOT NULL,
        role TEXT NOT NULL,
        kind TEXT NOT NULL,
        birthday TEXT NOT NULL,
        photo_sha256 BLOB,
        photo_size INTEGER NOT NULL,
        photo_media_type TEXT NOT NULL,
        photo_uri TEXT NOT NULL,
        revision TEXT NOT NULL,
        etag TEXT NOT NULL,
        stale INTEGER NOT NULL,
        created_at INTEGER,
        updated_at INTEGER,
        missing_since INTEGER,
        note TEXT NOT NULL
      ) STRICT;
      CREATE INDEX contact_live ON contact (sort_key) WHERE deleted_at IS NULL;
      CREATE INDEX contact_live_of_source ON contact (source, sort_key) WHERE deleted_at IS NULL;
      CREATE INDEX contact_deleted ON contact (sort_key) WHERE deleted_at IS NOT NULL;
      CREATE INDEX contact_photo ON contact (photo_sha256) WHERE photo_sha256 IS NOT NULL;

      CREATE TABLE contact_value (
        contact INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        position INTEGER NOT NULL,
        value TEXT NOT NULL,
        label TEXT NOT NULL,
        label_raw TEXT NOT NULL,
        types TEXT NOT NULL,
        pref INTEGER NOT NULL,
        PRIMARY KEY (contact, kind, position)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE contact_address (
        contact INTEGER NOT NULL,
        position INTEGER NOT NULL,
        label TEXT NOT NULL,
        label_raw TEXT NOT NULL,
        types TEXT NOT NULL,
        pref INTEGER NOT NULL,
        street TEXT NOT NULL,
        extended TEXT NOT NULL,
        po_box TEXT NOT NULL,
        sub_locality TEXT NOT NULL,
        city TEXT NOT NULL,
        sub_region TEXT NOT NULL,
        region TEXT NOT NULL,
        postal_code TEXT NOT NULL,
        country TEXT NOT NULL,
        country_code TEXT NOT NULL,
        formatted TEXT NOT NULL,
        PRIMARY KEY (contact, position)
      ) STRICT, WITHOUT ROWID;

      -- contact NULL: the card could never be read. raw comes last, so that a listing does not read it.
      CREATE TABLE card (
        id INTEGER PRIMARY KEY,
        source INTEGER NOT NULL,
        href TEXT NOT NULL,
        contact INTEGER,
        fingerprint TEXT NOT NULL,
        raw_sha256 BLOB NOT NULL,
        semantic_digest BLOB NOT NULL,
        uid TEXT NOT NULL,
        missing_since INTEGER,
        missing_passes INTEGER NOT NULL DEFAULT 0,
        raw BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX card_href ON card (source, href);
      CREATE INDEX card_uid ON card (source, uid) WHERE uid <> '';
      CREATE INDEX card_contact ON card (contact) WHERE contact IS NOT NULL;

      CREATE TABLE card_problem (
        source INTEGER NOT NULL,
        href TEXT NOT NULL,
        position INTEGER NOT NULL,
        line INTEGER NOT NULL,
        kind TEXT NOT NULL,
        skipped INTEGER NOT NULL,
        first_seen_at INTEGER NOT NULL,
        message TEXT NOT NULL,
        PRIMARY KEY (source, href, position)
      ) STRICT, WITHOUT ROWID;

      -- What search looks through: one row a live contact, in the form that SearchText writes. The two indexes hold
      -- which contacts have a trigram, not where: matches are checked against these texts. There are no triggers:
      -- FTS5 writes out what it has gathered at each statement that SQLite gives a savepoint, as it gives triggers one,
      -- and that made a first pass ten times slower.
      CREATE TABLE contact_search (
        contact INTEGER PRIMARY KEY,
        sort_key TEXT NOT NULL,
        names TEXT NOT NULL,
        words TEXT NOT NULL
      ) STRICT;
      CREATE VIRTUAL TABLE contact_names USING fts5 (
        names, content = 'contact_search', content_rowid = 'contact', tokenize = 'trigram case_sensitive 1',
        detail = none, columnsize = 0);
      CREATE VIRTUAL TABLE contact_words USING fts5 (
        words, content = 'contact_search', content_rowid = 'contact', tokenize = 'trigram case_sensitive 1',
        detail = none, columnsize = 0);
      """)

  /// How CardDAV accounts are reached. The dropped columns were never written: there were no accounts.
  static let accounts = Migration(
    name: "accounts",
    sql: """
      ALTER TABLE source DROP COLUMN username;
      ALTER TABLE source DROP COLUMN password_file;
      ALTER TABLE source DROP COLUMN ca_file;
      -- A CardDAV message without its password: it is handed on as it is, never searched.
      ALTER TABLE source ADD COLUMN account BLOB;
      """)

  /// When a pass last counted towards the release of a missing card, and when a deleted contact was marked for erasure.
  /// Earlier passes were counted however close together they were, so only one of them counts.
  static let clockSteps = Migration(
    name: "clock_steps",
    sql: """
      ALTER TABLE card ADD COLUMN missing_counted_at INTEGER;
      UPDATE card SET missing_passes = 1, missing_counted_at = missing_since WHERE missing_passes > 0;
      ALTER TABLE contact ADD COLUMN erasure_noted_at INTEGER;
      """)
}
