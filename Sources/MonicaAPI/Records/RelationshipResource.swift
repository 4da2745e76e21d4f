internal import KithMessages

/// `/relationships`. `of_contact` is the type of `contact_is`.
///
/// The server stores each relationship twice, once for each side, and changes both together. Here it is one record:
/// that of the side with the smaller id, or that of the side that is not partial if the other one is, because people
/// who are known only through others have no list. There is no list of all relationships; they are part of the people.
struct RelationshipResource: WritableResource {
  static let path = "relationships"

  let head: RecordHead
  let person: ShortPerson?
  let other: ShortPerson?
  let type: RelationshipTypeResource?

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.person = try fields.object(ShortPerson.self, "contact_is")
    self.other = try fields.object(ShortPerson.self, "of_contact")
    self.type = try fields.object(RelationshipTypeResource.self, "relationship_type")
  }

  static func list(of person: UInt64?) -> ListRoute? {
    person.map { ListRoute(path: "contacts/\($0)/relationships", isPaged: false) }
  }

  /// Whether this record of the two represents the relationship.
  static func isCanonical(_ person: (id: UInt64, isPartial: Bool), _ other: (id: UInt64, isPartial: Bool)) -> Bool {
    person.isPartial == other.isPartial ? person.id <= other.id : other.isPartial
  }

  private var isCanonical: Bool {
    guard let person, let other else { return true }
    return Self.isCanonical((person.id, person.isPartial), (other.id, other.isPartial))
  }

  var record: RemoteRecord? {
    var relationship = Relationship()
    relationship.type = self.type?.name ?? ""
    relationship.reverseType = self.type?.reverseName ?? ""
    relationship.otherName = self.other?.name ?? ""
    self.head.stamp(&relationship, \.createdAt, \.updatedAt)
    var remote = self.head.remote(of: self.person?.id, .relationship(relationship))
    remote.others = [self.other?.id].compactMap(\.self)
    return remote
  }

  /// The list of one person also has the records of the other side.
  var listed: RemoteRecord { (self.isCanonical ? self.record : nil) ?? self.head.remote }

  static func facts(_ record: RemoteRecord) -> Facts {
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("other", record.others.first ?? 0)
    facts.set("type", record.relationship.type)
    return facts
  }

  // MARK: - Writing

  func isPast(_ want: RemoteRecord, since: Int64) -> Bool { false }

  /// Reverses the record if it names the two people in the other order than the server's record, or than the record to
  /// be created.
  static func aligned(
    _ record: RemoteRecord, with current: Self?, _ session: PushSession
  ) async throws(MonicaError) -> RemoteRecord {
    guard let other = record.others.first, let first = current.map({ $0.person?.id }) ?? min(record.owner, other),
      record.owner != first, other == first
    else { return record }
    var turned = record
    turned.owner = other
    turned.others = [record.owner]
    turned.relationship.type = try await session.catalog.reverse(ofRelationship: record.relationship.type)
    return turned
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    let type = try await catalog.id(of: want.relationship.type, in: .relationshipType, field: "type")
    if current != nil { return ["relationship_type_id": .id(type)] }
    return ["contact_is": .id(want.owner), "of_contact": .id(want.others.first), "relationship_type_id": .id(type)]
  }

  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self {
    let made: Self = try await session.post(Self.path, try await Self.body(want, over: nil, session.catalog))
    return try await made.canonical(session)
  }

  func canonical(_ session: PushSession) async throws(MonicaError) -> Self {
    guard !self.isCanonical, let other = self.other, let person = self.person else { return self }
    let mirrored = try await ListReader.all(
      session.client, ListRoute(path: "contacts/\(other.id)/relationships", isPaged: false), of: Self.self)
    return mirrored.first { $0.other?.id == person.id && $0.type?.name == self.type?.reverseName } ?? self
  }
}

/// A relationship inside a person with all details.
struct RelationshipEntry: Decodable, Sendable {
  let id: UInt64
  let uuid: String
  let type: String
  let other: ShortPerson?

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    guard let relationship = try fields.object(Inner.self, "relationship") else { throw fields.missing("relationship") }
    (self.id, self.uuid, self.type) = (relationship.id, relationship.uuid, relationship.name)
    self.other = try fields.object(ShortPerson.self, "contact")
  }

  private struct Inner: Decodable {
    let id: UInt64
    let uuid: String
    let name: String

    init(from decoder: any Swift.Decoder) throws {
      let fields = try Fields(decoder)
      self.id = try fields.id()
      self.uuid = fields.text("uuid")
      self.name = fields.text("name")
    }
  }

  /// The record, if it represents the relationship. It lacks the reverse type.
  func record(of person: PersonResource) -> RemoteRecord? {
    guard let other,
      RelationshipResource.isCanonical((person.head.id, person.isPartial), (other.id, other.isPartial))
    else { return nil }
    var relationship = Relationship()
    relationship.type = self.type
    relationship.otherName = other.name
    var remote = RemoteRecord()
    remote.monicaID = self.id
    remote.clientID = self.uuid
    remote.owner = person.head.id
    remote.others = [other.id]
    remote.relationship = relationship
    return remote
  }
}

/// The relationships of one group.
struct RelationshipEntries: Decodable, Sendable {
  let entries: [RelationshipEntry]

  init(from decoder: any Swift.Decoder) throws {
    self.entries = try Fields(decoder).list(RelationshipEntry.self, "contacts") ?? []
  }
}
