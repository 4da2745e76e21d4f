/// Writes cards as vCard 3.0 or 4.0: UTF-8, escaped, folded, with inline pictures.
///
/// Every property takes the form of the version (``VersionedCard``), so that a reader of this version alone can read
/// it. The typed views of the written card return the same values, and properties that the version lacks become X-
/// properties.
///
/// ```swift
/// let bytes = CardWriter(version: .v3_0).bytes(of: card)
/// ```
public struct CardWriter: Sendable {
  private let version: Version

  /// Makes a writer.
  ///
  /// - Parameter version: 3.0 or 4.0; 2.1 is written as 3.0.
  public init(version: Version = .v4_0) {
    self.version = version == .v2_1 ? .v3_0 : version
  }

  /// Returns the bytes of a card, from BEGIN to END, with CRLF at the end of each line.
  public func bytes(of card: Card) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(card.storage.count + 256)
    LineFolder.append(Array("BEGIN:VCARD".utf8), to: &output)
    LineFolder.append(Array("VERSION:\(version.rawValue)".utf8), to: &output)
    var form = VersionedCard(card, version: version)
    for property in form.opening { LineFolder.append(property.bytes, to: &output) }
    for property in card.properties {
      for written in form.properties(for: property) { LineFolder.append(written.bytes, to: &output) }
    }
    LineFolder.append(Array("END:VCARD".utf8), to: &output)
    return output
  }
}

/// Folds lines at 75 octets without splitting a character (RFC 6350 3.2).
enum LineFolder {
  static let width = 75

  /// Appends `line` with CRLF at its end.
  static func append(_ line: [UInt8], to output: inout [UInt8]) {
    var start = 0
    var room = width
    while line.count - start > room {
      var end = start + room
      while end > start + room - 4, line[end] & 0xC0 == 0x80 { end -= 1 }
      output += line[start..<end]
      output += [ASCII.carriageReturn, ASCII.lineFeed, ASCII.space]
      start = end
      room = width - 1
    }
    output += line[start...]
    output += [ASCII.carriageReturn, ASCII.lineFeed]
  }
}
