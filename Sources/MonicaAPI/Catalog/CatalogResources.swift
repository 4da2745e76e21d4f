internal import KithMessages

/// `/genders`.
struct GenderResource: Decodable, Sendable {
  let id: UInt64
  let name: String
  /// `M`, `F` or `O`.
  let type: String

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.name = fields.text("name")
    self.type = fields.text("type")
  }
}

/// `/contactfieldtypes`.
struct ContactFieldTypeResource: Decodable, Sendable {
  let id: UInt64
  let name: String
  /// `email`, `phone`, or empty.
  let type: String

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.name = fields.text("name")
    self.type = fields.text("type")
  }

  /// The name in records: email and phone by their type, which is the same in every language, others by their name.
  var publicName: String { ["email", "phone"].contains(self.type) ? self.type : self.name }
}

/// `/activitytypes`.
struct ActivityTypeResource: Decodable, Sendable {
  let id: UInt64
  let name: String
  let category: String

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.name = fields.text("name")
    self.category = try fields.object(Named.self, "activity_type_category")?.name ?? ""
  }
}

/// `/relationshiptypes`.
struct RelationshipTypeResource: Decodable, Sendable {
  let id: UInt64
  let name: String
  let reverseName: String
  let group: UInt64

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.name = fields.text("name")
    self.reverseName = fields.text("name_reverse_relationship")
    self.group = fields.number("relationship_type_group_id").flatMap { UInt64(exactly: $0) } ?? 0
  }
}

/// An object with an id and a name, such as a group of relationship types.
struct Named: Decodable, Sendable {
  let id: UInt64
  let name: String

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.name = fields.text("name")
  }
}

extension CatalogEntry {
  init(_ gender: GenderResource) {
    self.init(.gender, gender.id, gender.name)
    self.type = gender.type
  }

  init(_ type: ContactFieldTypeResource) {
    self.init(.contactFieldType, type.id, type.name)
    self.type = type.type
  }

  init(_ type: ActivityTypeResource) {
    self.init(.activityType, type.id, type.name)
    self.group = type.category
  }

  init(_ type: RelationshipTypeResource, group: String) {
    self.init(.relationshipType, type.id, type.name)
    self.reverseName = type.reverseName
    self.group = group
  }

  private init(_ catalog: CatalogKind, _ id: UInt64, _ name: String) {
    self.init()
    self.catalog = catalog.rawValue
    self.monicaID = id
    self.name = name
  }
}
