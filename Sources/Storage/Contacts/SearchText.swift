internal import KithMessages

/// A contact as search sees it: its folded words, written so that one trigram index answers short words too.
///
/// Each word is preceded by two ``mark``s. The trigrams of `␁␁山田` are then `␁␁山` and `␁山田`, so that the first one
/// or two characters of a word are trigrams of their own. Scripts without blanks get every pair of characters as such a
/// beginning, so that 田 finds 山田. Words are letters and digits; everything else separates them.
struct SearchText {
  /// Precedes each word twice. No text has it: it is no letter.
  static let mark: Unicode.Scalar = "\u{1}"
  /// How much of one field is looked at, in characters: the beginning of a book is enough to find it.
  static let fieldLimit = 16_384

  /// Of names, nicknames and organisation: what ranks first.
  let names: String
  /// Of everything, names included.
  let words: String

  /// Reads a contact.
  init(of contact: Contact, source: Int64) {
    var names = Collector(source: source)
    for text in [
      contact.formattedName, contact.name.prefix, contact.name.given, contact.name.middle, contact.name.family,
      contact.name.suffix, contact.name.phoneticGiven, contact.name.phoneticFamily, contact.name.phoneticMiddle,
      contact.nickname, contact.organization, contact.phoneticOrganization,
    ] { names.add(text) }
    var words = names
    for text in [contact.department, contact.title, contact.role] { words.add(text) }
    for phone in contact.phones {
      words.add(phone.value)
      words.add(word: Self.digits(of: phone.value))
    }
    for email in contact.emails { words.add(email.value) }
    for address in contact.addresses {
      for text in [
        address.street, address.extended, address.poBox, address.subLocality, address.city, address.subRegion,
        address.region, address.postalCode, address.country, address.formatted,
      ] { words.add(text) }
    }
    words.add(contact.note)
    self.names = String(names.text)
    self.words = String(words.text)
  }

  /// The word that stands in both texts of every contact of a source.
  static func word(ofSource id: Int64) -> [Unicode.Scalar] {
    [Unicode.Scalar(0xF0000 + UInt32(truncatingIfNeeded: id) & 0xFFFF) ?? "\u{F0000}"]
  }

  /// Splits text into folded words.
  static func words(of text: some StringProtocol) -> [[Unicode.Scalar]] {
    var words: [[Unicode.Scalar]] = []
    var word: [Unicode.Scalar] = []
    for scalar in Folding.fold(String(text)) {
      let belongs = self.isInWord(scalar)
      if !word.isEmpty, !belongs || self.isDense(scalar) != self.isDense(word[0]) {
        words.append(word)
        word.removeAll(keepingCapacity: true)
      }
      if belongs { word.append(scalar) }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// The digits of a phone number, one word.
  static func digits(of phone: String) -> [Unicode.Scalar] { Folding.fold(phone).filter { ("0"..."9").contains($0) } }

  /// Whether the script writes without blanks, so that a word may begin at each character.
  static func isDense(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0xE00: false
    case 0xE00...0xEFF, 0x3005...0x3007, 0x3040...0x30FF, 0x3100...0x312F, 0x3400...0x9FFF, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }

  private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x61...0x7A: return true
    case 0..<0x80: return false
    case 0x3041...0x3096, 0x3400...0x9FFF, 0xAC00...0xD7A3: return true
    default: break
    }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .decimalNumber, .letterNumber, .otherNumber, .otherSymbol:
      true
    default: false
    }
  }
}

/// Gathers words, each once.
private struct Collector {
  private(set) var text = String.UnicodeScalarView()
  private var seen: Set<[Unicode.Scalar]> = []

  init(source: Int64) { self.add(word: SearchText.word(ofSource: source)) }

  mutating func add(_ text: String) {
    guard !text.isEmpty else { return }
    for word in SearchText.words(of: text.prefix(SearchText.fieldLimit)) { self.add(word: word) }
  }

  mutating func add(word: [Unicode.Scalar]) {
    guard !word.isEmpty, self.seen.insert(word).inserted else { return }
    self.append(word[...])
    guard word.count > 1, SearchText.isDense(word[0]) else { return }
    for index in 1..<word.count {
      let pair = word[index..<min(index + 2, word.count)]
      if self.seen.insert(Array(pair)).inserted { self.append(pair) }
    }
  }

  private mutating func append(_ word: ArraySlice<Unicode.Scalar>) {
    self.text.append(SearchText.mark)
    self.text.append(SearchText.mark)
    self.text.append(contentsOf: word)
  }
}
