internal import Bus
internal import KithMessages
internal import Storage

/// What is taken, and where a limit is the server's: as its API refuses or cuts what is longer.

extension Person: EditableRecord {
  static var rules: [FieldRule<Person>] {
    [
      .line("first_name", \.firstName, isRequired: true), .line("middle_name", \.middleName),
      .line("last_name", \.lastName), .line("nickname", \.nickname), .line("gender", \.gender),
      .text("description", \.description_p, limit: .line), .line("job", \.job), .line("company", \.company),
      .text("food_preferences", \.foodPreferences, limit: .description),
      .text("how_met", \.howMet, limit: .description),
      .names("tags", \.tags), .partialDay("birthday", \.birthday), .partialDay("deceased_on", \.deceasedOn),
      .rule("birthday_reminder", also: ["birthday"]) { person, _ in
        person.birthdayReminder && (person.birthday.isEmpty || person.birthday.hasPrefix("~"))
          ? "needs a birthday with its month and day." : nil
      },
      .rule("deceased_on", also: ["is_dead"]) { person, _ in
        !person.deceasedOn.isEmpty && !person.isDead ? "is of somebody who died: set is_dead as well." : nil
      },
    ]
  }

  static var catalogNames: [CatalogName<Person>] { [CatalogName("gender", \.gender, in: "gender")] }

  /// Tags that there are not are made; those that there are keep their spelling.
  mutating func settle(_ previous: Person?, in transaction: Transaction, now: Int64) throws(Failure) {
    try self.resolveNames(previous, in: transaction)
    var tags: [String] = []
    for name in self.tags {
      let known = try transaction.records.tag(named: name)
      if known == nil { try Self.make(name, in: transaction, now: now) }
      let spelling = known?.name ?? name
      if !tags.contains(spelling) { tags.append(spelling) }
    }
    self.tags = tags
  }

  private static func make(_ name: String, in transaction: Transaction, now: Int64) throws(Failure) {
    var tag = Tag()
    tag.name = name
    _ = try transaction.records.create(tag, now: now)
  }
}

extension ContactField: EditableRecord {
  static var rules: [FieldRule<ContactField>] {
    [
      .line("type", \.type, isRequired: true), .line("data", \.data, isRequired: true),
      .names("labels", \.labels, count: 20),
      .rule("data", also: ["type"]) { field, _ in
        let isAddress =
          field.data.split(separator: "@", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
          && field.data.contains("@") && !field.data.contains(where: \.isWhitespace)
        return field.type == "email" && !isAddress ? "must be an e-mail address such as ann@example.org." : nil
      },
    ]
  }

  static var catalogNames: [CatalogName<ContactField>] {
    [CatalogName("type", \.type, in: "contact_field_type", plain: ["email", "phone"])]
  }
}

extension PersonAddress: EditableRecord {
  static var rules: [FieldRule<PersonAddress>] {
    [
      .line("name", \.name), .line("street", \.street), .line("city", \.city), .line("province", \.province),
      .line("postal_code", \.postalCode), .names("labels", \.labels, count: 20),
      .formed("country", \.country, "must be a country by its ISO 3166 code of two letters, such as JP.") {
        Country.code($0)
      },
      .line("latitude", \.latitude) { Self.degrees($0, 90) }, .line("longitude", \.longitude) { Self.degrees($0, 180) },
      .rule("street", also: ["city", "province", "postal_code", "country", "latitude", "longitude"]) { address, _ in
        let parts = [
          address.street, address.city, address.province, address.postalCode, address.country, address.latitude,
          address.longitude,
        ]
        return parts.allSatisfy(\.isEmpty) ? "give at least a street, a city, a country or a place on the map." : nil
      },
    ]
  }

  private static func degrees(_ text: String, _ limit: Double) -> String? {
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
    guard isDecimal, let number = Double(text), abs(number) <= limit else {
      return "must be decimal degrees from -\(Int(limit)) to \(Int(limit)), such as 35.68."
    }
    return nil
  }
}

extension Tag: EditableRecord {
  static var rules: [FieldRule<Tag>] { [.line("name", \.name, isRequired: true)] }

  /// A tag has a name of its own; people who carry it carry the new one.
  mutating func settle(_ previous: Tag?, in transaction: Transaction, now: Int64) throws(Failure) {
    if let other = try transaction.records.tag(named: self.name), other.id != self.id {
      throw Failure(
        .alreadyExists, "RECORD_EXISTS", "There is a tag '\(other.name)' already.", details: ["record": other.id])
    }
    if let previous { try transaction.records.retag(previous.name, as: self.name, now: now) }
  }
}

extension Relationship: EditableRecord {
  static var rules: [FieldRule<Relationship>] {
    [
      .line("type", \.type, isRequired: true),
      .rule("other_id") { relationship, _ in
        if relationship.otherID.isEmpty { return "must not be empty. Name the other person." }
        return relationship.otherID == relationship.personID
          ? "a person cannot be related to themselves. Name another person." : nil
      },
    ]
  }

  static var catalogNames: [CatalogName<Relationship>] { [CatalogName("type", \.type, in: "relationship_type")] }

  func isAbout(_ person: String) -> Bool { person == self.personID || person == self.otherID }

  mutating func begin(as given: Relationship) {
    self.personID = given.personID
    self.otherID = given.otherID
  }

  /// Two people are once what they are to each other, from whichever side it is said.
  mutating func settle(_ previous: Relationship?, in transaction: Transaction, now: Int64) throws(Failure) {
    try self.resolveNames(previous, in: transaction)
    guard !self.personID.isEmpty else { return }
    let (id, other, type) = (self.id, self.otherID, self.type)
    let twin = try transaction.records.all(Relationship.self, ofPerson: self.personID)
      .first { $0.id != id && $0.otherID == other && $0.type == type }
    if let twin {
      throw Failure(
        .alreadyExists, "RECORD_EXISTS", "\(twin.otherName) is recorded as \(type) already.",
        details: ["record": twin.id])
    }
  }
}

extension PersonReminder: EditableRecord {
  static var rules: [FieldRule<PersonReminder>] {
    [
      .line("title", \.title, isRequired: true), .text("description", \.description_p, limit: .description),
      .day("initial_date", \.initialDate, isRequired: true),
      .choice("frequency", \.frequency, ["one_time", "week", "month", "year"], isRequired: true),
      // With 0 the server counts until its time is up.
      .number("every", \.every, in: 1...1000),
    ]
  }

  mutating func derive(from previous: PersonReminder?, now: Int64) {
    // What happens once has no interval; the server wants a number all the same.
    if self.frequency == "one_time" { self.every = 1 }
  }
}
