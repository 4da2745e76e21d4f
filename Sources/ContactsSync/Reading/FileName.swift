internal import Bus
internal import Foundation

/// The name of a file in a folder: any bytes.
///
/// In the text, bytes that are not UTF-8, control characters and the percent sign are written `%XX`, so that names and
/// texts correspond one to one. In a name that is not in normalization form C, all bytes beyond ASCII are written so as
/// well: Swift compares texts by canonical equivalence, and one folder can hold files of both names.
struct FileName: Sendable, Hashable {
  /// The bytes, without a NUL at the end.
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Parses a ``text``.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a name that leads out of the folder.
  init(text: String) throws(Failure) {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        throw .invalid(field: "hrefs", "a percent sign must be followed by two hexadecimal digits.")
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0), bytes != Array(".".utf8),
      bytes != Array("..".utf8)
    else {
      throw .invalid(field: "hrefs", "must name a file in the folder itself.")
    }
    self.bytes = bytes
  }

  var text: String {
    // The common case.
    if self.bytes.allSatisfy({ $0 > 0x1F && $0 < 0x7F && $0 != UInt8(ascii: "%") }) {
      return String(decoding: self.bytes, as: UTF8.self)
    }
    let isText = String(validating: self.bytes, as: UTF8.self).map(Self.isComposed) ?? false
    func isPlain(_ byte: UInt8) -> Bool {
      byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "%") && (isText || byte < 0x80)
    }
    guard !self.bytes.allSatisfy(isPlain) else { return String(decoding: self.bytes, as: UTF8.self) }
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in self.bytes {
      text += isPlain(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isComposed(_ text: String) -> Bool {
    text.precomposedStringWithCanonicalMapping.utf8.elementsEqual(text.utf8)
  }

  /// Whether a folder of this name is skipped: a hidden one, or the file system's own (`lost+found`).
  var isLeftOut: Bool { self.bytes.first == UInt8(ascii: ".") || self.bytes == Array("lost+found".utf8) }

  /// Whether it is the name of a card file: it ends in `.vcf` in any case, and is neither a hidden nor a temporary file
  /// (`*.tmp`, `*~`).
  var isCardFile: Bool {
    self.bytes.first != UInt8(ascii: ".") && self.bytes.count > 4 && CardKeys.endsAsCardFile(self.bytes)
  }
}

/// The place of a card file: the folder of its source, or a direct subfolder.
///
/// Its href is the file's name, after the subfolder's name and a slash if there is one.
struct CardPlace: Sendable, Hashable {
  let href: String
  /// nil for the folder of the source itself.
  let folder: FileName?
  let name: FileName

  /// Parses an href.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for any other place.
  init(_ href: String) throws(Failure) {
    let folder = href.utf8.firstIndex(of: UInt8(ascii: "/"))
    self.href = href
    self.folder = try folder.map { slash throws(Failure) in try FileName(text: String(href[..<slash])) }
    self.name = try FileName(text: folder.map { String(href[href.utf8.index(after: $0)...]) } ?? href)
  }

  /// The prefix of the hrefs of files in a folder. A number sign in the folder's name is written `%23`, because in an
  /// href it precedes the key of a card in a file.
  static func beginning(of folder: FileName) -> String { folder.text.replacing("#", with: "%23") + "/" }

  /// The ``beginning(of:)`` of the folder of a card's file; empty for the folder of the source itself.
  static func beginning(ofCard href: String) -> String {
    guard href.utf8.contains(UInt8(ascii: "/")) else { return "" }
    let file = CardKeys.file(of: href)
    return file.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(file[...$0]) } ?? ""
  }
}
