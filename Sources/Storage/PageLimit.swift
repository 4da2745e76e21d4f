internal import Bus
internal import Foundation
public import KithMessages

/// The limits of one reply.
public enum PageLimit {
  /// The most bytes of records in one reply, as protobuf, for records with little text. In JSON, with field names, they
  /// take up to three times as many, and must still fit the 256 KiB of a body.
  static let replyBytes = 80 * 1024
  /// The most bytes of records in one reply, measured as JSON, such as ``SwiftProtobuf/Message/roomInReply``: what fits
  /// the 256 KiB of a body beside a cursor.
  static let bodyBytes = 252 * 1024
  /// How many records are read at once while a reply is filled.
  static let chunk = 64

  /// The number of records that `limit` asks for: `usual` for 0, and never more than `most`.
  package static func records(_ limit: UInt32, usual: Int = 50, most: Int = 500) -> Int {
    limit == 0 ? usual : min(Int(limit), most)
  }

  /// A contact that fits one reply: if it is too large, its note is cut; if it is still too large, only its names stay.
  public static func fit(_ contact: Contact) -> Contact {
    guard contact.roomInReply > self.bodyBytes else { return contact }
    var cut = contact
    cut.truncated = true
    cut.note = String(contact.note.unicodeScalars.prefix(4096))
    guard cut.roomInReply > self.bodyBytes else { return cut }
    var names = Contact()
    names.id = contact.id
    names.source = contact.source
    names.formattedName = String(contact.formattedName.unicodeScalars.prefix(256))
    names.truncated = true
    return names
  }
}

/// Where a page ended: an order key, and the row as tie-breaker. Opaque to clients.
struct PageCursor: Equatable {
  let key: String
  let row: Int64

  init(key: String, row: Int64) {
    self.key = key
    self.row = row
  }

  /// Parses what ``text`` wrote.
  ///
  /// - Throws: `FIELD_INVALID` for any other text.
  init(text: String) throws(Failure) {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    guard let bytes = Data(base64Encoded: padded), bytes.count >= 8,
      let key = String(validating: bytes.dropFirst(8), as: UTF8.self), !key.utf8.contains(0)
    else {
      throw Self.foreign
    }
    self.key = key
    self.row = Int64(bitPattern: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Parses a cursor whose key is a number; nil for the empty cursor of a first page.
  ///
  /// - Throws: `FIELD_INVALID` for any other text.
  static func numbered(_ text: String) throws(Failure) -> (key: Int64, row: Int64)? {
    guard !text.isEmpty else { return nil }
    let cursor = try PageCursor(text: text)
    guard let key = Int64(cursor.key) else { throw Self.foreign }
    return (key, cursor.row)
  }

  private static var foreign: Failure {
    .invalid(field: "cursor", "is not the next_cursor of an earlier page. Begin again without one.")
  }

  /// The row and the key in base64url (RFC 4648, section 5) without padding.
  var text: String {
    var bytes = Data((0..<8).map { UInt8(truncatingIfNeeded: self.row >> (56 - 8 * $0)) })
    bytes.append(contentsOf: self.key.utf8)
    return bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
