internal import KithMessages

/// `/notes`. Always listed by creation time, the latest first.
struct NoteResource: WritableResource {
  static let path = "notes"

  let head: RecordHead
  let owner: UInt64?
  let body: String
  let isFavorite: Bool

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    self.body = ServerText.clean(fields.text("body"))
    self.isFavorite = fields.flag("is_favorited") ?? false
  }

  static func list(of person: UInt64?) -> ListRoute? {
    ListRoute(path: person.map { "contacts/\($0)/notes" } ?? Self.path)
  }

  var record: RemoteRecord? {
    var note = Note()
    note.body = self.body
    note.isFavorite = self.isFavorite
    self.head.stamp(&note, \.createdAt, \.updatedAt)
    return self.head.remote(of: self.owner, .note(note))
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("body", record.note.body)
    facts.set("is_favorite", record.note.isFavorite)
    return facts
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    [
      "contact_id": .id(want.owner), "body": .text(ServerText.clean(want.note.body)),
      "is_favorited": .flag(want.note.isFavorite),
    ]
  }
}
