internal import KithMessages

/// `/tags`. ``NameCreator`` creates them.
struct TagResource: WritableResource {
  static let path = "tags"
  static let belongsToPerson = false

  let head: RecordHead
  let name: String

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.name = ServerText.clean(fields.text("name"))
  }

  static func list(of person: UInt64?) -> ListRoute? { person == nil ? ListRoute(path: Self.path) : nil }

  var record: RemoteRecord? {
    var tag = Tag()
    tag.name = self.name
    self.head.stamp(&tag, \.createdAt, \.updatedAt)
    return self.head.remote(of: nil, .tag(tag))
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    var facts = Facts()
    facts.set("name", record.tag.name)
    return facts
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    ["name": .text(ServerText.clean(want.tag.name))]
  }

  /// Searches by name alone: any client may have created the tag.
  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)? { nil }

  static func unlisted(
    _ want: RemoteRecord, since: Int64, _ session: PushSession
  ) async throws(MonicaError) -> Self? {
    try await NameCreator(session: session).tag(want.tag.name)
  }

  /// Whether the server treats both as the same tag.
  static func isSame(_ left: String, _ right: String) -> Bool {
    ServerText.clean(left).lowercased() == ServerText.clean(right).lowercased()
  }

  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self {
    try await NameCreator(session: session).provideTag(want.tag.name)
  }
}
