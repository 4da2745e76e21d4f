public import Bus
internal import GRDB
internal import KithMessages

extension Migration {
  /// The client ids of created records.
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
  /// The records created under client ids.
  public var creations: CreationTable<Self> { CreationTable(view: self) }
}

/// The record that each client id created. A client id is unique over all clients and is never reused.
///
/// A creation with a client id goes through ``once(_:of:id:known:make:)``:
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

  /// Whether a client id created something.
  public func has(_ clientID: String) throws(Failure) -> Bool {
    try self.view.attempt { database in
      try database.first("SELECT 1 FROM creation WHERE client_id = ?", .text(clientID)) { _ in true } ?? false
    }
  }
}

extension CreationTable where View == Transaction {
  /// Creates a record unless this client id created it before.
  ///
  /// - Parameters:
  ///   - clientID: At most 64 bytes; if empty, the record is always created.
  ///   - kind: The kind of record: "entry", "call". A client id keeps the kind of its first use.
  ///   - id: The id of the result of `make`.
  ///   - known: Reads the current record of an id; nil if it is no longer stored.
  ///   - make: Creates the record.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` if the client id is too long or was used for another kind;
  ///   `FAILED_PRECONDITION/RECORD_DELETED` if the record is no longer stored; what `known` and `make` throw.
  public func once<Reply>(
    _ clientID: String, of kind: String, id: (Reply) -> String,
    known: (String) throws(Failure) -> Reply?, make: () throws(Failure) -> Reply
  ) throws(Failure) -> Reply {
    guard !clientID.isEmpty else { return try make() }
    guard clientID.utf8.count <= 64 else {
      throw .invalid(field: "client_id", "has \(clientID.utf8.count) bytes; it may have 64.")
    }
    let first = try self.view.attempt { database in
      try database.first("SELECT kind, record FROM creation WHERE client_id = ?", .text(clientID)) {
        (kind: $0.text(0), record: $0.text(1))
      }
    }
    guard let first else {
      let reply = try make()
      try self.view.attempt { database in
        try database.run(
          "INSERT INTO creation (client_id, kind, record) VALUES (?, ?, ?)", .text(clientID), .text(kind),
          .text(id(reply)))
      }
      return reply
    }
    guard first.kind == kind else {
      throw .invalid(field: "client_id", "was used to create a \(first.kind). Give each record an id of its own.")
    }
    guard let reply = try known(first.record) else {
      throw Failure(
        .failedPrecondition, "RECORD_DELETED",
        "This \(kind) was recorded before and deleted since. It was not recorded again.",
        details: ["record": first.record])
    }
    return reply
  }
}
