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

  /// What is written for a contact.
  ///
  /// - Throws: `FIELD_INVALID` for a photo whose digest is none.
  static func arguments(of contact: Contact) throws(Failure) -> [(any DatabaseValueConvertible)?] {
    var photo: [UInt8]?
    if contact.hasPhoto {
      guard let digest = Hex.decode(contact.photo.sha256), digest.count == 32 else {
        throw .invalid(field: "photo.sha256", "is not 64 hexadecimal digits.")
      }
      photo = digest
    }
    let name = contact.name
    return [
      ColumnValues.text(SortKey.make(of: contact)),
      contact.hasDeletedAt ? ColumnValues.nanoseconds(contact.deletedAt) : nil,
      ColumnValues.text(contact.sourceIdentifier), ColumnValues.text(contact.uid),
      ColumnValues.text(contact.formattedName), ColumnValues.text(name.prefix),
      contact.hasName ? ColumnValues.text(name.given) : nil, ColumnValues.text(name.middle),
      ColumnValues.text(name.family), ColumnValues.text(name.suffix), ColumnValues.text(name.phoneticGiven),
      ColumnValues.text(name.phoneticFamily), ColumnValues.text(name.phoneticMiddle),
      ColumnValues.text(contact.nickname), ColumnValues.text(contact.organization),
      ColumnValues.text(contact.phoneticOrganization), ColumnValues.text(contact.department),
      ColumnValues.text(contact.title), ColumnValues.text(contact.role), ColumnValues.text(contact.kind),
      ColumnValues.text(contact.birthday), photo.map { Data($0) }, Int64(truncatingIfNeeded: contact.photo.size),
      ColumnValues.text(contact.photo.mediaType), ColumnValues.text(contact.photoUri),
      ColumnValues.text(contact.revision), ColumnValues.text(contact.etag), contact.stale,
      contact.hasCreatedAt ? ColumnValues.nanoseconds(contact.createdAt) : nil,
      contact.hasUpdatedAt ? ColumnValues.nanoseconds(contact.updatedAt) : nil,
      contact.hasMissingSince ? ColumnValues.nanoseconds(contact.missingSince) : nil,
      ColumnValues.text(contact.note),
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
