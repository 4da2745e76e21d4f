internal import GRDB

/// A search through the index of names, for what the full-text indexes do not find: names in another script, misspelt, by their
/// initials, or of which only initials are known.
struct NameSearch {
  let database: Database
  /// Whether misspelt names are found too, which takes longer.
  let findsMisspelt: Bool

  /// One word of the text.
  private struct Word {
    let text: String
    /// nil for kanji and the like.
    let key: String?

    init(_ text: String) {
      self.text = text
      self.key = NameKey.make(text)
    }

    /// One letter stands for a name that begins with it.
    var isInitial: Bool { self.text.utf8.count == 1 && self.key != nil }
  }

  /// The most owners of one word of several, before the others narrow them down.
  static let exactLimit = 5000

  private static let words = 6
  /// The most entries that are looked at for one part of a word.
  private static let scanned: Int64 = 4000
  /// The most owners whose words are looked at one by one.
  private static let checked = 200

  /// The owners whose names are like a text, with the difference: 0 for a name that is only written otherwise, 1 for the beginning of
  /// one, 2 and more for those that are misspelt.
  ///
  /// - Parameter exact: The owners who have a word as it is, in any of their fields; for scripts that the index does not have.
  func owners(of text: String, exact: (String) throws -> Set<NameOwner>) throws -> [NameOwner: Int] {
    var found = try self.owners(ofWords: NameWords.words(of: text.beginning(256)), exact: exact)
    let joined = NameWords.words(of: NameWords.withoutJoints(text.beginning(256)))
    var readings = [joined]
    if joined.count == 2 { readings.append([joined.joined()]) }
    for reading in readings where reading != NameWords.words(of: text.beginning(256)) {
      found.merge(try self.owners(ofWords: reading, exact: exact)) { min($0, $1) }
    }
    return found
  }

  private func owners(
    ofWords texts: [String], exact: (String) throws -> Set<NameOwner>
  ) throws -> [NameOwner: Int] {
    let words = texts.prefix(Self.words).map(Word.init)
    guard !words.isEmpty else { return [:] }
    if texts.count <= 3, texts.joined().utf8.count <= 3, texts.allSatisfy({ $0.utf8.count == 1 }) || texts.count == 1 {
      let initials = try self.owners(withEntry: NameWords.initialMark + texts.joined())
      if !initials.isEmpty || words.allSatisfy(\.isInitial) { return initials }
    }
    var scores: [NameOwner: (matched: Int, distance: Int)] = [:]
    let whole = words.filter { !$0.isInitial }
    for word in whole {
      var near = try self.near(word, isAlone: words.count == 1)
      if word.key == nil || words.count > 1 { for owner in try exact(word.text) { near[owner] = 0 } }
      for (owner, distance) in near {
        let known = scores[owner] ?? (0, 0)
        scores[owner] = (known.matched + 1, known.distance + distance)
      }
    }
    let complete = scores.filter { $0.value.matched == whole.count }
    guard words.count > 1 else { return complete.mapValues(\.distance) }
    if whole.count == words.count, !complete.isEmpty { return complete.mapValues(\.distance) }
    return try self.fillInitials(words, complete.isEmpty ? scores.filter { $0.value.matched > 0 } : complete)
  }

  /// Of owners who have some of the words, those whose other words fit as initials: J. Smith and John Smith.
  private func fillInitials(
    _ words: [Word], _ scores: [NameOwner: (matched: Int, distance: Int)]
  ) throws -> [NameOwner: Int] {
    let best = scores.sorted { ($1.value.matched, $0.value.distance) < ($0.value.matched, $1.value.distance) }
    var found: [NameOwner: Int] = [:]
    for (owner, score) in best.prefix(Self.checked) {
      let theirs = try self.database.all("SELECT word FROM name_entry WHERE owner = ?", .integer(owner.number)) {
        $0.text(0)
      }
      let fits = words.allSatisfy { word in
        guard let key = word.key else { return true }
        if word.isInitial { return theirs.contains { $0.hasPrefix(key) } }
        return theirs.contains { Self.isNear(key, $0) || ($0.utf8.count == 1 && key.hasPrefix($0)) }
      }
      if fits { found[owner] = score.distance + 1 }
    }
    return found
  }

  /// Whether a word of a name is another one, its beginning, or misspelt. An initial is near each word that begins with it.
  static func isNear(_ key: String, _ other: String) -> Bool {
    if other.hasPrefix(key) { return true }
    let letters = Array(key.unicodeScalars)
    // Three letters say too little to be misspelt.
    let limit = letters.count > 3 ? Spelling.tolerance(letters: letters.count) : 0
    return Spelling.distance(letters, Array(other.unicodeScalars), limit: limit) != nil
  }

  // MARK: - One word

  /// The owners who have a word that is like this one, with the difference.
  ///
  /// - Parameter isAlone: Whether it is the only word; among others, three letters say too little to be misspelt.
  private func near(_ word: Word, isAlone: Bool) throws -> [NameOwner: Int] {
    guard let key = word.key, key.utf8.count > 1 else { return [:] }
    var near: [NameOwner: Int] = [:]
    try self.scan("word", from: key) { entry, owner in near[owner] = min(near[owner] ?? .max, entry == key ? 0 : 1) }
    let letters = Array(key.unicodeScalars)
    let tolerance = Spelling.tolerance(letters: min(word.text.unicodeScalars.count, letters.count))
    guard self.findsMisspelt, tolerance > 0, letters.count > 2, isAlone || word.text.unicodeScalars.count > 3 else {
      return near
    }
    // Rows come by word: each word is compared once, however many have it.
    var last: (word: String, distance: Int?) = ("", nil)
    func compare(_ entry: String, _ owner: NameOwner, _ limit: Int) {
      if entry != last.word {
        last = (entry, Spelling.distance(letters, Array(entry.unicodeScalars), limit: limit))
      }
      if let distance = last.distance { near[owner] = min(near[owner] ?? .max, 2 * distance) }
    }
    for part in Self.parts(letters, faults: tolerance) {
      try self.scan(part.isEnd ? "backwards" : "word", from: part.text, letters: letters.count, spread: tolerance) {
        compare(part.isEnd ? String(String.UnicodeScalarView($0.unicodeScalars.reversed())) : $0, $1, tolerance)
      }
    }
    let sound = Spelling.sound(of: word.text)
    guard !sound.isEmpty else { return near }
    for owner in try self.owners(withEntry: NameWords.soundMark + sound).keys where near[owner] == nil {
      // A few consonants are common to names that are otherwise nothing like each other.
      let limit = max(tolerance, letters.count / 2)
      for entry in try self.words(of: owner) {
        if let distance = Spelling.distance(letters, Array(entry.unicodeScalars), limit: limit) {
          near[owner] = min(near[owner] ?? .max, 2 * distance + 1)
        }
      }
    }
    return near
  }

  /// Parts of a word one of which is intact in each word with so few faults: its beginning or its end, and the beginning with the
  /// letters at the seam swapped.
  private static func parts(_ letters: [Unicode.Scalar], faults: Int) -> [(text: String, isEnd: Bool)] {
    func text(_ part: some Sequence<Unicode.Scalar>) -> String { String(String.UnicodeScalarView(part)) }
    let count = letters.count
    let head = faults > 1 ? count / 3 : max(2, count / 2)
    let tail = faults > 1 ? count / 3 : max(2, count - count / 2)
    var parts = [(text(letters.prefix(head)), false), (text(letters.suffix(tail).reversed()), true)]
    if head < count {
      var swapped = Array(letters.prefix(head + 1))
      swapped.swapAt(head - 1, head)
      parts.append((text(swapped), false))
    }
    return parts
  }

  private func words(of owner: NameOwner) throws -> [String] {
    try self.database.all("SELECT word FROM name_entry WHERE owner = ? AND word >= ' '", .integer(owner.number)) {
      $0.text(0)
    }
  }

  private func owners(withEntry entry: String) throws -> [NameOwner: Int] {
    var owners: [NameOwner: Int] = [:]
    try EngineStatement(self.database, "SELECT owner FROM name_entry WHERE word = ? LIMIT ?")
      .forEach([.text(entry), .integer(Self.scanned)]) { owners[NameOwner(number: $0.integer(0))] = 0 }
    return owners
  }

  /// Hands over the entries that begin so.
  private func scan(
    _ column: String, from beginning: String, letters: Int? = nil, spread: Int = 0,
    _ body: (String, NameOwner) -> Void
  ) throws {
    let length = letters == nil ? "" : " AND length(\(column)) BETWEEN ?4 AND ?5"
    try EngineStatement(
      self.database,
      """
      SELECT \(column), owner FROM name_entry
      WHERE \(column) >= ?1 AND \(column) < ?2 AND \(column) <> ''\(length) LIMIT ?3
      """
    ).forEach(
      [.text(beginning), .text(beginning + "\u{10FFFF}"), .integer(Self.scanned)]
        + (letters.map { [.integer(Int64($0 - spread)), .integer(Int64($0 + spread))] } ?? [])
    ) { body($0.text(0), NameOwner(number: $0.integer(1))) }
  }
}
