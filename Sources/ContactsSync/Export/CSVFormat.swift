internal import Bus
internal import KithMessages
internal import Storage

/// Comma-separated values (RFC 4180), one contact a row; several values of a kind share a cell, a line each.
struct CSVFormat: ContactFormat {
  let mediaType = "text/csv; charset=utf-8"
  let tail: [UInt8] = []

  /// With a byte order mark, by which spreadsheets know UTF-8.
  var head: [UInt8] { CSVRow.byteOrderMark + CSVRow.bytes(Self.columns.map(\.name)) }

  func bytes(of contact: Contact, isFirst: Bool, in view: ReadView) throws(Failure) -> [UInt8] {
    CSVRow.bytes(Self.columns.map { $0.text(contact) })
  }

  private struct Column: Sendable {
    let name: String
    let text: @Sendable (Contact) -> String

    init(_ name: String, _ text: @escaping @Sendable (Contact) -> String) {
      self.name = name
      self.text = text
    }
  }

  private static let columns = [
    Column("id") { $0.id },
    Column("source") { $0.source },
    Column("source_identifier") { $0.sourceIdentifier },
    Column("uid") { $0.uid },
    Column("formatted_name") { $0.formattedName },
    Column("prefix") { $0.name.prefix },
    Column("given") { $0.name.given },
    Column("middle") { $0.name.middle },
    Column("family") { $0.name.family },
    Column("suffix") { $0.name.suffix },
    Column("phonetic_given") { $0.name.phoneticGiven },
    Column("phonetic_family") { $0.name.phoneticFamily },
    Column("nickname") { $0.nickname },
    Column("organization") { $0.organization },
    Column("department") { $0.department },
    Column("title") { $0.title },
    Column("birthday") { $0.birthday },
    Column("phones") { Self.lines($0.phones) },
    Column("emails") { Self.lines($0.emails) },
    Column("addresses") { $0.addresses.map(Self.line).joined(separator: "\n") },
    Column("urls") { Self.lines($0.urls) },
    Column("dates") { Self.lines($0.dates) },
    Column("messaging") { Self.lines($0.impps) },
    Column("related") { Self.lines($0.related) },
    Column("categories") { $0.categories.joined(separator: "\n") },
    Column("note") { $0.note },
  ]

  private static func lines(_ values: [LabeledValue]) -> String {
    values.map { $0.label.isEmpty ? $0.value : "\($0.label): \($0.value)" }.joined(separator: "\n")
  }

  private static func line(_ address: Address) -> String {
    let parts = [
      address.poBox, address.extended, address.street, address.subLocality, address.city, address.region,
      address.postalCode, address.country,
    ]
    let text = parts.filter { !$0.isEmpty }.joined(separator: ", ")
    return address.label.isEmpty ? text : "\(address.label): \(text)"
  }
}
