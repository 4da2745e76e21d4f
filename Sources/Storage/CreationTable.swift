public import Bus
internal import GRDB
internal import KithMessages

extension Migration {
  /// The ids that clients gave to what they created.
  static let creations = Migration(
    name: "creations",
    sql: """
      -- Never deleted: a client that was away for weeks sends what it recorded again, and gets the record of the first time.
      CREATE TABLE creation (
        client_id TEXT NOT NULL PRIMARY KEY,
        kind TEXT NOT NULL,
        record TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)
}

extension DatabaseView {
  /// The records that client ids made.
  public var creations: CreationTable<Self> { CreationTable(view: self) }
}

/// Which record each client id made. A client id is unique for good, and for all clients.
///
/// A creation that names one goes through ``once(_:of:id:known:make:)``:
///
/// ```swift
/// try transaction.creations.once(request.clientID, of: "note", id: { $0.id }) { id throws(Failure) in
///   try transaction.records.get(Note.self, id)
/// } make: { () throws(Failure) in
///   try transaction.records.create(request.record, now: now)
/// }
/// ```
public struct CreationTable<View: DatabaseView> {
  let view: View
}

extension CreationTable where View == Transaction {
  /// Creates a record unless this client id created it before.
  ///
  /// - Parameters:
  ///   - clientID: At most 64 bytes; empty = the client gave none, and the record is created.
  ///   - kind: What is created: "entry", "call". A client id stays with the kind that it was first used for.
  ///   - id: The id of what `make` returned.
  ///   - known: Reads the record of an id as it is now; nil if it is not stored any more.
  ///   - make: Creates the record.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a client id that is too long or was used for another kind;
  ///   `FAILED_PRECONDITION/RECORD_DELETED` if the record is not stored any more; what `known` and `make` throw.
  public func once<Reply>(
    _ clientID: String, of kind: String, id: (Reply) -> String,
    known: (String) throws(Failure) -> Reply?, make: () throws(Failure) -> Reply
  ) throws(Failure) -> Reply {
    guard !clientID.isEmpty else { return try make() }
    guard clientID.utf8.count <= 64 else {
      throw .invalid(field: "client_id", "has \(clientID.utf8.count) bytes; it may have 64.")
    }
    let first = try self.view.attempt { database in
      try EngineStatement(database, "SELECT kind, record FROM creation WHERE client_id = ?")
        .first([.text(clientID)]) { (kind: $0.text(0), record: $0.text(1)) }
    }
    guard let first else {
      let reply = try make()
      try self.view.attempt { database in
        try EngineStatement(database, "INSERT INTO creation (client_id, kind, record) VALUES (?, ?, ?)")
          .run([.text(clientID), .text(kind), .text(id(reply))])
      }
      return reply
    }
    guard first.kind == kind else {
      throw .invalid(field: "client_id", "was used to create a \(first.kind). Give each record an id of its own.")
    }
    guard let reply = try known(first.record) else {
      throw Failure(
        .failedPrecondition, "RECORD_DELETED",
        "This \(kind) was recorded before, and is not stored any more. Nothing was recorded a second time.",
        details: ["record": first.record])
    }
    return reply
  }
}
