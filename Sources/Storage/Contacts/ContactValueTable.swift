internal import GRDB
internal import KithMessages

/// What a contact has several of: phones, emails, addresses and so on. Rows are read for a page of contacts at once.
struct ContactValueTable {
  let database: Database

  /// Writes the lists of a contact that has none stored.
  func insert(_ lists: ContactLists, row: Int64) throws {
    if !lists.values.isEmpty {
      let statement = try EngineStatement(
        self.database,
        """
        INSERT INTO contact_value (contact, kind, position, value, label, label_raw, types, pref)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
      for values in lists.values { try statement.run(.integer(row), values) }
    }
    guard !lists.addresses.isEmpty else { return }
    let addresses = try EngineStatement(
      self.database,
      """
      INSERT INTO contact_address (contact, position, label, label_raw, types, pref, street, extended, po_box,
        sub_locality, city, sub_region, region, postal_code, country, country_code, formatted)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    for values in lists.addresses { try addresses.run(.integer(row), values) }
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
    let rows = [EngineValue.text(ColumnValues.array(Array(indices.keys)))]
    // The rows of one list come one after another; it is set at once.
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
