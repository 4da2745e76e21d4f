internal import GRDB
internal import KithMessages

/// The multi-valued fields of contacts: phones, emails, addresses and so on. Rows are read for a page of contacts at
/// once.
struct ContactValueTable {
  let database: Database

  /// Inserts the lists of contacts, by their rows, that have no stored lists.
  func insert(_ contacts: [(row: Int64, lists: ContactLists)]) throws {
    let values = try EngineStatement(
      self.database,
      """
      INSERT INTO contact_value (contact, kind, position, value, label, label_raw, types, pref)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    for (row, lists) in contacts { try values.run(.integer(row), andEach: lists.values) }
    let addresses = try EngineStatement(
      self.database,
      """
      INSERT INTO contact_address (contact, position, label, label_raw, types, pref, street, extended, po_box,
        sub_locality, city, sub_region, region, postal_code, country, country_code, formatted)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    for (row, lists) in contacts { try addresses.run(.integer(row), andEach: lists.addresses) }
  }

  /// Deletes the lists of a contact.
  func delete(row: Int64) throws {
    for table in ["contact_value", "contact_address"] {
      try self.database.run("DELETE FROM \(table) WHERE contact = ?", .integer(row))
    }
  }

  /// Reads the stored lists into contacts.
  ///
  /// - Parameter indices: The index in `contacts` of each row id.
  func read(into contacts: inout [Contact], indices: [Int64: Int]) throws {
    let rows = [EngineValue.text(ColumnValues.array(Array(indices.keys)))]
    // The rows of one list are adjacent; the list is set when it ends.
    var list: [LabeledValue] = []
    var place: (contact: Int64, kind: Int64) = (0, 0)
    func endList() {
      guard let index = indices[place.contact], let kind = ContactLists.Kind(rawValue: place.kind) else { return }
      Self.set(list, kind, of: &contacts[index])
    }
    try EngineStatement(
      self.database,
      """
      SELECT contact, kind, value, label, label_raw, types, pref FROM contact_value
      WHERE contact IN (SELECT value FROM json_each(?)) ORDER BY contact, kind, position
      """
    ).forEach(rows) { row in
      let next = (contact: row.integer(0), kind: row.integer(1))
      if next != place {
        endList()
        list.removeAll(keepingCapacity: true)
        place = next
      }
      list.append(Self.value(from: row))
    }
    endList()
    try EngineStatement(
      self.database,
      """
      SELECT contact, label, label_raw, types, pref, street, extended, po_box, sub_locality, city, sub_region,
        region, postal_code, country, country_code, formatted FROM contact_address
      WHERE contact IN (SELECT value FROM json_each(?)) ORDER BY contact, position
      """
    ).forEach(rows) { row in
      guard let index = indices[row.integer(0)] else { return }
      contacts[index].addresses.append(Self.address(from: row))
    }
  }

  private static func value(from row: EngineRow) -> LabeledValue {
    var value = LabeledValue()
    value.value = row.text(2)
    value.label = row.text(3)
    value.labelRaw = row.text(4)
    value.types = ColumnValues.words(row.text(5))
    value.pref = UInt32(truncatingIfNeeded: row.integer(6))
    return value
  }

  private static func address(from row: EngineRow) -> Address {
    var address = Address()
    address.label = row.text(1)
    address.labelRaw = row.text(2)
    address.types = ColumnValues.words(row.text(3))
    address.pref = UInt32(truncatingIfNeeded: row.integer(4))
    address.street = row.text(5)
    address.extended = row.text(6)
    address.poBox = row.text(7)
    address.subLocality = row.text(8)
    address.city = row.text(9)
    address.subRegion = row.text(10)
    address.region = row.text(11)
    address.postalCode = row.text(12)
    address.country = row.text(13)
    address.countryCode = row.text(14)
    address.formatted = row.text(15)
    return address
  }

  private static func set(_ list: [LabeledValue], _ kind: ContactLists.Kind, of contact: inout Contact) {
    switch kind {
    case .phone: contact.phones = list
    case .email: contact.emails = list
    case .url: contact.urls = list
    case .date: contact.dates = list
    case .impp: contact.impps = list
    case .related: contact.related = list
    case .category: contact.categories = list.map(\.value)
    case .member: contact.members = list.map(\.value)
    }
  }
}

/// The rows of a contact's multi-valued fields, without their first column, the contact's row id.
struct ContactLists: Sendable {
  /// The lists that share one table. The raw values are in the database.
  enum Kind: Int64, CaseIterable {
    case phone = 1
    case email, url, date, impp, related, category, member
  }

  /// Rows of `contact_value`.
  private(set) var values = PackedRows(width: 7)
  /// Rows of `contact_address`.
  private(set) var addresses = PackedRows(width: 16)

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
        .text(of: address.extended), .text(of: address.poBox), .text(of: address.subLocality), .text(of: address.city),
        .text(of: address.subRegion), .text(of: address.region), .text(of: address.postalCode),
        .text(of: address.country), .text(of: address.countryCode), .text(of: address.formatted),
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
