public import Bus
internal import Foundation
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

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

extension DatabaseView {
  /// The keys of other machines.
  public var keys: KeyTable<Self> { KeyTable(view: self) }
}

/// The public keys of other machines, with the role and services of each.
public struct KeyTable<View: DatabaseView> {
  let view: View

  /// All keys in the order of their first connection.
  public func all() throws(Failure) -> [KeyInfo] { try self.rows("ORDER BY id", []) }

  /// The number of keys that wait for approval.
  public func pendingCount() throws(Failure) -> Int {
    try self.view.attempt { database in
      try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) FROM client_key WHERE state = 'pending'")) ?? 0
    }
  }

  /// A key by its 40 characters; nil if it is unknown.
  public func find(publicKey: String) throws(Failure) -> KeyInfo? {
    try self.rows("WHERE public_key = ?", [publicKey]).first
  }

  /// A key by its fingerprint; nil if it is unknown.
  public func find(fingerprint: String) throws(Failure) -> KeyInfo? {
    try self.rows("WHERE fingerprint = ?", [fingerprint.lowercased()]).first
  }

  /// The approved key of a name; nil if there is none.
  public func approved(_ name: String) throws(Failure) -> KeyInfo? {
    try self.rows("WHERE state = 'approved' AND name = ?", [name]).first
  }

  private func rows(_ condition: String, _ arguments: StatementArguments) throws(Failure) -> [KeyInfo] {
    try self.view.attempt { database in
      try Data.fetchAll(
        database.cachedStatement(sql: "SELECT body FROM client_key \(condition)"), arguments: arguments
      ).map { try KeyInfo(serializedBytes: [UInt8]($0)) }
    }
  }
}

extension KeyTable where View == Transaction {
  /// Inserts or replaces a key.
  ///
  /// - Parameter notice: The kind of the event for the stream `system`, such as `key.approved`; nil = no event.
  public func put(_ key: KeyInfo, notice: String? = nil) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO client_key (public_key, fingerprint, name, state, last_seen, body) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (public_key) DO UPDATE SET
          name = excluded.name, state = excluded.state, last_seen = excluded.last_seen, body = excluded.body
        """
      ).run([
        .text(key.publicKeyZ85), .text(key.fingerprint), .text(key.name), .text(key.state),
        .integer(key.lastSeen.nanosecondsSince1970), .blob(try key.serializedBytes()),
      ])
    }
    guard let notice else { return }
    var event = Event()
    event.system.kind = notice
    event.system.text = key.fingerprint
    try self.view.emit(event, on: EventStream.system.name)
  }

  /// Deletes pending keys that were not seen since `moment`, nanoseconds since 1970.
  public func dropPending(notSeenSince moment: Int64) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(database, "DELETE FROM client_key WHERE state = 'pending' AND last_seen < ?")
        .run([.integer(moment)])
    }
  }
}
