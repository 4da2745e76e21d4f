internal import KithMessages

/// `/contacts`: a person.
///
/// With `with=contactfields` the answer includes all contact fields, addresses and relationships. Without it, and for
/// people who are known only through others, parts are missing; missing parts do not count as empty.
struct PersonResource: Sendable {
  static let path = "contacts"

  let head: RecordHead
  let firstName: String
  let lastName: String
  let nickname: String
  let completeName: String
  let description: String
  let gender: String
  let isStarred: Bool
  let isPartial: Bool
  let isActive: Bool
  let isDead: Bool
  let isMe: Bool
  let stayInTouchDays: UInt32
  let information: Information
  let tags: [TagResource]
  let addresses: [AddressResource]
  /// nil if they were not requested.
  let contactFields: [ContactFieldResource]?
  /// nil if the answer has no number.
  let numberOfReminders: Int64?

  static func list(of person: UInt64?) -> ListRoute? {
    guard person == nil else { return nil }
    return ListRoute(path: Self.path, arguments: [("with", "contactfields")], isSortable: true)
  }

  static func target(_ id: UInt64) -> MonicaClient.Target {
    MonicaClient.Target("\(Self.path)/\(id)", [("with", "contactfields")])
  }

  /// The object `information`.
  struct Information: Decodable, Sendable {
    var birthday: SpecialDate?
    var deceasedOn: SpecialDate?
    var job = ""
    var company = ""
    var foodPreferences = ""
    var howMet = ""
    /// Not in messages, and preserved.
    var firstMetOn: SpecialDate?
    var firstMetThrough: UInt64?
    var relationships: [RelationshipEntry] = []

    init() {}

    init(from decoder: any Swift.Decoder) throws {
      let fields = try Fields(decoder)
      let dates = try fields.object([String: SpecialDateResource].self, "dates") ?? [:]
      self.birthday = dates["birthdate"]?.date
      self.deceasedOn = dates["deceased_date"]?.date
      if let career = try fields.object(Career.self, "career") {
        (self.job, self.company) = (career.job, career.company)
      }
      self.foodPreferences = ServerText.clean(fields.text("food_preferences"))
      if let met = try fields.object(HowMet.self, "how_you_met") {
        self.howMet = met.text
        self.firstMetOn = met.date
        self.firstMetThrough = met.through
      }
      let groups = try fields.object([String: RelationshipEntries].self, "relationships") ?? [:]
      self.relationships = groups.keys.sorted().flatMap { groups[$0]?.entries ?? [] }
    }
  }

  private struct Career: Decodable {
    let job: String
    let company: String

    init(from decoder: any Swift.Decoder) throws {
      let fields = try Fields(decoder)
      self.job = ServerText.clean(fields.text("job"))
      self.company = ServerText.clean(fields.text("company"))
    }
  }

  private struct HowMet: Decodable {
    let text: String
    let date: SpecialDate?
    let through: UInt64?

    init(from decoder: any Swift.Decoder) throws {
      let fields = try Fields(decoder)
      self.text = ServerText.clean(fields.text("general_information"))
      self.date = try fields.object(SpecialDateResource.self, "first_met_date")?.date
      self.through = try fields.object(ShortPerson.self, "first_met_through_contact")?.id
    }
  }

  private struct Statistics: Decodable {
    let reminders: Int64?

    init(from decoder: any Swift.Decoder) throws { self.reminders = try Fields(decoder).number("number_of_reminders") }
  }
}

extension PersonResource: Decodable {
  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.firstName = ServerText.clean(fields.text("first_name"))
    guard !self.firstName.isEmpty else { throw fields.missing("first_name") }
    self.lastName = ServerText.clean(fields.text("last_name"))
    self.nickname = ServerText.clean(fields.text("nickname"))
    self.completeName = fields.text("complete_name")
    self.description = ServerText.clean(fields.text("description"))
    self.gender = fields.text("gender")
    self.isStarred = fields.flag("is_starred") ?? false
    self.isPartial = fields.flag("is_partial") ?? false
    self.isActive = fields.flag("is_active") ?? true
    self.isDead = fields.flag("is_dead") ?? false
    self.isMe = fields.flag("is_me") ?? false
    self.stayInTouchDays = fields.number("stay_in_touch_frequency").flatMap { UInt32(exactly: $0) } ?? 0
    self.information = try fields.object(Information.self, "information") ?? Information()
    self.tags = try fields.list(TagResource.self, "tags") ?? []
    self.addresses = try fields.list(AddressResource.self, "addresses") ?? []
    self.contactFields =
      try fields.list(ContactFieldResource.self, "contactFields")
      ?? fields.list(ContactFieldResource.self, "contact_fields")
    self.numberOfReminders = try fields.object(Statistics.self, "statistics")?.reminders
  }
}

// MARK: - As a message

extension PersonResource {
  /// The middle name, which is only part of the full name. nil if the full name is not in the usual order: then the
  /// middle name is unknown.
  var middleName: String? {
    var name = self.completeName[...]
    if name.hasSuffix(" \u{26B0}") { name = name.dropLast(2) }
    for nickname in [self.nickname.isEmpty ? "" : " (\(self.nickname))", ""] where name.hasSuffix(nickname) {
      let last = self.lastName.isEmpty ? "" : " \(self.lastName)"
      let rest = name.dropLast(nickname.count)
      guard rest.hasPrefix(self.firstName), rest.hasSuffix(last), rest.count >= self.firstName.count + last.count else {
        continue
      }
      let middle = rest.dropFirst(self.firstName.count).dropLast(last.count)
      if middle.isEmpty { return "" }
      if middle.hasPrefix(" ") { return ServerText.clean(String(middle)) }
    }
    return nil
  }

  var record: RemoteRecord? {
    var person = Person()
    person.firstName = self.firstName
    person.middleName = self.middleName ?? ""
    person.lastName = self.lastName
    person.nickname = self.nickname
    person.gender = self.gender
    person.description_p = self.description
    person.birthday = self.information.birthday?.text ?? ""
    person.isDead = self.isDead
    person.deceasedOn = self.information.deceasedOn?.text ?? ""
    person.job = self.information.job
    person.company = self.information.company
    person.foodPreferences = self.information.foodPreferences
    person.howMet = self.information.howMet
    person.tags = self.tags.map(\.name)
    person.isPartial = self.isPartial
    person.displayName = self.completeName
    person.isStarred = self.isStarred
    person.isArchived = !self.isActive
    person.isMe = self.isMe
    person.stayInTouchDays = self.stayInTouchDays
    self.head.stamp(&person, \.createdAt, \.updatedAt)
    var remote = self.head.remote(of: nil, .person(person))
    if self.middleName == nil { remote.unsaid.append("middle_name") }
    if self.information.birthday?.monthAndDay != nil { remote.unsaid.append("birthday_reminder") }
    if self.isPartial { remote.unsaid += ["job", "company", "food_preferences", "how_met", "tags"] }
    if let contactFields, !self.isPartial {
      remote.hasChildren_p = true
      remote.children =
        contactFields.map { $0.record(of: self.head.id) } + self.addresses.map { $0.record(of: self.head.id) }
        + self.information.relationships.compactMap { $0.record(of: self) }
    }
    return remote
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    let person = record.person
    var facts = Facts()
    facts.set("first_name", person.firstName)
    facts.set("middle_name", person.middleName)
    facts.set("last_name", person.lastName)
    facts.set("nickname", person.nickname)
    facts.set("gender", person.gender)
    facts.set("description", person.description_p)
    facts.set("birthday", person.birthday)
    facts.set("birthday_reminder", person.birthdayReminder)
    facts.set("is_dead", person.isDead)
    facts.set("deceased_on", person.isDead ? person.deceasedOn : "")
    facts.set("job", person.job)
    facts.set("company", person.company)
    facts.set("food_preferences", person.foodPreferences)
    facts.set("how_met", person.howMet)
    facts.set("tags", anyOrder: person.tags.map { ServerText.clean($0).lowercased() })
    facts.set("is_partial", person.isPartial)
    return facts
  }
}
