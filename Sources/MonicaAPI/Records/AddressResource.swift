internal import KithMessages

/// `/addresses`, also inside a person with all details. Its labels can be written but are never returned.
struct AddressResource: WritableResource {
  static let path = "addresses"

  let head: RecordHead
  let owner: UInt64?
  let address: PersonAddress

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    var address = PersonAddress()
    address.name = ServerText.clean(fields.text("name"))
    address.street = ServerText.clean(fields.text("street"))
    address.city = ServerText.clean(fields.text("city"))
    address.province = ServerText.clean(fields.text("province"))
    address.postalCode = ServerText.clean(fields.text("postal_code"))
    address.latitude = fields.text("latitude")
    address.longitude = fields.text("longitude")
    address.country = try fields.object(Country.self, "country")?.code ?? ""
    self.head.stamp(&address, \.createdAt, \.updatedAt)
    self.address = address
  }

  private struct Country: Decodable {
    let code: String

    init(from decoder: any Swift.Decoder) throws { self.code = try Fields(decoder).text("iso").uppercased() }
  }

  static func list(of person: UInt64?) -> ListRoute? {
    person.map { ListRoute(path: "contacts/\($0)/addresses") } ?? ListRoute(path: Self.path, isSortable: true)
  }

  var record: RemoteRecord? { self.record(of: self.owner) }

  func record(of owner: UInt64?) -> RemoteRecord {
    var remote = self.head.remote(of: owner, .address(self.address))
    remote.unsaid = ["labels"]
    return remote
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    let address = record.address
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("name", address.name)
    facts.set("street", address.street)
    facts.set("city", address.city)
    facts.set("province", address.province)
    facts.set("postal_code", address.postalCode)
    facts.set("country", address.country.uppercased())
    facts.set("latitude", decimal: address.latitude)
    facts.set("longitude", decimal: address.longitude)
    facts.set("labels", anyOrder: address.labels)
    return facts
  }

  /// Never past: two equal addresses of a person are one, whenever they were created.
  func isPast(_ want: RemoteRecord, since: Int64) -> Bool { false }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    let address = want.address
    var body: [String: JSONValue] = [
      "contact_id": .id(want.owner), "name": .textOrNull(ServerText.clean(address.name)),
      "street": .textOrNull(ServerText.clean(address.street)), "city": .textOrNull(ServerText.clean(address.city)),
      "province": .textOrNull(ServerText.clean(address.province)),
      "postal_code": .textOrNull(ServerText.clean(address.postalCode)),
      "country": .textOrNull(address.country.uppercased()), "latitude": .textOrNull(address.latitude),
      "longitude": .textOrNull(address.longitude),
    ]
    if !address.labels.isEmpty { body["labels"] = .list(address.labels.map { .text($0) }) }
    return .object(body)
  }

  static func complete(_ record: inout RemoteRecord, with want: RemoteRecord) {
    record.address.labels = want.address.labels
    record.unsaid = []
  }
}
