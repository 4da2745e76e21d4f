internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// From which of its two people a relationship is seen.
struct RelationshipSide {
  let database: Database
  let account: Int64

  /// Turns what is stored of a relationship to the side that the server has answered with, so that types can be compared.
  ///
  /// A new relationship is stored as it was given; the server's record of it is always that of the same one of its two people.
  func turn(_ record: inout StoredRecord, as server: AnyRecord) throws {
    guard case .relationship(let server) = server else { return }
    let outbox = OutboxRows(database: self.database)
    if let sent = try outbox.find(record.row)?.sent {
      let content = try StoredRecord.content(record.kind, sent, owner: "")
      if let turned = try self.turned(content, as: server) {
        try self.database.run(
          "UPDATE outbox SET sent = ? WHERE record = ?", .blob(try turned.body), .integer(record.row))
      }
    }
    record.content = try self.turned(record.content, as: server) ?? record.content
    record.base = try record.base.map { try self.turned($0, as: server) ?? $0 }
  }

  /// The relationship as seen from the server's side; nil where it is, or where nobody knows what its type is called from there.
  private func turned(_ content: AnyRecord, as server: Relationship) throws -> AnyRecord? {
    guard case .relationship(var relationship) = content, relationship.otherID == server.personID,
      server.personID != server.otherID
    else { return nil }
    let known = try self.database.first(
      "SELECT body FROM monica_catalog WHERE account = ? AND catalog = 'relationship_type' AND name = ? ORDER BY monica_id",
      .integer(self.account), .text(RecordTraits.key(relationship.type))
    ) { $0.blob(0) }
    guard let reverse = try known.map({ try CatalogEntry(serializedBytes: $0).reverseName }), !reverse.isEmpty else {
      return nil
    }
    (relationship.type, relationship.reverseType) = (reverse, relationship.type)
    (relationship.personID, relationship.otherID) = (server.personID, server.otherID)
    return relationship.any
  }
}
