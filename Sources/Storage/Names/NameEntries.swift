internal import GRDB

/// Reads the index of names, which ``NameIndex`` writes.
struct NameEntries {
  /// The most words, and the most owners of words, that one query reads.
  private static let most = 4000

  /// Words, each with how far it is from what is looked for.
  struct Words {
    var distances: [Int64: Int] = [:]
    /// Whether a query ended before all words were read.
    var isCut = false

    /// The words for whose distance a condition holds.
    func filter(_ isIncluded: (Int64, Int) -> Bool) -> Words {
      Words(distances: self.distances.filter { isIncluded($0.key, $0.value) }, isCut: self.isCut)
    }
  }

  /// By what words are found.
  enum Column: String {
    case word, backwards
  }

  let database: Database
  /// Whose names are read; nil for those of contacts and of people.
  let kind: NameOwner.Kind?

  private var kindOfOwner: EngineValue { .optional(self.kind?.rawValue) }

  /// Hands over owners with what `read` makes of a word of theirs and of its sound; nothing for nil.
  ///
  /// Each word is read once, however many have it, and in the order of the table.
  func forEachWord<Value>(
    of owners: [NameOwner], read: (String, String) -> Value?, body: (NameOwner, Value) -> Void
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
      SELECT name_word.id, name_word.word, name_word.sound FROM json_each(?1) AS found CROSS JOIN name_word ON name_word.id = found.value
      WHERE name_word.word >= ' '
      """
    ).forEach([.text(ColumnValues.array(words))]) {
      let id = $0.integer(0)
      guard let value = read($0.text(1), $0.text(2)) else { return }
      rest = rest.drop(while: { $0.word < id })
      for use in rest.prefix(while: { $0.word == id }) { body(use.owner, value) }
    }
  }

  /// The owners of a word, or of initials.
  func owners(of word: String) throws -> OwnerList {
    var owners: [OwnerList.Entry] = []
    try EngineStatement(
      self.database, "SELECT owner FROM name_entry WHERE word = ?1 AND (?2 IS NULL OR owner & 1 = ?2) LIMIT ?3"
    ).forEach([.text(word), self.kindOfOwner, .integer(Int64(Self.most))]) {
      owners.append(OwnerList.Entry(owner: NameOwner(number: $0.integer(0)), distance: 0))
    }
    return OwnerList(owners, isCut: owners.count >= Self.most)
  }

  /// The owners of words, each with the smallest difference.
  func owners(of found: Words) throws -> OwnerList {
    guard !found.distances.isEmpty else { return OwnerList() }
    let nearestFirst = found.distances.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    var owners: [OwnerList.Entry] = []
    try EngineStatement(
      self.database,
      """
      SELECT found.key, name_use.owner FROM json_each(?1) AS found CROSS JOIN name_use ON name_use.word = found.value
      WHERE ?2 IS NULL OR name_use.owner & 1 = ?2 LIMIT ?3
      """
    ).forEach([.text(ColumnValues.array(nearestFirst.map(\.key))), self.kindOfOwner, .integer(Int64(Self.most))]) {
      let owner = NameOwner(number: $0.integer(1))
      owners.append(OwnerList.Entry(owner: owner, distance: nearestFirst[Int($0.integer(0))].value))
    }
    return OwnerList(owners, isCut: found.isCut || owners.count >= Self.most)
  }

  /// Adds the words of a sound for which `distance` is not nil; none of the empty sound.
  func scan(sounding sound: String, into words: inout Words, _ distance: (String) -> Int?) throws {
    guard !sound.isEmpty else { return }
    try self.scan(
      "SELECT id, word FROM name_word WHERE sound = ?2 AND sound <> '' LIMIT ?1", [.text(sound)], into: &words, distance
    )
  }

  /// Adds the words that begin so, or end so if they are read backwards, for which `distance` is not nil.
  func scan(
    _ column: Column, from beginning: String, letters: Int? = nil, spread: Int = 0, into words: inout Words,
    _ distance: (String) -> Int?
  ) throws {
    let length = letters == nil ? "" : " AND length(\(column.rawValue)) BETWEEN ?4 AND ?5"
    try self.scan(
      """
      SELECT id, \(column.rawValue) FROM name_word
      WHERE \(column.rawValue) >= ?2 AND \(column.rawValue) < ?3 AND \(column.rawValue) <> ''\(length) LIMIT ?1
      """,
      [.text(beginning), .text(beginning + "\u{10FFFF}")]
        + (letters.map { [.integer(Int64($0 - spread)), .integer(Int64($0 + spread))] } ?? []), into: &words, distance)
  }

  private func scan(
    _ query: String, _ values: [EngineValue], into words: inout Words, _ distance: (String) -> Int?
  ) throws {
    var read = 0
    try EngineStatement(self.database, query).forEach([.integer(Int64(Self.most))] + values) {
      read += 1
      if let distance = distance($0.text(1)) { words.distances[$0.integer(0)] = distance }
    }
    if read >= Self.most { words.isCut = true }
  }
}
