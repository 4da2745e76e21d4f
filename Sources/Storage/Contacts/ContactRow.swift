internal import Bus
internal import Digest
internal import Foundation
internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// Between the fields of a ``Contact`` that stand once and the columns of `contact`.
///
/// The id columns (`id`, `uuid`, `source`) and `is_kept` are not part of it.
enum ContactRow {
  /// The columns, in the order of ``arguments(of:)`` and ``contact(from:at:)``.
  static let columns = [
    "sort_key", "deleted_at", "source_identifier", "uid", "formatted_name", "name_prefix", "given", "middle", "family",
    "suffix", "phonetic_given", "phonetic_family", "phonetic_middle", "nickname", "organization",
    "phonetic_organization", "department", "title", "role", "kind", "birthday", "photo_sha256", "photo_size",
    "photo_media_type", "photo_uri", "revision", "etag", "stale", "created_at", "updated_at", "missing_since", "note",
  ]

  /// Adds a row: id and source, then the columns.
  static let insertion = """
    INSERT INTO contact (uuid, source, \(Self.columns.joined(separator: ", ")))
    VALUES (?, ?\(String(repeating: ", ?", count: Self.columns.count)))
    """

  /// Writes over a row: source, the columns, then the row's id. A creation stamp that is not said stays.
  static let replacement: String = {
    let assignments = Self.columns.map { $0 == "created_at" ? "created_at = coalesce(?, created_at)" : $0 + " = ?" }
    return "UPDATE contact SET source = ?, \(assignments.joined(separator: ", ")), is_kept = 0 WHERE id = ?"
  }()

  /// Reads contacts: row, id and the source's name, then the columns.
  static let selection = """
    SELECT contact.id, contact.uuid, source.name, \(Self.columns.map { "contact." + $0 }.joined(separator: ", "))
    FROM contact JOIN source ON source.id = contact.source WHERE contact.id IN (SELECT value FROM json_each(?))
    """

  /// What is written for a contact.
  ///
  /// - Throws: `FIELD_INVALID` for a photo whose digest is none.
  static func arguments(of contact: Contact) throws(Failure) -> [EngineValue] {
    var photo = EngineValue.null
    if contact.hasPhoto {
      guard let digest = Hex.decode(contact.photo.sha256), digest.count == 32 else {
        throw .invalid(field: "photo.sha256", "is not 64 hexadecimal digits.")
      }
      photo = .blob(digest)
    }
    let name = contact.name
    return [
      .text(of: SortKey.make(of: contact)),
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
    ]
  }

  /// Reads the columns, the first of which is at `offset`.
  static func contact(from row: Row, at offset: Int) -> Contact {
    var contact = Contact()
    if let time = row[offset + 1] as Int64? { contact.deletedAt = .init(nanosecondsSince1970: time) }
    contact.sourceIdentifier = row[offset + 2]
    contact.uid = row[offset + 3]
    contact.formattedName = row[offset + 4]
    if let given = row[offset + 6] as String? {
      var name = Name()
      name.prefix = row[offset + 5]
      name.given = given
      name.middle = row[offset + 7]
      name.family = row[offset + 8]
      name.suffix = row[offset + 9]
      name.phoneticGiven = row[offset + 10]
      name.phoneticFamily = row[offset + 11]
      name.phoneticMiddle = row[offset + 12]
      contact.name = name
    }
    contact.nickname = row[offset + 13]
    contact.organization = row[offset + 14]
    contact.phoneticOrganization = row[offset + 15]
    contact.department = row[offset + 16]
    contact.title = row[offset + 17]
    contact.role = row[offset + 18]
    contact.kind = row[offset + 19]
    contact.birthday = row[offset + 20]
    if let digest = row[offset + 21] as Data? {
      var photo = BlobRef()
      photo.sha256 = Hex.encode(digest)
      photo.size = UInt64(bitPattern: row[offset + 22])
      photo.mediaType = row[offset + 23]
      contact.photo = photo
    }
    contact.photoUri = row[offset + 24]
    contact.revision = row[offset + 25]
    contact.etag = row[offset + 26]
    contact.stale = row[offset + 27]
    if let time = row[offset + 28] as Int64? { contact.createdAt = .init(nanosecondsSince1970: time) }
    if let time = row[offset + 29] as Int64? { contact.updatedAt = .init(nanosecondsSince1970: time) }
    if let time = row[offset + 30] as Int64? { contact.missingSince = .init(nanosecondsSince1970: time) }
    contact.note = row[offset + 31]
    return contact
  }
}
