internal import Bus
internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// Reads complete records: their bodies, their columns, and the fields that are computed from other rows. It runs one query
/// a table for any number of records.
struct RecordLoader {
  let database: Database

  /// Returns the records in the order of `rows`, without those that do not exist.
  ///
  /// - Parameter person: The person from whose side relationships are described; nil = from the side that was recorded.
  func load(_ rows: [Int64], seenBy person: String? = nil) throws -> [AnyRecord] {
    var records: [Int64: AnyRecord] = [:]
    records.reserveCapacity(rows.count)
    try EngineStatement(self.database, Self.selection).forEach([.text(ColumnValues.array(rows))]) { row in
      records[row.integer(0)] = try Self.record(from: row)
    }
    try self.fillPeople(&records)
    try self.fillTags(&records)
    try self.fillParticipants(&records)
    try self.fillRelationships(&records, seenBy: person)
    return rows.compactMap { records[$0] }
  }

  private static let selection = """
    SELECT record.id, record.kind, record.body, record.uuid, record.monica_id,
      iif((SELECT endpoint FROM monica_account WHERE id = record.account) = '', \(RecordState.here.rawValue), record.state),
      record.created_at,
      record.updated_at, record.deleted_at, record.last_attempt_at, outbox.error, owner.uuid, owner.name, record.name
    FROM record LEFT JOIN record AS owner ON owner.id = record.owner
      LEFT JOIN outbox ON record.state <> 0 AND outbox.record = record.id
    WHERE record.id IN (SELECT value FROM json_each(?))
    """

  private static func record(from row: EngineRow) throws -> AnyRecord {
    guard let kind = RecordKind(rawValue: Int(row.integer(1))) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    func read<R: SyncedRecord>(_ type: R.Type) throws -> AnyRecord {
      var record = try R(serializedBytes: row.blob(2))
      record.id = row.text(3)
      record.monicaID = UInt64(bitPattern: row.integer(4))
      record.personID = row.text(11)
      record.syncState = RecordState(rawValue: Int(row.integer(5)))?.name ?? ""
      record.createdAt = .init(nanosecondsSince1970: row.integer(6))
      record.updatedAt = .init(nanosecondsSince1970: row.integer(7))
      if !row.isNull(8) { record.deletedAt = .init(nanosecondsSince1970: row.integer(8)) }
      if !row.isNull(9) { record.lastAttemptAt = .init(nanosecondsSince1970: row.integer(9)) }
      if !row.isNull(10) { record.syncError = try Status(serializedBytes: row.blob(10)) }
      if let owner = R.textPath("person_name") { record[keyPath: owner] = row.text(12) }
      return record.any
    }
    switch try read(kind.type) {
    case .person(var person):
      person.displayName = row.text(13)
      return person.any
    case .relationship(var relationship):
      // The name of the owner, until `fillRelationships` sets the name of the other person.
      relationship.otherName = row.text(12)
      return relationship.any
    case let other: return other
    }
  }

  private func fillPeople(_ records: inout [Int64: AnyRecord]) throws {
    let people = records.filter { $0.value.kind == .person }.map(\.key)
    guard !people.isEmpty else { return }
    func newest(_ kind: RecordKind) -> String {
      """
      (SELECT at FROM record_person WHERE person = value AND kind = \(kind.rawValue) AND is_deleted = 0
        ORDER BY rank DESC, at DESC LIMIT 1)
      """
    }
    try EngineStatement(
      self.database,
      """
      SELECT value, (SELECT contact_uuid FROM person_link CROSS JOIN contact ON contact.uuid = contact_uuid
          WHERE person = value AND contact.deleted_at IS NULL),
        \(newest(.call)), \(newest(.conversation)), \(newest(.activity))
      FROM json_each(?)
      """
    ).forEach([.text(ColumnValues.array(people))]) { row in
      guard case .person(var person)? = records[row.integer(0)] else { return }
      person.contactID = row.text(1)
      if !row.isNull(2) { person.lastCalledAt = .init(nanosecondsSince1970: row.integer(2)) }
      let moments = (2...4).compactMap { row.isNull($0) ? nil : row.integer($0) }
      if let newest = moments.max() { person.lastInteractionAt = .init(nanosecondsSince1970: newest) }
      records[row.integer(0)] = person.any
    }
  }

  private func fillTags(_ records: inout [Int64: AnyRecord]) throws {
    let tags = records.filter { $0.value.kind == .tag }.map(\.key)
    guard !tags.isEmpty else { return }
    try EngineStatement(
      self.database,
      """
      SELECT tag.id, (
        SELECT count(*) FROM record_label
        WHERE account = tag.account AND kind = 1 AND label = tag.sort_key AND is_deleted = 0)
      FROM record AS tag WHERE tag.id IN (SELECT value FROM json_each(?))
      """
    ).forEach([.text(ColumnValues.array(tags))]) { row in
      guard case .tag(var tag)? = records[row.integer(0)] else { return }
      tag.people = UInt32(truncatingIfNeeded: row.integer(1))
      records[row.integer(0)] = tag.any
    }
  }

  private func fillParticipants(_ records: inout [Int64: AnyRecord]) throws {
    let activities = records.compactMapValues { Activity($0) }
    guard !activities.isEmpty else { return }
    let names = try self.names(of: activities.values.flatMap(\.participants))
    for (row, stored) in activities {
      var activity = stored
      activity.participantNames = stored.participants.map { names[$0] ?? "" }
      records[row] = activity.any
    }
  }

  private func names(of people: [String]) throws -> [String: String] {
    var names: [String: String] = [:]
    try EngineStatement(self.database, "SELECT uuid, name FROM record WHERE uuid IN (SELECT value FROM json_each(?))")
      .forEach([.text(ColumnValues.array(people))]) { names[$0.text(0)] = $0.text(1) }
    return names
  }

  private func fillRelationships(_ records: inout [Int64: AnyRecord], seenBy person: String?) throws {
    let relationships = records.compactMapValues { Relationship($0) }
    guard !relationships.isEmpty else { return }
    let names = try self.names(of: relationships.values.map(\.otherID))
    let reverses = try self.reverses(of: relationships.values.filter { $0.reverseType.isEmpty }.map(\.type))
    for (row, stored) in relationships {
      var relationship = stored
      if relationship.reverseType.isEmpty { relationship.reverseType = reverses[relationship.type] ?? "" }
      if relationship.otherID == person {
        // `otherName` is still the name of the owner, who is the other person from this side.
        relationship.otherID = stored.personID
        relationship.personID = stored.otherID
        relationship.type = relationship.reverseType
        relationship.reverseType = stored.type
      } else {
        relationship.otherName = names[stored.otherID] ?? ""
      }
      records[row] = relationship.any
    }
  }

  /// The names of relationship types from the other side, by the server's catalog, or else as every household has them.
  private func reverses(of types: [String]) throws -> [String: String] {
    guard !types.isEmpty else { return [:] }
    var reverses: [String: String] = [:]
    try EngineStatement(
      self.database,
      """
      SELECT body FROM monica_catalog
      WHERE account = (SELECT id FROM monica_account WHERE is_current) AND catalog = 'relationship_type'
      """
    ).forEach([]) { row in
      let entry = try CatalogEntry(serializedBytes: row.blob(0))
      reverses[entry.name] = entry.reverseName
    }
    for type in types where reverses[type, default: ""].isEmpty {
      reverses[type] = CommonName.find(.relationshipType, type)?.reverse
    }
    return reverses
  }
}
