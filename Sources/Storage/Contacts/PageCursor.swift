internal import Bus
internal import Foundation

/// Where a page ended: an order key and the row that breaks its ties. For callers it is an opaque text.
struct PageCursor: Equatable {
  let key: String
  let row: Int64

  init(key: String, row: Int64) {
    self.key = key
    self.row = row
  }

  /// Reads what ``text`` wrote.
  ///
  /// - Throws: `FIELD_INVALID` for any other text.
  init(text: String) throws(Failure) {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    guard let bytes = Data(base64Encoded: padded), bytes.count >= 8,
      let key = String(validating: bytes.dropFirst(8), as: UTF8.self), !key.utf8.contains(0)
    else {
      throw .invalid(field: "cursor", "is not the next_cursor of an earlier page. Begin again without one.")
    }
    self.key = key
    self.row = Int64(bitPattern: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The row and the key in base64url (RFC 4648, section 5) without padding.
  var text: String {
    var bytes = Data((0..<8).map { UInt8(truncatingIfNeeded: self.row >> (56 - 8 * $0)) })
    bytes.append(contentsOf: self.key.utf8)
    return bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
