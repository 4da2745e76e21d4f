internal import KithMessages

/// Creates records that others refer to by name, tags and channel types, unless the server has them.
///
/// The server creates duplicates silently. These records are therefore created only here, after reading the server
/// itself: the cache may be older than an attempt whose answer was lost. The hub makes sure that no other change
/// creates the same name between the read and the request, on whichever worker (`OutboxTable.namesAreThere`). If the
/// server has several records of a name, the one with the lowest id is used.
struct NameCreator: Sendable {
  let session: PushSession

  // MARK: - Tags

  /// The tag of a name; nil if the server has none.
  func tag(_ name: String) async throws(MonicaError) -> TagResource? {
    try await ListReader.all(self.session.client, ListRoute(path: TagResource.path), of: TagResource.self)
      .filter { TagResource.isSame($0.name, name) }.min { $0.head.id < $1.head.id }
  }

  /// The tag of a name, created if the server has none.
  func provideTag(_ name: String) async throws(MonicaError) -> TagResource {
    if let known = try await self.tag(name) { return known }
    return try await self.session.post(TagResource.path, ["name": .text(ServerText.clean(name))])
  }

  // MARK: - Names that every household has

  /// The record with the server's names for genders and types: "Woman" may be "Frau" there. A contact field type that the server
  /// lacks is created.
  ///
  /// - Parameter base: The version that the change was made from; its names are the server's.
  /// - Throws: `unknownName` for a type that the server lacks and cannot create.
  func named(_ record: RemoteRecord, base: RemoteRecord) async throws(MonicaError) -> RemoteRecord {
    var named = record
    switch record.record {
    case .person(let person)? where person.gender != base.person.gender:
      named.person.gender = try await self.entry(person.gender, .gender)?.name ?? person.gender
    case .contactField(let field)? where field.type != base.contactField.type:
      guard CommonName.find(.contactFieldType, field.type) != nil, !["email", "phone"].contains(field.type) else {
        break
      }
      try await self.provideType(ofChannel: field.type)
      named.contactField.type = try await self.entry(field.type, .contactFieldType)?.name ?? field.type
    case .activity(let activity)?
    where activity.type != base.activity.type && CommonName.find(.activityType, activity.type) != nil:
      named.activity.type = try await self.session.catalog.entry(activity.type, in: .activityType, field: "type").name
    case .relationship(let relationship)?
    where relationship.type != base.relationship.type && CommonName.find(.relationshipType, relationship.type) != nil:
      named.relationship.type = try await self.session.catalog.entry(
        relationship.type, in: .relationshipType, field: "type"
      ).name
    default: break
    }
    return named
  }

  private func entry(_ name: String, _ kind: CatalogKind) async throws(MonicaError) -> CatalogEntry? {
    guard CommonName.find(kind, name) != nil else { return nil }
    return CatalogReader.find(name, in: try await self.session.catalog.entries(kind))
  }

  // MARK: - Channels

  /// Creates the type of a channel if the server has none.
  func provideType(ofChannel channel: String) async throws(MonicaError) {
    let (catalog, name) = (self.session.catalog, ConversationResource.typeName(channel))
    // The cache proves that a type exists, never that it does not.
    if CatalogReader.find(name, in: try await catalog.entries(.contactFieldType)) != nil { return }
    if CatalogReader.find(name, in: try await catalog.entries(.contactFieldType, isFresh: true)) != nil { return }
    var body: [String: JSONValue] = ["name": .text(name)]
    switch channel.lowercased() {
    case "email": body.merge(["type": "email", "protocol": "mailto:"]) { $1 }
    case "phone": body.merge(["type": "phone", "protocol": "tel:"]) { $1 }
    default: break
    }
    let _: ContactFieldTypeResource = try await self.session.post("contactfieldtypes", .object(body))
    _ = try await catalog.entries(.contactFieldType, isFresh: true)
  }
}
