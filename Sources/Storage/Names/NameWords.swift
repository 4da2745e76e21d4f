internal import KithMessages

/// The words of a person's or a contact's names, as ``NameIndex`` stores them.
struct NameWords: Sendable, Equatable {
  /// One word, or the initials of a name.
  struct Entry: Hashable, Sendable {
    /// The word as ``NameKey`` writes it; or ``initialMark`` and initials.
    let text: String
    /// What the word sounds like; empty for initials, and for a word of which nothing is heard.
    let sound: String
  }

  /// Begins the text of initials.
  static let initialMark = "\u{2}"
  /// How many words of one owner are stored.
  private static let limit = 32
  /// How many letters of a word are stored.
  private static let longest = 40

  /// Words and initials, each once.
  private(set) var entries: [Entry] = []

  /// Makes the words of names.
  ///
  /// - Parameters:
  ///   - names: Whole names or parts of them.
  ///   - pairs: Family and given names, as they are written and as they are read. Their initials are stored, and what is written
  ///     without a blank.
  init(names: [String], pairs: [(family: String, given: String)]) {
    var words: [String] = []
    for name in names {
      words += Self.words(of: name)
      let joined = Self.withoutJoints(name)
      if joined != name { words += Self.words(of: joined) }
    }
    for pair in pairs {
      let (family, given) = (Self.words(of: pair.family), Self.words(of: pair.given))
      guard !family.isEmpty, !given.isEmpty else { continue }
      words += [family.joined() + given.joined(), given.joined() + family.joined()]
      if let (one, other) = Self.initials(family[0], given[0]) {
        for both in [one + other, other + one] { self.add(Entry(text: Self.initialMark + both, sound: "")) }
      }
    }
    var seen = Set<String>(minimumCapacity: Self.limit)
    for word in words where self.entries.count < Self.limit && seen.insert(word).inserted {
      guard let key = NameKey.make(word) else { continue }
      self.add(Entry(text: key, sound: Spelling.sound(of: word)))
    }
  }

  /// Adds an entry unless it is there: of some ten, a walk finds it sooner than a hash.
  private mutating func add(_ entry: Entry) {
    if !self.entries.contains(entry) { self.entries.append(entry) }
  }

  /// The words of a contact.
  init(of contact: Contact) {
    let name = contact.name
    self.init(
      names: [
        contact.formattedName, name.given, name.family, name.middle, name.phoneticGiven, name.phoneticFamily,
        name.phoneticMiddle, contact.nickname, contact.organization, contact.phoneticOrganization,
      ],
      pairs: [(name.family, name.given), (name.phoneticFamily, name.phoneticGiven)])
  }

  /// The words of a person.
  init(of person: Person) {
    self.init(
      names: [
        person.displayName, person.firstName, person.middleName, person.lastName, person.nickname, person.company,
      ], pairs: [(person.lastName, person.firstName)])
  }

  /// The folded words of a name, without numbers.
  static func words(of name: String) -> [String] {
    guard !name.isEmpty else { return [] }
    var words: [String] = []
    SearchText.forEachWord(of: name.beginning(512)) { word in
      guard !word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
      words.append(
        word.utf8.count > Self.longest && word.unicodeScalars.count > Self.longest
          ? String(word.unicodeScalars.prefix(Self.longest)) : word)
    }
    return words
  }

  /// The name without what joins its parts: O'Brien and Jean-Luc are also written as one word.
  static func withoutJoints(_ name: String) -> String {
    // Most names have letters and blanks alone.
    guard name.utf8.contains(where: { $0 > 0x7F || (0x27...0x2E).contains($0) || $0 == 0x60 }),
      name.unicodeScalars.contains(where: Self.joints.contains)
    else { return name }
    return String(String.UnicodeScalarView(name.unicodeScalars.filter { !Self.joints.contains($0) }))
  }

  private static let joints: [Unicode.Scalar] = ["'", "’", "‘", "`", "´", "-", "‐", "‑", "."]

  private static func initials(_ family: String, _ given: String) -> (String, String)? {
    guard let one = NameKey.make(family)?.first, let other = NameKey.make(given)?.first else { return nil }
    // The letter itself, not what it is levelled to.
    return (
      family.first?.isASCII == true ? "\(family.prefix(1))" : "\(one)",
      given.first?.isASCII == true ? "\(given.prefix(1))" : "\(other)"
    )
  }
}
