internal import Bus
internal import KithMessages
internal import Storage
internal import VCard

/// Writes the contacts to a staged file.
struct ContactExport {
  private let request: ExportContactsRequest
  private let storage: StorageActor
  private let format: any ContactFormat

  /// Checks the request.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a format or a version that does not exist.
  init(_ request: ExportContactsRequest, storage: StorageActor) throws(Failure) {
    self.request = request
    self.storage = storage
    switch request.format {
    case "", "vcf": self.format = VCardFormat(version: try Self.version(request.vcardVersion))
    case "json": self.format = JSONFormat()
    case "csv": self.format = CSVFormat()
    default: throw .invalid(field: "format", "must be vcf, json or csv.")
    }
    guard request.vcardVersion.isEmpty || self.format is VCardFormat else {
      throw .invalid(field: "vcard_version", "only a file of vCards has a version of vCard.")
    }
  }

  private static func version(_ text: String) throws(Failure) -> Version {
    switch text {
    case "", "3.0": return .v3_0
    case "4.0": return .v4_0
    default: throw .invalid(field: "vcard_version", "must be 3.0 or 4.0.")
    }
  }

  /// Writes the file.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source; `RESOURCE_EXHAUSTED/DISK_FULL`.
  func stage() async throws(Failure) -> BlobRef {
    let (request, format) = (self.request, self.format)
    return try await self.storage.stage(mediaType: format.mediaType, head: format.head, tail: format.tail) {
      view, cursor throws(Failure) in
      let page = try view.contacts.page(
        limit: 20, cursor: cursor, source: request.source, includeDeleted: request.includeDeleted,
        isReply: false)
      var bytes: [UInt8] = []
      for (index, contact) in page.contacts.enumerated() {
        bytes += try format.bytes(of: contact, isFirst: cursor.isEmpty && index == 0, in: view)
      }
      return (bytes, page.nextCursor)
    }
  }
}

/// How contacts are written to a file.
protocol ContactFormat: Sendable {
  var mediaType: String { get }
  /// The bytes before the first contact.
  var head: [UInt8] { get }
  /// The bytes after the last contact.
  var tail: [UInt8] { get }
  /// The bytes of one contact.
  func bytes(of contact: Contact, isFirst: Bool, in view: ReadView) throws(Failure) -> [UInt8]
}

/// Comma-separated values (RFC 4180), one contact a row; several values of a kind share a cell, a line each.
struct CSVFormat: ContactFormat {
  let mediaType = "text/csv; charset=utf-8"
  let tail: [UInt8] = []

  /// Starts with a byte order mark, by which spreadsheets recognise UTF-8.
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

  private static func lines(_ values: [KithMessages.LabeledValue]) -> String {
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

/// A `ListContactsReply` in proto3 JSON, one contact a line.
struct JSONFormat: ContactFormat {
  let mediaType = "application/json"
  let head = Array("{\"contacts\":[\n".utf8)
  let tail = Array("\n]}\n".utf8)

  func bytes(of contact: Contact, isFirst: Bool, in view: ReadView) throws(Failure) -> [UInt8] {
    Array((isFirst ? "" : ",\n").utf8) + (try Encoding.json.encode(contact))
  }
}

/// vCard 3.0, which every address book reads, or 4.0; written from the stored cards, with their pictures.
struct VCardFormat: ContactFormat {
  let version: Version
  let mediaType = "text/vcard; charset=utf-8"
  let head: [UInt8] = []
  let tail: [UInt8] = []

  func bytes(of contact: Contact, isFirst: Bool, in view: ReadView) throws(Failure) -> [UInt8] {
    guard let detached = try view.cards.raw(contact.sourceIdentifier, in: contact.source) else { return [] }
    let picture = contact.hasPhoto ? try view.photos.get(contact.photo.sha256) : nil
    let raw = DetachedCard.attach(detached) { _ in picture.map { Array($0.data) } }
    guard let card = try? Card(raw ?? detached) else { return [] }
    return CardWriter(version: self.version).bytes(of: card)
  }
}
