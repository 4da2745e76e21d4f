internal import GRDB

/// A search through the index of names, for what the full-text indexes do not find: names in another script, misspelt, by their
/// initials, or of which only initials are known.
///
/// A text is compared with each stored word once, however many have it; who has it is read only for the words that are like it.
struct NameSearch {
  private let entries: NameEntries
  /// Of whom names are looked for: contacts, people, or both.
  private let texts: [SearchedTexts]

  // What was read for words of the text, which is searched twice: for names as they are, and for misspelt ones.
  private var beginning: [String: (words: NameEntries.Words, owners: OwnerList)] = [:]
  private var perhapsExact: [String: OwnerList] = [:]

  init(database: Database, texts: [SearchedTexts]) {
    self.texts = texts
    self.entries = NameEntries(database: database, kind: texts.count == 1 ? texts.first?.kind : nil)
  }

  /// One word of the text.
  private struct Word {
    let text: String
    /// nil for kanji and the like.
    let key: String?
    /// The keys of the initials that stand for it.
    let initials: [String]
    let spelled: SpelledWord

    init(_ text: String) {
      self.text = text
      self.key = NameKey.make(text)
      self.initials = NameKey.initials(of: text)
      self.spelled = SpelledWord((self.key ?? text).unicodeScalars)
    }

    /// One letter stands for a name that begins with it.
    var isInitial: Bool { self.text.utf8.count == 1 && self.key != nil }

    /// Whether a word of a name is an initial of this one, or this one is an initial of it.
    func isAbbreviated(with name: String) -> Bool {
      self.isInitial ? self.key.map(name.hasPrefix) ?? false : self.initials.contains(name)
    }

    /// How many letters may differ; see ``Spelling/faults(in:letters:isAlone:)``.
    func faults(isAlone: Bool) -> Int {
      Spelling.faults(in: self.text, letters: self.spelled.letters.count, isAlone: isAlone)
    }

    /// How far a stored word that sounds like this one is from it; nil if it does not look like it. A few consonants are common to
    /// names that are otherwise nothing like each other.
    func distance(heard other: String) -> Int? {
      self.spelled.distance(to: other, limit: self.spelled.letters.count / 2).map { 2 * $0 + 1 }
    }
  }

  /// Who may have one word of several.
  private struct Near {
    let word: Word
    /// Those with words that are like it.
    let close: OwnerList
    /// Those who may have it as it is, in any of their names: for scripts that the index does not have.
    let perhapsExact: OwnerList
    /// All of them, with the smallest difference that each may have.
    let all: OwnerList

    init(_ word: Word, close: OwnerList, perhapsExact: OwnerList) {
      (self.word, self.close, self.perhapsExact) = (word, close, perhapsExact)
      self.all = close.union(perhapsExact)
    }
  }

  /// The most owners of all parts of one word of several, before the others narrow them down.
  static let exactLimit = 5000

  private static let words = 6
  /// The most owners whose words are looked at one by one.
  static let checked = 200

  /// How much further away an owner is for each word that none of the names is like: more than the sum of all other differences.
  private static let absent = 10_000

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
      // Two letters may be a name as well: Yu is ゆう, and Yuki Ueda.
      guard try initials.isEmpty || take(initials) else { return }
      return try self.near(Word(words[0]), misspelt: findsMisspelt, take)
    }
    var found = OwnerList()
    for reading in readings { found = found.union(try self.owners(of: reading, misspelt: findsMisspelt)) }
    _ = try take(found)
  }

  /// The owners whose names are like all words of a text, or are initials of some.
  private mutating func owners(of texts: [String], misspelt: Bool) throws -> OwnerList {
    guard let initials = try self.initials(texts) else { return OwnerList() }
    guard initials.isEmpty else { return initials }
    let words = texts.prefix(Self.words).map(Word.init)
    let whole = words.filter { !$0.isInitial }
    let complete = try self.owners(withAll: whole, misspelt: misspelt, isAlone: words.count == 1)
    if whole.count == words.count, !complete.isEmpty || words.count == 1 || !misspelt { return complete }
    let letters = words.filter(\.isInitial).map { (word: $0, owners: OwnerList()) }
    if !complete.isEmpty { return try self.having(letters, among: complete.byDistance) }
    let some = try self.owners(ofEach: whole, misspelt: misspelt)
    let nearest = OwnerList.sums(some, absent: Self.absent).byDistance.prefix(Self.checked)
    return try self.having(letters + zip(whole, some).map { (word: $0, owners: $1) }, among: Array(nearest))
  }

  /// The owners who have all words, with the sums of their differences.
  ///
  /// Owners come from the lists of the words. Some words are looked for in the names of these owners instead: those whose lists are cut
  /// off, and all that are left when few owners are.
  private mutating func owners(withAll words: [Word], misspelt: Bool, isAlone: Bool) throws -> OwnerList {
    var (near, cut): ([Near], [Near]) = ([], [])
    var rest = words[...]
    var candidates: OwnerList?
    while let word = rest.first, (candidates?.entries.count ?? .max) > Self.checked {
      rest.removeFirst()
      let some = try self.near(word, misspelt: misspelt, isAlone: isAlone)
      if some.all.isCut {
        cut.append(some)
      } else {
        candidates = candidates?.intersection(some.all) ?? some.all
        near.append(some)
      }
    }
    // Where all lists are cut off, their beginnings are all that is known.
    if candidates == nil { (near, cut) = (cut, []) }
    var complete = candidates ?? near.dropFirst().reduce(near.first?.all ?? OwnerList()) { $0.intersection($1.all) }
    for (index, word) in near.enumerated() where !complete.isEmpty {
      let distances = try self.distances(of: word, among: complete)
      complete = index == 0 ? distances : complete.adding(distances)
    }
    for word in rest + cut.map(\.word) where !complete.isEmpty {
      complete = complete.adding(try self.distances(of: word, misspelt: misspelt, among: complete))
    }
    return complete
  }

  /// For each of some words the owners who have it, of those who have an initial of one of them: at least the nearest.
  private mutating func owners(ofEach words: [Word], misspelt: Bool) throws -> [OwnerList] {
    let owners = try self.owners(withInitialOf: words)
    guard owners.entries.count > Self.checked else {
      return try words.map { try self.distances(of: $0, misspelt: misspelt, among: owners) }
    }
    let near = try words.map { try self.near($0, misspelt: misspelt, isAlone: false) }
    return try self.nearest(near, misspelt: misspelt, among: owners)
  }

  /// The owners of whose names one is an initial of one of the words: nobody else can have all words, if nobody has them whole. Kanji
  /// and the like have no initials, so these owners have them as they are.
  private func owners(withInitialOf words: [Word]) throws -> OwnerList {
    let owners = try Set(words.flatMap(\.initials)).reduce(OwnerList()) { $0.union(try self.entries.owners(of: $1)) }
    return try words.filter { $0.key == nil }.reduce(owners) { try self.having($1.text, $0, all: true) }
  }

  /// Of owners, those who have each of the words: at least the nearest of those who have one.
  ///
  /// Many have a common one, and reading what else they have takes long. So they are looked at in the order of the smallest
  /// difference that each may have, until nobody can be nearer than those that were found.
  private func nearest(_ near: [Near], misspelt: Bool, among owners: OwnerList) throws -> [OwnerList] {
    // Anyone may have a word whose list is cut off.
    let possible = near.map { $0.all.isCut ? owners : $0.all.intersection(owners) }
    var waiting = OwnerList.sums(possible, absent: Self.absent).byDistance[...]
    var nearest: [OwnerList.Entry] = []
    var known = near.map { _ in OwnerList() }
    while let next = waiting.first, nearest.count < Self.checked || next < nearest[Self.checked - 1] {
      let some = OwnerList(Array(waiting.prefix(Self.checked)))
      waiting = waiting.dropFirst(Self.checked)
      let distances = try near.map {
        $0.all.isCut
          ? try self.distances(of: $0.word, misspelt: misspelt, among: some) : try self.distances(of: $0, among: some)
      }
      known = zip(known, distances).map { $0.union($1) }
      let sums = OwnerList.sums(distances, absent: Self.absent)
      nearest = Array((nearest + sums.entries).sorted().prefix(Self.checked))
    }
    return known
  }

  /// How far the names of some are from one word of several, by reading their names.
  private func distances(of word: Word, misspelt: Bool, among owners: OwnerList) throws -> OwnerList {
    let exact = try self.having(word.text, owners, all: true)
    guard let key = word.key, key.utf8.count > 1 else { return exact }
    let faults = misspelt ? word.faults(isAlone: false) : 0
    let parts = faults > 0 ? Self.parts(word.spelled.letters, faults: faults) : []
    let sound = faults > 0 ? Spelling.sound(of: word.text) : ""
    var close: [OwnerList.Entry] = []
    try self.entries.forEachWord(of: owners.owners) { name, soundOfName -> Int? in
      if name.hasPrefix(key) { return name == key ? 0 : 1 }
      if let distance = word.spelled.distance(to: name, limit: faults),
        parts.contains(where: { part in
          part.isEnd ? String(name.reversed()).hasPrefix(part.text) : name.hasPrefix(part.text)
        })
      {
        return 2 * distance
      }
      return !sound.isEmpty && soundOfName == sound ? word.distance(heard: name) : nil
    } body: { owner, distance in
      close.append(OwnerList.Entry(owner: owner, distance: distance))
    }
    return OwnerList(close).union(exact)
  }

  /// How far the names of some are from a word: only of those for whom that holds who may have it.
  private func distances(of near: Near, among owners: OwnerList) throws -> OwnerList {
    let close = near.close.intersection(owners)
    let known = OwnerList(close.entries.filter { $0.distance == 0 })
    return close.union(try self.having(near.word.text, near.perhapsExact.intersection(owners).subtracting(known)))
  }

  /// The owners with these initials; nil if there is nothing else to look for either.
  private func initials(_ texts: [String]) throws -> OwnerList? {
    guard !texts.isEmpty else { return nil }
    guard texts.count <= 3, texts.joined().utf8.count <= 3, texts.count == 1 || texts.allSatisfy({ $0.utf8.count == 1 })
    else { return OwnerList() }
    let initials = try self.entries.owners(of: NameWords.initialMark + texts.joined())
    return initials.isEmpty && texts.allSatisfy { Word($0).isInitial } ? nil : initials
  }

  /// Of owners, those who have each of some words or an initial for it, the first that are enough, with their differences and one more.
  ///
  /// - Parameters:
  ///   - best: The owners, the nearest first.
  ///   - words: The words, each with the owners who are known to have it. For an initial, a name that begins with it counts.
  private func having(
    _ words: [(word: Word, owners: OwnerList)], among best: [OwnerList.Entry]
  ) throws -> OwnerList {
    var found: [OwnerList.Entry] = []
    for start in stride(from: 0, to: best.count, by: Self.checked) where found.count < Self.checked {
      let some = best[start..<min(start + Self.checked, best.count)]
      var fitting: [NameOwner: Set<Int>] = [:]
      try self.entries.forEachWord(of: some.map(\.owner)) { name, _ in
        let places = words.indices.filter { words[$0].word.isAbbreviated(with: name) }
        return places.isEmpty ? nil : places
      } body: { owner, places in
        fitting[owner, default: []].formUnion(places)
      }
      found += some.filter { entry in
        words.indices.allSatisfy { place in
          let (word, owners) = words[place]
          // All of these owners have the words without a key, such as kanji.
          return word.key == nil || owners[entry.owner] != nil || fitting[entry.owner]?.contains(place) == true
        }
      }
    }
    return OwnerList(
      found.prefix(Self.checked).map { OwnerList.Entry(owner: $0.owner, distance: $0.distance % Self.absent + 1) })
  }

  /// Whether one word of a name is another one, its beginning or its initial, or misspelt, or the other way round.
  static func areNear(_ one: String, _ other: String) -> Bool {
    let words = [Word(one), Word(other)]
    // The letters of the keys are counted, not the typed ones: the key of Ella has three, too few for a misspelt Eva.
    return [words, words.reversed()].contains { pair in
      let (word, other) = (pair[0], pair[1].key ?? pair[1].text)
      return other.hasPrefix(word.key ?? word.text) || word.initials.contains(other)
        || word.spelled.distance(
          to: other,
          limit: Spelling.faults(in: word.key ?? word.text, letters: word.spelled.letters.count, isAlone: false))
          != nil
    }
  }

  // MARK: - One word

  /// The owners who have a word that is like this one, those with a smaller difference first.
  private mutating func near(_ word: Word, misspelt: Bool, _ take: (OwnerList) throws -> Bool) throws {
    guard let key = word.key, key.utf8.count > 1 else { return }
    guard try take(try self.entries.owners(of: key)), try take(try self.beginning(with: key).owners),
      misspelt,
      let close = try self.misspelt(word, isAlone: true)
    else { return }
    guard try take(try self.entries.owners(of: close.filter { $1 <= 2 })) else { return }
    _ = try take(try self.entries.owners(of: close.filter { $1 > 2 }))
  }

  /// The owners who may have one word among others.
  ///
  /// - Parameter isAlone: Whether it is the only word; among others, three letters say too little to be misspelt.
  private mutating func near(_ word: Word, misspelt: Bool, isAlone: Bool) throws -> Near {
    var close = OwnerList()
    if let key = word.key, key.utf8.count > 1 {
      let beginning = try self.beginning(with: key)
      close = beginning.owners
      if misspelt, let words = try self.misspelt(word, isAlone: isAlone) {
        close = close.union(
          try self.entries.owners(of: words.filter { word, _ in beginning.words.distances[word] == nil }))
      }
    }
    let exact = word.key == nil || !isAlone ? try self.owners(perhapsWith: word.text) : OwnerList()
    return Near(word, close: close, perhapsExact: exact)
  }

  /// The owners who may have a word as it is: those who have all parts of it.
  private mutating func owners(perhapsWith word: String) throws -> OwnerList {
    if let owners = self.perhapsExact[word] { return owners }
    let owners = try self.texts.reduce(OwnerList()) { $0.union(try $1.owners(perhapsWith: word)) }
    self.perhapsExact[word] = owners
    return owners
  }

  /// Those of owners who have a word as it is.
  ///
  /// - Parameter all: Whether owners are looked at who may lack parts of it.
  private func having(_ word: String, _ owners: OwnerList, all: Bool = false) throws -> OwnerList {
    guard !owners.isEmpty else { return owners }
    return try self.texts.reduce(OwnerList()) { $0.union(try $1.having(word, owners, all: all)) }
  }

  /// Stored words that are this one, 0, or begin with it, 1; and who has them.
  private mutating func beginning(with key: String) throws -> (words: NameEntries.Words, owners: OwnerList) {
    if let known = self.beginning[key] { return known }
    var words = NameEntries.Words()
    try self.entries.scan(.word, from: key, into: &words) { $0 == key ? 0 : 1 }
    let found = (words, try self.entries.owners(of: words))
    self.beginning[key] = found
    return found
  }

  /// Stored words that are this one misspelt, with twice the number of faults, or sound like it; nil if this one is too short.
  private func misspelt(_ word: Word, isAlone: Bool) throws -> NameEntries.Words? {
    let (letters, faults) = (word.spelled.letters, word.faults(isAlone: isAlone))
    guard faults > 0 else { return nil }
    let backwards = SpelledWord(letters.reversed())
    var words = NameEntries.Words()
    try self.entries.scan(sounding: Spelling.sound(of: word.text), into: &words) { word.distance(heard: $0) }
    for part in Self.parts(letters, faults: faults) {
      let spelled = part.isEnd ? backwards : word.spelled
      try self.entries.scan(
        part.isEnd ? .backwards : .word, from: part.text, letters: letters.count, spread: faults, into: &words
      ) { spelled.distance(to: $0, limit: faults).map { 2 * $0 } }
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
}
