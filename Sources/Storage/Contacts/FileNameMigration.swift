internal import Foundation
internal import GRDB

extension Migration {
  /// Rewrites the names of cards on disk whose file or folder name is not in normalization form C, as on a Mac: bytes
  /// beyond ASCII become `%XX`, as listings name them now. Otherwise a card without a UID would become a new contact.
  static let fileNames = Migration(name: "file_names", sql: "") { database in
    let sources = try Row.fetchAll(
      database, sql: "SELECT id, kind, location FROM source WHERE kind IN ('vdir', 'vcf')")
    for source in sources {
      let file = (source[2] as String).utf8.split(separator: UInt8(ascii: "/")).last
      let isFile = source[1] as String == "vcf"
      let marks = isFile ? file?.count { $0 == UInt8(ascii: "#") } : nil
      let written = DatabaseFunction("written", argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).map { CardName(text: $0, marksInFile: marks).written }
      }
      database.add(function: written)
      defer { database.remove(function: written) }
      for table in ["card", "card_problem"] {
        // If the new name exists, its card was read since: both rows stay.
        try database.execute(
          sql: "UPDATE OR IGNORE \(table) SET href = written(href) WHERE source = ? AND href <> written(href)",
          arguments: [source[0] as Int64])
      }
      // A contact has the name of its card.
      try database.execute(
        sql: """
          UPDATE contact SET source_identifier = written(source_identifier)
          WHERE source = ? AND source_identifier <> written(source_identifier)
            AND NOT EXISTS (SELECT 1 FROM card WHERE card.source = contact.source AND href = source_identifier)
          """, arguments: [source[0] as Int64])
    }
  }
}

/// The name of a card on disk as older versions stored it: `FOLDER/FILE`, and for a file of several cards `#KEY` after
/// it.
private struct CardName {
  let text: String
  /// How many number signs the name of the file has; nil for a file in a folder, whose name ends in `.vcf`.
  let marksInFile: Int?

  /// The name, with `%XX` for bytes beyond ASCII in each part that is not in form C.
  var written: String {
    let bytes = Array(self.text.utf8)
    guard bytes.contains(where: { $0 >= 0x80 }) else { return self.text }
    let end = self.endOfFile(bytes)
    var start = 0
    var written: [UInt8] = []
    if self.marksInFile == nil, let slash = bytes[..<end].firstIndex(of: UInt8(ascii: "/")) {
      written += Self.written(bytes[..<slash]) + [UInt8(ascii: "/")]
      start = slash + 1
    }
    written += Self.written(bytes[start..<end])
    return String(decoding: written + bytes[end...], as: UTF8.self)
  }

  private func endOfFile(_ bytes: [UInt8]) -> Int {
    let marks = bytes.indices.filter { bytes[$0] == UInt8(ascii: "#") }
    if let marksInFile { return marks.dropFirst(marksInFile).first ?? bytes.count }
    return marks.first { String(decoding: bytes[..<$0].suffix(4), as: UTF8.self).lowercased() == ".vcf" } ?? bytes.count
  }

  private static func written(_ part: ArraySlice<UInt8>) -> [UInt8] {
    let text = String(decoding: part, as: UTF8.self)
    guard let name = text.removingPercentEncoding,
      !name.precomposedStringWithCanonicalMapping.utf8.elementsEqual(name.utf8)
    else { return Array(part) }
    return part.flatMap { $0 < 0x80 ? [$0] : Array(String(format: "%%%02X", Int($0)).utf8) }
  }
}
