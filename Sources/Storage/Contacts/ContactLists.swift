internal import KithMessages

/// The rows of what a contact has several of, without the contact's own number, which they begin with in the tables.
struct ContactLists: Sendable {
  /// The lists that share one table. The numbers stand in the database.
  enum Kind: Int64, CaseIterable {
    case phone = 1
    case email, url, date, impp, related, category, member
  }

  /// Rows of `contact_value`.
  private(set) var values: [[EngineValue]] = []
  /// Rows of `contact_address`.
  private(set) var addresses: [[EngineValue]] = []

  init(of contact: Contact) {
    for kind in Kind.allCases {
      for (position, value) in Self.values(kind, of: contact).enumerated() {
        self.values.append([
          .integer(kind.rawValue), .integer(Int64(position)), .text(of: value.value), .text(of: value.label),
          .text(of: value.labelRaw), .text(ColumnValues.list(value.types)), .integer(Int64(value.pref)),
        ])
      }
    }
    for (position, address) in contact.addresses.enumerated() {
      self.addresses.append([
        .integer(Int64(position)), .text(of: address.label), .text(of: address.labelRaw),
        .text(ColumnValues.list(address.types)), .integer(Int64(address.pref)), .text(of: address.street),
        .text(of: address.extended), .text(of: address.poBox), .text(of: address.subLocality),
        .text(of: address.city), .text(of: address.subRegion), .text(of: address.region),
        .text(of: address.postalCode), .text(of: address.country),
        .text(of: address.countryCode), .text(of: address.formatted),
      ])
    }
  }

  private static func values(_ kind: Kind, of contact: Contact) -> [LabeledValue] {
    switch kind {
    case .phone: contact.phones
    case .email: contact.emails
    case .url: contact.urls
    case .date: contact.dates
    case .impp: contact.impps
    case .related: contact.related
    case .category: contact.categories.map(Self.plain)
    case .member: contact.members.map(Self.plain)
    }
  }

  private static func plain(_ text: String) -> LabeledValue {
    var value = LabeledValue()
    value.value = text
    return value
  }
}
