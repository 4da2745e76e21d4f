internal import Bus
internal import Digest
internal import KithMessages
internal import SwiftProtobuf

/// Converts between the single-valued fields of a ``Contact`` and the columns of `contact`.
///
/// The id columns (`id`, `uuid`, `source`) and `is_kept` are not converted here.
enum ContactRow {
  /// The columns, in the order of ``arguments(of:sortKey:)`` and ``contact(from:at:)``.
  static let columns = [
    "sort_key", "deleted_at", "source_identifier", "uid", "formatted_name", "name_prefix", "given", "middle", "family",
    "suffix", "phonetic_given", "phonetic_family", "phonetic_middle", "nickname", "organization",
    "phonetic_organization", "department", "title", "role", "kind", "birthday", "photo_sha256", "photo_size",
    "photo_media_type", "photo_uri", "revision", "etag", "stale", "created_at", "updated_at", "missing_since", "note",
  ]

  /// Inserts a row: id and source, then the columns.
  static let insertion = """
    INSERT INTO contact (uuid, source, \(Self.columns.joined(separator: ", ")))
    VALUES (?, ?\(String(repeating: ", ?", count: Self.columns.count)))
    """

  /// Replaces a row: its id and the source, then the columns. The creation stamp stays.
  static let replacement: String = {
    let assignments = Self.columns.enumerated().map { index, column in
      column == "created_at" ? "created_at = coalesce(created_at, ?\(index + 3))" : "\(column) = ?\(index + 3)"
    }
    return "UPDATE contact SET source = ?2, \(assignments.joined(separator: ", ")), is_kept = 0 WHERE id = ?1"
  }()

  /// Reads contacts: row, id and the source's name, then the columns.
  static let selection = """
    SELECT contact.id, contact.uuid, source.name, \(Self.columns.map { "contact." + $0 }.joined(separator: ", "))
    FROM contact JOIN source ON source.id = contact.source WHERE contact.id IN (SELECT value FROM json_each(?))
    """

  /// The values of the columns.
  ///
  /// - Parameter sortKey: From ``SortKey``.
  /// - Throws: `FIELD_INVALID` if the photo's digest is invalid.
  static func arguments(of contact: Contact, sortKey: String) throws(Failure) -> PackedRows {
    var photo = EngineValue.null
    if contact.hasPhoto {
      guard let digest = Hex.decode(contact.photo.sha256), digest.count == 32 else {
        throw .invalid(field: "photo.sha256", "is not 64 hexadecimal digits.")
      }
      photo = .blob(digest)
    }
    let name = contact.name
    return PackedRows([
      .text(of: sortKey),
      .stamp(contact.hasDeletedAt, contact.deletedAt),
      .text(of: contact.sourceIdentifier), .text(of: contact.uid),
      .text(of: contact.formattedName), .text(of: name.prefix),
      contact.hasName ? .text(of: name.given) : .null, .text(of: name.middle),
      .text(of: name.family), .text(of: name.suffix), .text(of: name.phoneticGiven),
      .text(of: name.phoneticFamily), .text(of: name.phoneticMiddle),
      .text(of: contact.nickname), .text(of: contact.organization),
      .text(of: contact.phoneticOrganization), .text(of: contact.department),
      .text(of: contact.title), .text(of: contact.role), .text(of: contact.kind),
      .text(of: contact.birthday), photo, .integer(Int64(truncatingIfNeeded: contact.photo.size)),
      .text(of: contact.photo.mediaType), .text(of: contact.photoUri),
      .text(of: contact.revision), .text(of: contact.etag), contact.stale ? .integer(1) : .integer(0),
      .stamp(contact.hasCreatedAt, contact.createdAt),
      .stamp(contact.hasUpdatedAt, contact.updatedAt),
      .stamp(contact.hasMissingSince, contact.missingSince),
      .text(of: contact.note),
    ])
  }

  /// Reads the columns, beginning with column `offset`.
  static func contact(from row: EngineRow, at offset: Int) -> Contact {
    var contact = Contact()
    contact.sourceIdentifier = row.text(offset + 2)
    contact.uid = row.text(offset + 3)
    contact.formattedName = row.text(offset + 4)
    if !row.isNull(offset + 6) {
      var name = Name()
      name.prefix = row.text(offset + 5)
      name.given = row.text(offset + 6)
      name.middle = row.text(offset + 7)
      name.family = row.text(offset + 8)
      name.suffix = row.text(offset + 9)
      name.phoneticGiven = row.text(offset + 10)
      name.phoneticFamily = row.text(offset + 11)
      name.phoneticMiddle = row.text(offset + 12)
      contact.name = name
    }
    contact.nickname = row.text(offset + 13)
    contact.organization = row.text(offset + 14)
    contact.phoneticOrganization = row.text(offset + 15)
    contact.department = row.text(offset + 16)
    contact.title = row.text(offset + 17)
    contact.role = row.text(offset + 18)
    contact.kind = row.text(offset + 19)
    contact.birthday = row.text(offset + 20)
    if !row.isNull(offset + 21) {
      var photo = BlobRef()
      photo.sha256 = Hex.encode(row.blob(offset + 21))
      photo.size = UInt64(bitPattern: row.integer(offset + 22))
      photo.mediaType = row.text(offset + 23)
      contact.photo = photo
    }
    contact.photoUri = row.text(offset + 24)
    contact.revision = row.text(offset + 25)
    contact.etag = row.text(offset + 26)
    contact.stale = row.integer(offset + 27) != 0
    if !row.isNull(offset + 1) { contact.deletedAt = .init(nanosecondsSince1970: row.integer(offset + 1)) }
    if !row.isNull(offset + 28) { contact.createdAt = .init(nanosecondsSince1970: row.integer(offset + 28)) }
    if !row.isNull(offset + 29) { contact.updatedAt = .init(nanosecondsSince1970: row.integer(offset + 29)) }
    if !row.isNull(offset + 30) { contact.missingSince = .init(nanosecondsSince1970: row.integer(offset + 30)) }
    contact.note = row.text(offset + 31)
    return contact
  }
}
