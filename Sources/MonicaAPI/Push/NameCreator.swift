internal import KithMessages

/// Makes what other records find by its name, tags and the types of channels, unless the server has it.
///
/// The server makes a second one of a name without a word. So these are made here alone, after a look at the server itself: what is
/// remembered may be older than an attempt whose answer was lost. That nobody else makes the same one between the look and the
/// request is up to the hub, which has no two changes under way that could, whichever workers carry them out
/// (`OutboxTable.namesAreThere`). Where the server has several of a name, the one with the lowest id is used.
struct NameCreator: Sendable {
  let session: PushSession

  // MARK: - Tags

  /// The tag of a name; nil when the server has none.
  func tag(_ name: String) async throws(MonicaError) -> TagResource? {
    try await ListReader.all(self.session.client, ListRoute(path: TagResource.path), of: TagResource.self)
      .filter { TagResource.isSame($0.name, name) }.min { $0.head.id < $1.head.id }
  }

  /// The tag of a name, made where there is none.
  func provideTag(_ name: String) async throws(MonicaError) -> TagResource {
    if let known = try await self.tag(name) { return known }
    return try await self.session.post(TagResource.path, ["name": .text(ServerText.clean(name))])
  }

  // MARK: - Channels

  /// Makes the type of a channel, where there is none.
  func provideType(ofChannel channel: String) async throws(MonicaError) {
    let (catalog, name) = (self.session.catalog, ConversationResource.typeName(channel))
    // What is remembered proves that it is there, never that it is not.
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
