internal import Bus

/// The place of a card file in the folder of its source: the folder itself, or a direct subfolder.
///
/// As an href it is the name of the file, after that of its folder and a slash.
struct CardPlace: Sendable, Hashable {
  let href: String
  /// nil = the folder of the source itself.
  let folder: FileName?
  let name: FileName

  /// Reads an href.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for any other place.
  init(_ href: String) throws(Failure) {
    let folder = href.utf8.firstIndex(of: UInt8(ascii: "/"))
    self.href = href
    self.folder = try folder.map { slash throws(Failure) in try FileName(text: String(href[..<slash])) }
    self.name = try FileName(text: folder.map { String(href[href.utf8.index(after: $0)...]) } ?? href)
  }

  /// What the hrefs of the files in a folder begin with. A number sign in its name, which in an href stands before the key of a
  /// card of a file, is written `%23`.
  static func beginning(of folder: FileName) -> String { folder.text.replacing("#", with: "%23") + "/" }

  /// The ``beginning(of:)`` of the folder that the file of a card lies in; empty for the folder of the source itself.
  static func beginning(ofCard href: String) -> String {
    guard href.utf8.contains(UInt8(ascii: "/")) else { return "" }
    let file = CardKeys.file(of: href)
    return file.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(file[...$0]) } ?? ""
  }
}
