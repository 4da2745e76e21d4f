extension Migration {
  /// Jobs on their way to workers, and for a day what came of them.
  static let jobs = Migration(
    name: "jobs",
    sql: """
      -- inputs: a Job message with nothing else. command: until the reply is there. reply: where somebody may come back for it.
      CREATE TABLE job (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        kept INTEGER NOT NULL,
        service TEXT NOT NULL,
        state TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        losses INTEGER NOT NULL,
        worker TEXT NOT NULL,
        instance TEXT NOT NULL,
        lease TEXT NOT NULL,
        batches INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        command BLOB NOT NULL,
        inputs BLOB NOT NULL,
        checkpoint BLOB NOT NULL,
        status BLOB NOT NULL,
        reply BLOB NOT NULL
      ) STRICT;
      CREATE INDEX job_key ON job (key) WHERE kept = 1;
      CREATE INDEX job_unended ON job (id) WHERE state IN ('queued', 'leased', 'unknown');
      CREATE INDEX job_ended ON job (updated_at, id) WHERE state NOT IN ('queued', 'leased');
      """)
}
