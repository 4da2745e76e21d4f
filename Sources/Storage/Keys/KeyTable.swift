public import Bus
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
  public func all() throws(Failure) -> [KeyInfo] { try self.messages.all("ORDER BY id") }

  /// The number of keys that wait for approval.
  public func pendingCount() throws(Failure) -> Int {
    try self.view.attempt { database in
      try database.first("SELECT count(*) FROM client_key WHERE state = ?", .text(ApprovalState.pending.rawValue)) {
        Int($0.integer(0))
      } ?? 0
    }
  }

  /// A key by its 40 characters; nil if it is unknown.
  public func find(publicKey: String) throws(Failure) -> KeyInfo? {
    try self.messages.first("WHERE public_key = ?", [.text(publicKey)])
  }

  /// A key by its fingerprint; nil if it is unknown.
  public func find(fingerprint: String) throws(Failure) -> KeyInfo? {
    try self.messages.first("WHERE fingerprint = ?", [.text(fingerprint.lowercased())])
  }

  /// The approved key of a name; nil if there is none.
  public func approved(_ name: String) throws(Failure) -> KeyInfo? {
    try self.messages.first("WHERE state \([ApprovalState.approved].inSQL) AND name = ?", [.text(name)])
  }

  private var messages: MessageTable<KeyInfo, View> { MessageTable(view: self.view, name: "client_key") }
}

extension KeyTable where View == Transaction {
  /// Inserts or replaces a key.
  ///
  /// - Parameter notice: The kind of the event for the stream `system`, such as `key.approved`; nil = no event.
  public func put(_ key: KeyInfo, notice: String? = nil) throws(Failure) {
    try self.messages.put(
      key, key: ["public_key": .text(key.publicKeyZ85)],
      columns: [
        "name": .text(key.name), "state": .text(key.state), "last_seen": .integer(key.lastSeen.nanosecondsSince1970),
      ], initial: ["fingerprint": .text(key.fingerprint)])
    guard let notice else { return }
    var event = Event()
    event.system.kind = notice
    event.system.text = key.fingerprint
    try self.view.emit(event, on: EventStream.system.name)
  }

  /// Deletes pending keys that were not seen since `moment`, nanoseconds since 1970.
  public func dropPending(notSeenSince moment: Int64) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        "DELETE FROM client_key WHERE state = ? AND last_seen < ?", .text(ApprovalState.pending.rawValue),
        .integer(moment))
    }
  }
}
