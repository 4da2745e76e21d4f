extension Migration {
  /// The public keys of other machines.
  static let keys = Migration(
    name: "keys",
    sql: """
      -- body: a KeyInfo message. Secret keys are nowhere: that of the server is a file beside the store.
      CREATE TABLE client_key (
        id INTEGER PRIMARY KEY,
        public_key TEXT NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'revoked')),
        last_seen INTEGER NOT NULL,
        body BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX client_key_name ON client_key (name) WHERE state = 'approved';
      """)
}
