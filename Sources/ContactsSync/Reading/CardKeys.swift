internal import Digest
internal import VCard

/// Names the cards of a file with several cards, so that a card keeps its name when the file is rewritten in another
/// order.
///
/// The key is the UID if it is unique in the file. Otherwise it is a digest of the name, the first phone and the first
/// email address, with a number for each further card of the same digest.
struct CardKeys: Sendable {
  private struct Mark: Sendable {
    let uid: String
    let digest: String
  }

  private var marks: [Mark?] = []
  private var uses: [String: Int] = [:]

  /// Adds the next card of the file.
  ///
  /// - Parameter card: nil for an unreadable card.
  mutating func add(_ card: Card?) {
    guard let card else {
      self.marks.append(nil)
      return
    }
    let uid = card.bareUID ?? ""
    self.uses[uid, default: 0] += 1
    self.marks.append(Mark(uid: uid, digest: Self.digest(card)))
  }

  /// The number of cards, including unreadable ones.
  var count: Int { self.marks.count }

  /// Whether any card can be read.
  var hasCards: Bool { self.marks.contains { $0 != nil } }

  /// The names of the cards, in the order of the file.
  ///
  /// - Parameter file: The text of the file's name, with which they begin.
  func hrefs(file: String) -> [String] {
    var ordinals: [String: Int] = [:]
    func numbered(_ text: String) -> String {
      ordinals[text, default: 0] += 1
      return "\(text)-\(ordinals[text] ?? 1)"
    }
    return self.marks.map { mark in
      guard let mark else { return file + "#" + numbered("!unreadable") }
      let isKey = Self.isUsable(mark.uid) && self.uses[mark.uid] == 1
      return file + "#" + (isKey ? mark.uid : numbered(mark.digest))
    }
  }

  /// The name of the file in the name of one of its cards.
  static func file(of href: String) -> Substring {
    let bytes = href.utf8
    var rest = bytes[...]
    while let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
      if Self.endsAsCardFile(bytes[..<mark]) { return href[..<mark] }
      rest = bytes[bytes.index(after: mark)...]
    }
    return href[...]
  }

  /// Whether a name ends in `.vcf`, in any case.
  static func endsAsCardFile(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    name.reversed().starts(with: "fcv.".utf8) { $0 == $1 || $0 | 0x20 == $1 && $1 != UInt8(ascii: ".") }
  }

  private static func isUsable(_ uid: String) -> Bool {
    !uid.isEmpty && uid.utf8.count <= 256 && !uid.hasPrefix("~") && !uid.hasPrefix("!")
      && uid.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  private static func digest(_ card: Card) -> String {
    let parts = [card.formattedName, card.phones.first?.value, card.emails.first?.value].map { $0 ?? "" }
    return "~" + Hex.encode(SHA256.digest(Array(parts.joined(separator: "\n").utf8)).prefix(8))
  }
}
