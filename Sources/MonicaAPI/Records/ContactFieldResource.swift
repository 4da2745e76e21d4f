internal import KithMessages

/// `/contactfields`, also inside a person with all details. There is no list of all of them. What is written as `data`
/// is returned as `content`. Labels can be replaced but not removed: an empty list changes nothing.
struct ContactFieldResource: WritableResource {
  static let path = "contactfields"

  let head: RecordHead
  let owner: UInt64?
  let type: ContactFieldTypeResource?
  let data: String
  let labels: [String]

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    self.type = try fields.object(ContactFieldTypeResource.self, "contact_field_type")
    self.data = ServerText.clean(fields.text("content"))
    self.labels = try (fields.list(Label.self, "labels") ?? []).map(\.name)
  }

  /// The name of a standard label is the same in every language.
  private struct Label: Decodable {
    let name: String

    init(from decoder: any Swift.Decoder) throws {
      let fields = try Fields(decoder)
      let type = fields.text("type")
      self.name = type.isEmpty ? fields.text("label") : type
    }
  }

  static func list(of person: UInt64?) -> ListRoute? {
    person.map { ListRoute(path: "contacts/\($0)/contactfields") }
  }

  var record: RemoteRecord? { self.record(of: self.owner) }

  func record(of owner: UInt64?) -> RemoteRecord {
    var field = ContactField()
    field.type = self.type?.publicName ?? ""
    field.data = self.data
    field.labels = self.labels
    self.head.stamp(&field, \.createdAt, \.updatedAt)
    return self.head.remote(of: owner, .contactField(field))
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("type", record.contactField.type.lowercased())
    facts.set("data", record.contactField.data)
    facts.set("labels", anyOrder: record.contactField.labels)
    return facts
  }

  /// Never past: two equal fields of a person are one, whenever they were created.
  func isPast(_ want: RemoteRecord, since: Int64) -> Bool { false }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    let field = want.contactField
    let type: UInt64
    if let known = current?.type, known.publicName.lowercased() == field.type.lowercased() {
      type = known.id
    } else {
      type = try await catalog.id(of: field.type, in: .contactFieldType, field: "type")
    }
    var body: [String: JSONValue] = [
      "contact_id": .id(want.owner), "contact_field_type_id": .id(type), "data": .text(ServerText.clean(field.data)),
    ]
    if !field.labels.isEmpty { body["labels"] = .list(field.labels.map { .text($0) }) }
    return .object(body)
  }
}
