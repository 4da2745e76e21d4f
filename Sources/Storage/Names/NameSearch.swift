internal import GRDB

/// A search through the index of names, for what the full-text indexes do not find: names in another script, misspelt, by their
/// initials, or of which only initials are known.
///
/// A text is compared with each stored word once, however many have it; who has it is read only for the words that are like it.
struct NameSearch {
  let database: Database
  /// Contacts or people alone, or nil for both.
  let kind: NameOwner.Kind?
  /// The owners who have a word as it is, in any of their fields: for scripts that the index does not have.
  let exact: (String) throws -> Set<NameOwner>

  /// One word of the text.
  private struct Word {
    let text: String
    /// nil for kanji and the like.
    let key: String?
    let spelled: SpelledWord

    init(_ text: String) {
      self.text = text
      self.key = NameKey.make(text)
      self.spelled = SpelledWord((self.key ?? "").unicodeScalars)
    }

    /// One letter stands for a name that begins with it.
    var isInitial: Bool { self.text.utf8.count == 1 && self.key != nil }
    /// How many letters may differ.
    var tolerance: Int {
      Spelling.tolerance(letters: min(self.text.unicodeScalars.count, self.spelled.letters.count))
    }
  }

  /// Who has words that are like a word of the text, with the difference; and who has one that sounds like it, which is looked at
  /// only where that matters.
  private struct Near {
    var owners: [NameOwner: Int] = [:]
    var heard: Set<NameOwner> = []

    func has(_ owner: NameOwner) -> Bool { self.owners[owner] != nil || self.heard.contains(owner) }
  }

  /// The most owners of one word of several, before the others narrow them down.
  static let exactLimit: Int64 = 5000

  private static let words = 6
  /// The most words that are looked at for one part of a word, and the most owners of words.
  private static let scanned: Int64 = 4000
  /// The most owners whose words are looked at one by one.
  private static let checked = 200

  /// Hands over the owners whose names are like a text, with the difference: 0 for a name that is only written otherwise, 1 for the
  /// beginning of one, 2 and more for those that are misspelt. Those of a single word come in parts, the nearest first.
  ///
  /// - Parameters:
  ///   - findsMisspelt: Whether misspelt names are found too, which takes longer.
  ///   - take: Returns false if it needs no more.
  func find(_ text: String, misspelt findsMisspelt: Bool, _ take: ([NameOwner: Int]) throws -> Bool) throws {
    let words = NameWords.words(of: text.beginning(256))
    let joined = NameWords.words(of: NameWords.withoutJoints(text.beginning(256)))
    var readings = [words]
    for reading in joined.count == 2 ? [joined, [joined.joined()]] : [joined] where reading != words {
      readings.append(reading)
    }
    if readings.count == 1, words.count == 1, let initials = try self.initials(words) {
      guard initials.isEmpty else { return _ = try take(initials) }
      return try self.near(Word(words[0]), misspelt: findsMisspelt, take)
    }
    var found: [NameOwner: Int] = [:]
    for reading in readings {
      found.merge(try self.owners(of: reading, misspelt: findsMisspelt)) { min($0, $1) }
    }
    _ = try take(found)
  }

  private func owners(of texts: [String], misspelt: Bool) throws -> [NameOwner: Int] {
    guard let initials = try self.initials(texts) else { return [:] }
    guard initials.isEmpty else { return initials }
    let words = texts.prefix(Self.words).map(Word.init)
    let whole = words.filter { !$0.isInitial }
    var all: [Near] = []
    for word in whole {
      var near = try self.near(word, misspelt: misspelt, isAlone: words.count == 1)
      if word.key == nil || words.count > 1 { for owner in try self.exact(word.text) { near.owners[owner] = 0 } }
      all.append(near)
    }
    // Who has all words, by the smallest number of those who have one.
    let fewest = all.indices.min {
      all[$0].owners.count + all[$0].heard.count < all[$1].owners.count + all[$1].heard.count
    }
    if let fewest {
      var candidates = Set(all[fewest].owners.keys).union(all[fewest].heard)
      for near in all { candidates = candidates.filter(near.has) }
      var complete = Dictionary(candidates.map { ($0, 0) }) { first, _ in first }
      for (word, near) in zip(whole, all) {
        let heard = try self.heard(word, near.heard.intersection(candidates))
        for owner in candidates {
          let distance = near.owners[owner] ?? heard[owner]
          complete[owner] = distance.flatMap { distance in complete[owner].map { $0 + distance } }
        }
      }
      // Only initials of other words may be known; that is looked at last, one by one.
      if whole.count == words.count, !complete.isEmpty || words.count == 1 || !misspelt { return complete }
      if !complete.isEmpty { return try self.fillInitials(words, complete.mapValues { (whole.count, $0) }) }
    }
    var scores: [NameOwner: (matched: Int, distance: Int)] = [:]
    for (word, near) in zip(whole, all) {
      for (owner, distance) in near.owners.merging(try self.heard(word, near.heard), uniquingKeysWith: min) {
        let known = scores[owner] ?? (0, 0)
        scores[owner] = (known.matched + 1, known.distance + distance)
      }
    }
    return try self.fillInitials(words, scores)
  }

  /// The owners with these initials; nil if there is nothing else to look for either.
  private func initials(_ texts: [String]) throws -> [NameOwner: Int]? {
    guard !texts.isEmpty else { return nil }
    guard texts.count <= 3, texts.joined().utf8.count <= 3, texts.count == 1 || texts.allSatisfy({ $0.utf8.count == 1 })
    else { return [:] }
    let initials = try self.owners(withEntry: NameWords.initialMark + texts.joined())
    guard initials.isEmpty, texts.allSatisfy({ Word($0).isInitial }) else {
      return Dictionary(initials.map { ($0, 0) }) { first, _ in first }
    }
    return nil
  }

  /// Of owners who have some of the words, those whose other words fit as initials: J. Smith and John Smith.
  private func fillInitials(
    _ words: [Word], _ scores: [NameOwner: (matched: Int, distance: Int)]
  ) throws -> [NameOwner: Int] {
    let best = scores.sorted {
      ($1.value.matched, $0.value.distance, $0.key.number) < ($0.value.matched, $1.value.distance, $1.key.number)
    }.prefix(Self.checked)
    var theirs: [NameOwner: [String]] = [:]
    try self.forEachWord(of: best.map(\.key)) { owner, _, word in theirs[owner, default: []].append(word) }
    var found: [NameOwner: Int] = [:]
    for (owner, score) in best {
      let fits = words.allSatisfy { word in
        guard let key = word.key else { return true }
        return (theirs[owner] ?? []).contains { other in
          if word.isInitial { return other.hasPrefix(key) }
          return Self.isNear(key, word.spelled, other) || (other.utf8.count == 1 && key.hasPrefix(other))
        }
      }
      if fits { found[owner] = score.distance + 1 }
    }
    return found
  }

  /// Whether a word of a name is another one, its beginning, or misspelt. An initial is near each word that begins with it.
  static func isNear(_ key: String, _ other: String) -> Bool {
    self.isNear(key, SpelledWord(key.unicodeScalars), other)
  }

  private static func isNear(_ key: String, _ spelled: SpelledWord, _ other: String) -> Bool {
    if other.hasPrefix(key) { return true }
    // Three letters say too little to be misspelt.
    let limit = spelled.letters.count > 3 ? Spelling.tolerance(letters: spelled.letters.count) : 0
    return spelled.distance(to: other, limit: limit) != nil
  }

  // MARK: - One word

  /// The owners who have a word that is like this one, those with a smaller difference first.
  private func near(_ word: Word, misspelt: Bool, _ take: ([NameOwner: Int]) throws -> Bool) throws {
    guard let key = word.key, key.utf8.count > 1 else { return }
    guard try take(Dictionary(try self.owners(withEntry: key).map { ($0, 0) }) { first, _ in first }),
      try take(try self.owners(of: try self.words(beginning: key))), misspelt,
      let close = try self.misspelt(word, isAlone: true)
    else { return }
    let nearest = try self.owners(of: close.filter { $0.value <= 2 })
    guard try take(nearest) else { return }
    var others = try self.owners(of: close.filter { $0.value > 2 })
    let heard = try self.owners(soundingLike: word).filter { nearest[$0] == nil }
    others.merge(try self.heard(word, heard), uniquingKeysWith: min)
    _ = try take(others)
  }

  /// The owners who have a word that is like this one among others.
  ///
  /// - Parameter isAlone: Whether it is the only word; among others, three letters say too little to be misspelt.
  private func near(_ word: Word, misspelt: Bool, isAlone: Bool) throws -> Near {
    guard let key = word.key, key.utf8.count > 1 else { return Near() }
    var near = Near(owners: try self.owners(of: try self.words(beginning: key)))
    guard misspelt, let close = try self.misspelt(word, isAlone: isAlone) else { return near }
    near.owners.merge(try self.owners(of: close), uniquingKeysWith: min)
    near.heard = try self.owners(soundingLike: word).filter { near.owners[$0] == nil }
    return near
  }

  /// Stored words that are this one, 0, or begin with it, 1.
  private func words(beginning key: String) throws -> [Int64: Int] {
    var words: [Int64: Int] = [:]
    try self.scan("word", from: key) { id, word in words[id] = word == key ? 0 : 1 }
    return words
  }

  /// Stored words that are this one misspelt, with twice the number of faults; nil if this one is too short.
  private func misspelt(_ word: Word, isAlone: Bool) throws -> [Int64: Int]? {
    let (letters, tolerance) = (word.spelled.letters, word.tolerance)
    guard tolerance > 0, letters.count > 2, isAlone || word.text.unicodeScalars.count > 3 else { return nil }
    let backwards = SpelledWord(letters.reversed())
    var words: [Int64: Int] = [:]
    for part in Self.parts(letters, faults: tolerance) {
      let spelled = part.isEnd ? backwards : word.spelled
      try self.scan(part.isEnd ? "backwards" : "word", from: part.text, letters: letters.count, spread: tolerance) {
        words[$0] = spelled.distance(to: $1, limit: tolerance).map { 2 * $0 }
      }
    }
    return words
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

  private func owners(soundingLike word: Word) throws -> Set<NameOwner> {
    let sound = Spelling.sound(of: word.text)
    return sound.isEmpty ? [] : try self.owners(withEntry: NameWords.soundMark + sound)
  }

  /// Of owners who have a word that sounds like this one, those who have one that looks like it, with the difference.
  private func heard(_ word: Word, _ owners: Set<NameOwner>) throws -> [NameOwner: Int] {
    guard !owners.isEmpty else { return [:] }
    // A few consonants are common to names that are otherwise nothing like each other.
    let limit = max(word.tolerance, word.spelled.letters.count / 2)
    var compared: [Int64: Int?] = [:]
    var found: [NameOwner: Int] = [:]
    try self.forEachWord(of: Array(owners)) { owner, id, other in
      let distance = compared[id] ?? word.spelled.distance(to: other, limit: limit)
      compared[id] = .some(distance)
      if let distance { found[owner] = min(found[owner] ?? .max, 2 * distance + 1) }
    }
    return found
  }

  // MARK: - The index

  private func forEachWord(of owners: [NameOwner], _ body: (NameOwner, Int64, String) -> Void) throws {
    try EngineStatement(
      self.database,
      """
      SELECT name_use.owner, name_word.id, name_word.word FROM json_each(?1) AS found
        CROSS JOIN name_use ON name_use.owner = found.value CROSS JOIN name_word ON name_word.id = name_use.word
      WHERE name_word.word >= ' '
      """
    ).forEach([.text(ColumnValues.array(owners.map(\.number)))]) {
      body(NameOwner(number: $0.integer(0)), $0.integer(1), $0.text(2))
    }
  }

  private func owners(withEntry entry: String) throws -> Set<NameOwner> {
    var owners: Set<NameOwner> = []
    try EngineStatement(
      self.database,
      "SELECT owner FROM name_entry WHERE word = ?1 AND (?2 IS NULL OR owner & 1 = ?2) LIMIT ?3"
    ).forEach([.text(entry), self.parity, .integer(Self.scanned)]) { owners.insert(NameOwner(number: $0.integer(0))) }
    return owners
  }

  /// The owners of words, each with the smallest difference.
  private func owners(of words: [Int64: Int]) throws -> [NameOwner: Int] {
    guard !words.isEmpty else { return [:] }
    let nearestFirst = words.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    var owners: [NameOwner: Int] = [:]
    try EngineStatement(
      self.database,
      """
      SELECT name_use.word, name_use.owner FROM json_each(?1) AS found CROSS JOIN name_use ON name_use.word = found.value
      WHERE ?2 IS NULL OR name_use.owner & 1 = ?2 LIMIT ?3
      """
    ).forEach([.text(ColumnValues.array(nearestFirst)), self.parity, .integer(Self.scanned)]) {
      let owner = NameOwner(number: $0.integer(1))
      if owners[owner] == nil { owners[owner] = words[$0.integer(0)] }
    }
    return owners
  }

  private var parity: EngineValue { .optional(self.kind?.rawValue) }

  /// Hands over the words that begin so, or end so if they are read backwards.
  private func scan(
    _ column: String, from beginning: String, letters: Int? = nil, spread: Int = 0, _ body: (Int64, String) -> Void
  ) throws {
    let length = letters == nil ? "" : " AND length(\(column)) BETWEEN ?4 AND ?5"
    try EngineStatement(
      self.database,
      """
      SELECT id, \(column) FROM name_word
      WHERE \(column) >= ?1 AND \(column) < ?2 AND \(column) <> ''\(length) LIMIT ?3
      """
    ).forEach(
      [.text(beginning), .text(beginning + "\u{10FFFF}"), .integer(Self.scanned)]
        + (letters.map { [.integer(Int64($0 - spread)), .integer(Int64($0 + spread))] } ?? [])
    ) { body($0.integer(0), $0.text(1)) }
  }
}
