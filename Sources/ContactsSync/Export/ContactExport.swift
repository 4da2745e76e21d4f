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
  /// What comes before the first contact.
  var head: [UInt8] { get }
  /// What comes after the last.
  var tail: [UInt8] { get }
  /// One contact.
  func bytes(of contact: Contact, isFirst: Bool, in view: ReadView) throws(Failure) -> [UInt8]
}
