internal import GRDB
internal import KithMessages

/// What a contact has several of: phones, emails, addresses and so on. Rows are read for a page of contacts at once.
struct ContactValueTable {
  let database: Database

  /// The lists of a contact that share one table. The numbers stand in the database.
  private enum Kind: Int64, CaseIterable {
    case phone = 1
    case email, url, date, impp, related, category, member
  }

  /// Writes the lists of a contact that has none stored.
  func insert(_ contact: Contact, row: Int64) throws {
    let statement = try EngineStatement(
      self.database,
      """
      INSERT INTO contact_value (contact, kind, position, value, label, label_raw, types, pref)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    for kind in Kind.allCases {
      for (position, value) in Self.values(kind, of: contact).enumerated() {
        try statement.run([
          .integer(row), .integer(kind.rawValue), .integer(Int64(position)), .text(of: value.value),
          .text(of: value.label),
          .text(of: value.labelRaw), .text(ColumnValues.list(value.types)), .integer(Int64(value.pref)),
        ])
      }
    }
    guard !contact.addresses.isEmpty else { return }
    let addresses = try EngineStatement(
      self.database,
      """
      INSERT INTO contact_address (contact, position, label, label_raw, types, pref, street, extended, po_box,
        sub_locality, city, sub_region, region, postal_code, country, country_code, formatted)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    for (position, address) in contact.addresses.enumerated() {
      try addresses.run([
        .integer(row), .integer(Int64(position)), .text(of: address.label), .text(of: address.labelRaw),
        .text(ColumnValues.list(address.types)), .integer(Int64(address.pref)), .text(of: address.street),
        .text(of: address.extended), .text(of: address.poBox), .text(of: address.subLocality),
        .text(of: address.city), .text(of: address.subRegion), .text(of: address.region),
        .text(of: address.postalCode), .text(of: address.country),
        .text(of: address.countryCode), .text(of: address.formatted),
      ])
    }
  }

  /// Forgets the lists of a contact.
  func delete(row: Int64) throws {
    for table in ["contact_value", "contact_address"] {
      try self.database.cachedStatement(sql: "DELETE FROM \(table) WHERE contact = ?").execute(arguments: [row])
    }
  }

  /// Reads the lists of contacts into them.
  ///
  /// - Parameter indices: Of `contacts`, by their row ids.
  func read(into contacts: inout [Contact], indices: [Int64: Int]) throws {
    let rows = ColumnValues.array(Array(indices.keys))
    let values = try Row.fetchCursor(
      self.database.cachedStatement(
        sql: """
          SELECT contact, kind, value, label, label_raw, types, pref FROM contact_value
          WHERE contact IN (SELECT value FROM json_each(?)) ORDER BY contact, kind, position
          """), arguments: [rows])
    while let row = try values.next() {
      guard let index = indices[row[0]], let kind = Kind(rawValue: row[1]) else { continue }
      var value = LabeledValue()
      value.value = row[2]
      value.label = row[3]
      value.labelRaw = row[4]
      value.types = ColumnValues.words(row[5])
      value.pref = UInt32(truncatingIfNeeded: row[6] as Int64)
      Self.append(value, kind, to: &contacts[index])
    }
    let addresses = try Row.fetchCursor(
      self.database.cachedStatement(
        sql: """
          SELECT contact, label, label_raw, types, pref, street, extended, po_box, sub_locality, city, sub_region,
            region, postal_code, country, country_code, formatted FROM contact_address
          WHERE contact IN (SELECT value FROM json_each(?)) ORDER BY contact, position
          """), arguments: [rows])
    while let row = try addresses.next() {
      guard let index = indices[row[0]] else { continue }
      contacts[index].addresses.append(Self.address(from: row))
    }
  }

  private static func address(from row: Row) -> Address {
    var address = Address()
    address.label = row[1]
    address.labelRaw = row[2]
    address.types = ColumnValues.words(row[3])
    address.pref = UInt32(truncatingIfNeeded: row[4] as Int64)
    address.street = row[5]
    address.extended = row[6]
    address.poBox = row[7]
    address.subLocality = row[8]
    address.city = row[9]
    address.subRegion = row[10]
    address.region = row[11]
    address.postalCode = row[12]
    address.country = row[13]
    address.countryCode = row[14]
    address.formatted = row[15]
    return address
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

  private static func append(_ value: LabeledValue, _ kind: Kind, to contact: inout Contact) {
    switch kind {
    case .phone: contact.phones.append(value)
    case .email: contact.emails.append(value)
    case .url: contact.urls.append(value)
    case .date: contact.dates.append(value)
    case .impp: contact.impps.append(value)
    case .related: contact.related.append(value)
    case .category: contact.categories.append(value.value)
    case .member: contact.members.append(value.value)
    }
  }

  private static func plain(_ text: String) -> LabeledValue {
    var value = LabeledValue()
    value.value = text
    return value
  }
}
