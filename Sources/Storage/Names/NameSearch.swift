internal import GRDB

/// A search through the index of names, for what the full-text indexes do not find: names in another script, misspelt, by their
/// initials, or of which only initials are known.
///
/// A text is compared with each stored word once, however many have it; who has it is read only for the words that are like it.
struct NameSearch {
  let database: Database
  /// Where names are looked for; nil = not there.
  let contacts: ContactSearch?
  let people: PersonSearch?

  // What was read for words of the text, which is searched twice: for names as they are, and for misspelt ones.
  private var beginning: [String: (words: [Int64: Int], owners: OwnerList)] = [:]
  private var perhapsExact: [String: OwnerList] = [:]

  init(database: Database, contacts: ContactSearch?, people: PersonSearch?) {
    (self.database, self.contacts, self.people) = (database, contacts, people)
  }

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

  /// Who may have one word of several.
  private struct Near {
    let word: Word
    /// Those with words that are like it.
    let close: OwnerList
    /// Those who may have it as it is, in any of their names: for scripts that the index does not have.
    let perhapsExact: OwnerList
    /// Those with a word that sounds like it.
    let heard: OwnerList
    /// All of them, with the smallest difference that each may have.
    let all: OwnerList

    init(_ word: Word, close: OwnerList, perhapsExact: OwnerList, heard: OwnerList) {
      (self.word, self.close, self.perhapsExact, self.heard) = (word, close, perhapsExact, heard)
      self.all = close.union(perhapsExact).union(heard)
    }
  }

  /// The most owners of all parts of one word of several, before the others narrow them down.
  static let exactLimit: Int64 = 5000

  private static let words = 6
  /// The most words that are looked at for one part of a word, and the most owners of words.
  private static let scanned: Int64 = 4000
  /// The most owners whose words are looked at one by one.
  static let checked = 200

  /// How much further away an owner is for each word that none of the names is like: more than the sum of all other differences.
  private static let absent = 10_000
  /// The smallest difference of a name that sounds like another one: where many begin alike, not all that look alike are known.
  private static let nearestHeard = 1

  /// Hands over the owners whose names are like a text, with the difference: 0 for a name that is only written otherwise, 1 for the
  /// beginning of one, 2 and more for those that are misspelt. Those of a single word come in parts, the nearest first.
  ///
  /// - Parameters:
  ///   - findsMisspelt: Whether misspelt names are found too, which takes longer.
  ///   - take: Returns false if it needs no more.
  mutating func find(_ text: String, misspelt findsMisspelt: Bool, _ take: (OwnerList) throws -> Bool) throws {
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
    var found = OwnerList()
    for reading in readings { found = found.union(try self.owners(of: reading, misspelt: findsMisspelt)) }
    _ = try take(found)
  }

  private mutating func owners(of texts: [String], misspelt: Bool) throws -> OwnerList {
    guard let initials = try self.initials(texts) else { return OwnerList() }
    guard initials.isEmpty else { return initials }
    let words = texts.prefix(Self.words).map(Word.init)
    let whole = words.filter { !$0.isInitial }
    // Who has all words. Only initials of other words may be known; that is looked at last, one by one.
    let mustHaveAll = whole.count == words.count && (words.count == 1 || !misspelt)
    var near: [Near] = []
    var complete = OwnerList()
    for word in whole {
      let some = try self.near(word, misspelt: misspelt, isAlone: words.count == 1)
      complete = near.isEmpty ? some.all : complete.intersection(some.all)
      near.append(some)
      if mustHaveAll, complete.isEmpty { return complete }
    }
    var sums = OwnerList()
    for (index, word) in near.enumerated() where !complete.isEmpty {
      let distances = try self.distances(of: word, among: complete)
      sums = index == 0 ? distances : sums.adding(distances)
      complete = sums
    }
    if mustHaveAll || (whole.count == words.count && !complete.isEmpty) { return complete }
    if !complete.isEmpty { return try self.fillInitials(words, complete.byDistance.prefix(Self.checked)) }
    return try self.fillInitials(words, try self.nearest(near)[...])
  }

  /// The nearest of those who have one of the words.
  ///
  /// Many have a common one, and reading what else they have takes long. So they are looked at in the order of the smallest
  /// difference that each may have, until nobody can be nearer than those that were found.
  private func nearest(_ near: [Near]) throws -> [OwnerList.Entry] {
    var waiting = OwnerList.sums(near.map(\.all), absent: Self.absent).byDistance[...]
    var nearest: [OwnerList.Entry] = []
    while let next = waiting.first, nearest.count < Self.checked || next < nearest[Self.checked - 1] {
      let some = OwnerList(Array(waiting.prefix(Self.checked)))
      waiting = waiting.dropFirst(Self.checked)
      let distances = OwnerList.sums(try near.map { try self.distances(of: $0, among: some) }, absent: Self.absent)
      nearest = Array((nearest + distances.entries).sorted().prefix(Self.checked))
    }
    return nearest
  }

  /// How far the names of some are from a word: only of those for whom that holds who may have it.
  private func distances(of near: Near, among owners: OwnerList) throws -> OwnerList {
    let close = near.close.intersection(owners)
    let known = OwnerList(close.entries.filter { $0.distance == 0 })
    let exact = try self.having(near.word.text, near.perhapsExact.intersection(owners).subtracting(known))
    let heard = try self.heard(near.word, near.heard.intersection(owners).subtracting(exact))
    return close.union(exact).union(heard)
  }

  /// The owners with these initials; nil if there is nothing else to look for either.
  private func initials(_ texts: [String]) throws -> OwnerList? {
    guard !texts.isEmpty else { return nil }
    guard texts.count <= 3, texts.joined().utf8.count <= 3, texts.count == 1 || texts.allSatisfy({ $0.utf8.count == 1 })
    else { return OwnerList() }
    let initials = try self.owners(withEntry: NameWords.initialMark + texts.joined())
    return initials.isEmpty && texts.allSatisfy { Word($0).isInitial } ? nil : initials
  }

  /// Of owners who have some of the words, those whose other words fit as initials: J. Smith and John Smith.
  private func fillInitials(_ words: [Word], _ best: ArraySlice<OwnerList.Entry>) throws -> OwnerList {
    let words = words.filter { $0.key != nil }
    var fitting: [NameOwner: Set<Int>] = [:]
    try self.forEachWord(of: best.map(\.owner)) { other in
      let places = words.indices.filter { Self.fits(words[$0], other) }
      return places.isEmpty ? nil : places
    } body: { owner, places in
      fitting[owner, default: []].formUnion(places)
    }
    return OwnerList(
      best.filter { words.isEmpty || fitting[$0.owner]?.count == words.count }
        .map { OwnerList.Entry(owner: $0.owner, distance: $0.distance % Self.absent + 1) })
  }

  /// Whether a word of a name is a word of the text, or one of them is an initial of the other.
  private static func fits(_ word: Word, _ other: String) -> Bool {
    guard let key = word.key else { return true }
    if word.isInitial { return other.hasPrefix(key) }
    return Self.isNear(key, word.spelled, other) || (other.utf8.count == 1 && key.hasPrefix(other))
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
  private mutating func near(_ word: Word, misspelt: Bool, _ take: (OwnerList) throws -> Bool) throws {
    guard let key = word.key, key.utf8.count > 1 else { return }
    guard try take(try self.owners(withEntry: key)), try take(try self.beginning(with: key).owners), misspelt,
      let close = try self.misspelt(word, isAlone: true)
    else { return }
    let nearest = try self.owners(of: close.filter { $0.value <= 2 })
    guard try take(nearest) else { return }
    let others = try self.owners(of: close.filter { $0.value > 2 })
    let heard = try self.owners(soundingLike: word).subtracting(nearest)
    _ = try take(others.union(try self.heard(word, heard)))
  }

  /// The owners who may have one word among others.
  ///
  /// - Parameter isAlone: Whether it is the only word; among others, three letters say too little to be misspelt.
  private mutating func near(_ word: Word, misspelt: Bool, isAlone: Bool) throws -> Near {
    var (close, heard) = (OwnerList(), OwnerList())
    if let key = word.key, key.utf8.count > 1 {
      let beginning = try self.beginning(with: key)
      close = beginning.owners
      if misspelt, let words = try self.misspelt(word, isAlone: isAlone)?.filter({ beginning.words[$0.key] == nil }) {
        close = close.union(try self.owners(of: words))
        heard = try self.owners(soundingLike: word, distance: Self.nearestHeard).subtracting(close)
      }
    }
    let exact = word.key == nil || !isAlone ? try self.owners(perhapsWith: word.text) : OwnerList()
    return Near(word, close: close, perhapsExact: exact, heard: heard)
  }

  /// The owners who may have a word as it is: those who have all parts of it.
  private mutating func owners(perhapsWith word: String) throws -> OwnerList {
    if let owners = self.perhapsExact[word] { return owners }
    let owners = (try self.contacts?.owners(perhapsWith: word) ?? OwnerList())
      .union(try self.people?.owners(perhapsWith: word) ?? OwnerList())
    self.perhapsExact[word] = owners
    return owners
  }

  /// Those of owners who have a word as it is.
  private func having(_ word: String, _ owners: OwnerList) throws -> OwnerList {
    guard !owners.isEmpty else { return owners }
    return (try self.contacts?.having(word, owners) ?? OwnerList())
      .union(try self.people?.having(word, owners) ?? OwnerList())
  }

  /// Stored words that are this one, 0, or begin with it, 1; and who has them.
  private mutating func beginning(with key: String) throws -> (words: [Int64: Int], owners: OwnerList) {
    if let known = self.beginning[key] { return known }
    var words: [Int64: Int] = [:]
    try self.scan("word", from: key) { id, word in words[id] = word == key ? 0 : 1 }
    let found = (words, try self.owners(of: words))
    self.beginning[key] = found
    return found
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
        if let distance = spelled.distance(to: $1, limit: tolerance) { words[$0] = 2 * distance }
      }
    }
    return words
  }

  /// Parts of a word one of which is intact in each word with so few faults: its beginning or its end, and the beginning with the
  /// letters at the seam swapped.
  static func parts(_ letters: [Unicode.Scalar], faults: Int) -> [(text: String, isEnd: Bool)] {
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

  private func owners(soundingLike word: Word, distance: Int = 0) throws -> OwnerList {
    let sound = Spelling.sound(of: word.text)
    return sound.isEmpty ? OwnerList() : try self.owners(withEntry: NameWords.soundMark + sound, distance: distance)
  }

  /// Of owners who have a word that sounds like this one, those who have one that looks like it, with the difference.
  private func heard(_ word: Word, _ owners: OwnerList) throws -> OwnerList {
    guard !owners.isEmpty else { return owners }
    // A few consonants are common to names that are otherwise nothing like each other.
    let limit = max(word.tolerance, word.spelled.letters.count / 2)
    var found: [OwnerList.Entry] = []
    try self.forEachWord(of: owners.owners) {
      word.spelled.distance(to: $0, limit: limit)
    } body: { owner, distance in
      found.append(OwnerList.Entry(owner: owner, distance: 2 * distance + 1))
    }
    return OwnerList(found)
  }

  // MARK: - The index

  /// Hands over owners with what `read` makes of their words; nothing for nil.
  ///
  /// Each word is read once, however many have it, and in the order of the table.
  private func forEachWord<Value>(
    of owners: [NameOwner], read: (String) -> Value?, body: (NameOwner, Value) -> Void
  ) throws {
    var uses: [(word: Int64, owner: NameOwner)] = []
    try EngineStatement(
      self.database,
      """
      SELECT name_use.word, name_use.owner FROM json_each(?1) AS found CROSS JOIN name_use ON name_use.owner = found.value
      """
    ).forEach([.text(ColumnValues.array(owners.map(\.number)))]) {
      uses.append(($0.integer(0), NameOwner(number: $0.integer(1))))
    }
    uses.sort { $0.word < $1.word }
    var words: [Int64] = []
    for use in uses where words.last != use.word { words.append(use.word) }
    var rest = uses[...]
    try EngineStatement(
      self.database,
      """
      SELECT name_word.id, name_word.word FROM json_each(?1) AS found CROSS JOIN name_word ON name_word.id = found.value
      WHERE name_word.word >= ' '
      """
    ).forEach([.text(ColumnValues.array(words))]) {
      let id = $0.integer(0)
      guard let value = read($0.text(1)) else { return }
      rest = rest.drop(while: { $0.word < id })
      for use in rest.prefix(while: { $0.word == id }) { body(use.owner, value) }
    }
  }

  private func owners(withEntry entry: String, distance: Int = 0) throws -> OwnerList {
    var owners: [OwnerList.Entry] = []
    try EngineStatement(
      self.database,
      "SELECT owner FROM name_entry WHERE word = ?1 AND (?2 IS NULL OR owner & 1 = ?2) LIMIT ?3"
    ).forEach([.text(entry), self.parity, .integer(Self.scanned)]) {
      owners.append(OwnerList.Entry(owner: NameOwner(number: $0.integer(0)), distance: distance))
    }
    return OwnerList(owners)
  }

  /// The owners of words, each with the smallest difference.
  private func owners(of words: [Int64: Int]) throws -> OwnerList {
    guard !words.isEmpty else { return OwnerList() }
    let nearestFirst = words.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    var owners: [OwnerList.Entry] = []
    try EngineStatement(
      self.database,
      """
      SELECT found.key, name_use.owner FROM json_each(?1) AS found CROSS JOIN name_use ON name_use.word = found.value
      WHERE ?2 IS NULL OR name_use.owner & 1 = ?2 LIMIT ?3
      """
    ).forEach([.text(ColumnValues.array(nearestFirst.map(\.key))), self.parity, .integer(Self.scanned)]) {
      let owner = NameOwner(number: $0.integer(1))
      owners.append(OwnerList.Entry(owner: owner, distance: nearestFirst[Int($0.integer(0))].value))
    }
    return OwnerList(owners)
  }

  /// The kind of owners that are looked for; NULL for both.
  private var parity: EngineValue {
    let kind: NameOwner.Kind? = self.people == nil ? .contact : self.contacts == nil ? .person : nil
    return .optional(kind?.rawValue)
  }

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
