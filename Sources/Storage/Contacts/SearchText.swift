internal import KithMessages

/// A contact's folded words, written so that one trigram index also answers short words.
///
/// Two ``mark``s precede each word. The trigrams of `␁␁山田` are then `␁␁山` and `␁山田`, so that the first one or two
/// characters of a word are trigrams of their own. In scripts without spaces every pair of characters is written as
/// such a word, so that 田 finds 山田. Words are letters and digits; everything else separates them.
struct SearchText: Equatable, Sendable {
  /// Precedes each word twice. It is no letter, so no word contains it.
  static let mark = "\u{1}"
  /// How many bytes of one field are indexed.
  static let fieldLimit = 16_384

  /// A copy of `contact.sort_key`, so that a search does not read each match's row.
  let sortKey: String
  /// The words of names, nicknames and organisation, which rank first.
  let names: String
  /// The words of all fields, names included.
  let words: String

  /// Creates a text from the stored columns.
  init(sortKey: String, names: String, words: String) {
    self.sortKey = sortKey
    self.names = names
    self.words = words
  }

  /// Creates the text of a contact.
  init(of contact: Contact) {
    var words = Collector()
    for text in [
      contact.formattedName, contact.name.prefix, contact.name.given, contact.name.middle, contact.name.family,
      contact.name.suffix, contact.name.phoneticGiven, contact.name.phoneticFamily, contact.name.phoneticMiddle,
      contact.nickname, contact.organization, contact.phoneticOrganization,
    ] { words.add(text) }
    self.names = words.text
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
    self.sortKey = SortKey.make(of: contact)
    self.words = words.text
  }

  /// The same text with a marker word before all others, by which a search can be restricted.
  func marked(_ word: String) -> SearchText {
    let beginning = Self.mark + Self.mark + word
    return SearchText(sortKey: self.sortKey, names: beginning + self.names, words: beginning + self.words)
  }

  /// The words of texts without duplicates, each preceded by two ``mark``s.
  ///
  /// - Parameter marks: Marker words, by which a search can be restricted. No text contains them.
  static func text(of texts: [String], marks: [String]) -> String {
    var words = Collector()
    for mark in marks { words.add(word: mark) }
    for text in texts { words.add(text) }
    return words.text
  }

  /// The marker word of a source: in both texts of each of its contacts.
  static func word(ofSource id: Int64) -> String {
    let scalar = Unicode.Scalar(0xF0000 + UInt32(truncatingIfNeeded: id) & 0xFFFF)
    return String(Character(scalar ?? "\u{F0000}"))
  }

  /// Splits text into folded words.
  static func words(of text: String) -> [String] {
    var words: [String] = []
    self.forEachWord(of: text) { words.append($0) }
    return words
  }

  /// Calls `body` with each folded word of a text.
  static func forEachWord(of text: String, _ body: (String) -> Void) {
    // Built as bytes in one array: a String of up to 15 bytes then needs no allocation.
    var word: [UInt8] = []
    word.reserveCapacity(32)
    func end() {
      guard !word.isEmpty else { return }
      body(String(decoding: word, as: UTF8.self))
      word.removeAll(keepingCapacity: true)
    }
    var utf8 = text.utf8Span
    if utf8.checkForASCII() {
      // Most fields are ASCII: folding is lower-casing and needs no tables.
      let bytes = utf8.span
      for index in bytes.indices {
        switch bytes[index] {
        case 0x30...0x39, 0x61...0x7A: word.append(bytes[index])
        case 0x41...0x5A: word.append(bytes[index] | 0x20)
        default: end()
        }
      }
    } else {
      var isDense = false
      for scalar in Folding.fold(text) {
        let belongs = self.isInWord(scalar)
        if !belongs || self.isDense(scalar) != isDense { end() }
        guard belongs else { continue }
        isDense = self.isDense(scalar)
        if let encoded = UTF8.encode(scalar) { word.append(contentsOf: encoded) }
      }
    }
    end()
  }

  /// The digits of a phone number, as one word.
  static func digits(of phone: String) -> String {
    var utf8 = phone.utf8Span
    let folded = utf8.checkForASCII() ? phone : String(String.UnicodeScalarView(Folding.fold(phone)))
    return String(decoding: folded.utf8.lazy.filter { (0x30...0x39).contains($0) }, as: UTF8.self)
  }

  /// Whether the script has no spaces, so that a word may begin at each character.
  static func isDense(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0xE00: false
    case 0xE00...0xEFF, 0x3005...0x3007, 0x3040...0x30FF, 0x3100...0x312F, 0x3400...0x9FFF, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }

  /// Whether the folded scalar is part of a word.
  static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
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

/// Collects words without duplicates.
private struct Collector {
  private static let marks = Array((SearchText.mark + SearchText.mark).utf8)

  private var bytes: [UInt8] = []
  private var seen = Set<String>(minimumCapacity: 48)

  var text: String { String(decoding: self.bytes, as: UTF8.self) }

  mutating func add(_ text: String) {
    guard !text.isEmpty else { return }
    SearchText.forEachWord(of: text.beginning(SearchText.fieldLimit)) { self.add(word: $0) }
  }

  mutating func add(word: String) {
    guard !word.isEmpty, self.seen.insert(word).inserted else { return }
    self.append(word)
    let scalars = word.unicodeScalars
    guard let first = scalars.first, SearchText.isDense(first) else { return }
    for index in scalars.indices.dropFirst() {
      let pair = String(scalars[index...].prefix(2))
      if self.seen.insert(pair).inserted { self.append(pair) }
    }
  }

  private mutating func append(_ word: String) {
    self.bytes.append(contentsOf: Self.marks)
    self.bytes.append(contentsOf: word.utf8)
  }
}

/// The key that orders the list of contacts, compared byte by byte.
enum SortKey {
  /// How many bytes of one part are used.
  private static let partLimit = 128

  /// Family name, given name and formatted name, folded. Phonetic forms replace written ones, so that Japanese names
  /// are ordered by their reading.
  ///
  /// A contact without name parts is ordered by its formatted name; without that by organisation, nickname, first email
  /// or phone.
  static func make(of contact: Contact) -> String {
    let name = contact.name
    var parts = [
      name.phoneticFamily.isEmpty ? name.family : name.phoneticFamily,
      name.phoneticGiven.isEmpty ? name.given : name.phoneticGiven,
    ].filter { !$0.isEmpty }
    let fallbacks = [
      contact.formattedName, contact.phoneticOrganization, contact.organization, contact.nickname,
      contact.emails.first?.value ?? "", contact.phones.first?.value ?? "",
    ]
    if let whole = fallbacks.first(where: { !$0.isEmpty }) { parts.append(whole) }
    // Built as bytes: appending scalars took longer than inserting the row.
    var key: [UInt8] = []
    for part in parts {
      // The lowest character ends a part: Ann Lee comes before Anna Bell.
      if !key.isEmpty { key.append(1) }
      for scalar in Folding.fold(part.beginning(Self.partLimit)) where scalar.value > 1 {
        if let encoded = UTF8.encode(scalar) { key.append(contentsOf: encoded) }
      }
    }
    return String(decoding: key, as: UTF8.self)
  }
}
