public import Bus
internal import GRDB
public import KithMessages

extension RecordTable {
  /// Finds people who have every word of a text in name, nickname, company or e-mail address.
  ///
  /// First come those one of whose names begins with the longest word, then those who have the words somewhere, then those
  /// whose names are spelled or sound alike: John finds Jon, Katherine finds Catharine. Case, accents, character width and
  /// the kind of kana make no difference. Of more than 300 matches those stored first are taken.
  ///
  /// - Parameters:
  ///   - text: Any text; nothing in it is syntax. Of more than 1,024 bytes the beginning counts.
  ///   - limit: How many people: 0 = 50, more than 500 = 500.
  /// - Throws: `FIELD_INVALID` for an empty text.
  public func searchPeople(
    _ text: String, limit: UInt32 = 0
  ) throws(Failure) -> (people: [Person], more: Bool) {
    let limit = PageLimit.records(limit)
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw .invalid(field: "text", "is empty. Give a part of a name, company or e-mail address.")
    }
    let account = try self.account
    let rows = try self.view.attempt { database in
      let search = PersonSearch(database: database, account: account)
      var rows = try search.exact(text, limit: limit + 1)
      if rows.count <= limit {
        let known = Set(rows)
        rows += try search.alike(text).filter { !known.contains($0) }
      }
      return rows
    }
    let people = try self.loadWhatFits(Array(rows.prefix(limit))).compactMap { Person($0) }
    return (people, people.count < rows.count)
  }
}

/// One search through the names of people.
private struct PersonSearch {
  let database: Database
  let account: Int64

  private static let candidates = 300
  /// Of one word of several, before the others narrow it down.
  private static let candidatesOfWord = 5000

  /// People who have every word, in the order of the answer.
  func exact(_ text: String, limit: Int) throws -> [Int64] {
    guard let query = SearchQuery.words(of: text, marks: self.marks) else { return [] }
    return try self.rows(of: query, candidates: max(Self.candidates, limit), limit: limit)
  }

  /// People who have each word or one that is spelled or sounds like it, the nearest first.
  func alike(_ text: String) throws -> [Int64] {
    guard let query = SearchQuery.words(of: text, marks: self.marks) else { return [] }
    var people: [Int64: Int]?
    for word in query.words {
      var near = try self.near(word)
      let whole = SearchQuery([word], marks: self.marks)
      for row in try self.rows(of: whole, candidates: Self.candidatesOfWord, limit: Self.candidatesOfWord) {
        near[row] = 0
      }
      people =
        people.map { known in
          known.reduce(into: [:]) { both, entry in
            if let more = near[entry.key] { both[entry.key] = entry.value + more }
          }
        } ?? near
    }
    return try self.inOrder(people ?? [:])
  }

  private var marks: [[String]] { [[PersonSearchIndex.mark(ofAccount: self.account)]] }

  private func rows(of query: SearchQuery, candidates: Int, limit: Int) throws -> [Int64] {
    let words = query.wordsToCheck
    return try self.database.all(
      """
      SELECT person FROM (
        SELECT text.person, text.sort_key, instr(text.names, :beginning) = 0 AS place
        FROM person_words AS found CROSS JOIN person_search AS text ON text.person = found.rowid
        WHERE person_words MATCH :expression AND text.account = :account
          AND NOT EXISTS (SELECT 1 FROM json_each(:words) WHERE instr(text.words, value) = 0)
        LIMIT :candidates)
      ORDER BY place, sort_key, person LIMIT :limit
      """,
      named: [
        "beginning": .text(query.beginning), "expression": .text(query.expression), "account": .integer(self.account),
        "words": .text(ColumnValues.array(words)), "candidates": .integer(Int64(candidates)),
        "limit": .integer(Int64(limit)),
      ]
    ) { $0.integer(0) }
  }

  /// People with a name that is spelled or sounds like a word, and how far that is from it.
  private func near(_ word: String) throws -> [Int64: Int] {
    let letters = Array(word.unicodeScalars)
    let tolerance = Spelling.tolerance(letters: letters.count)
    guard tolerance > 0 else { return [:] }
    var near: [Int64: Int] = [:]
    // Rows come by word: each word is compared once, however many people have it.
    var last: (word: String, distance: Int?) = ("", nil)
    try EngineStatement(
      self.database, "SELECT word, person FROM person_spelling WHERE account = ? AND letters BETWEEN ? AND ?"
    ).forEach([
      .integer(self.account), .integer(Int64(letters.count - tolerance)), .integer(Int64(letters.count + tolerance)),
    ]) { row in
      let other = row.text(0)
      if other != last.word {
        last = (other, Spelling.distance(letters, Array(other.unicodeScalars), limit: tolerance))
      }
      if let distance = last.distance { near[row.integer(1)] = min(near[row.integer(1)] ?? .max, 2 * distance) }
    }
    let sound = Spelling.sound(of: word)
    guard !sound.isEmpty else { return near }
    try EngineStatement(
      self.database, "SELECT word, person FROM person_spelling WHERE account = ? AND sound = ? AND sound <> ''"
    ).forEach([.integer(self.account), .text(sound)]) { row in
      // A few consonants are common to names that are otherwise nothing like each other.
      let limit = max(tolerance, letters.count / 2)
      if let distance = Spelling.distance(letters, Array(row.text(0).unicodeScalars), limit: limit) {
        near[row.integer(1)] = min(near[row.integer(1)] ?? .max, 2 * distance + 1)
      }
    }
    return near
  }

  private func inOrder(_ people: [Int64: Int]) throws -> [Int64] {
    var found: [(distance: Int, key: String, row: Int64)] = []
    try EngineStatement(
      self.database, "SELECT person, sort_key FROM person_search WHERE person IN (SELECT value FROM json_each(?))"
    ).forEach([.text(ColumnValues.array(Array(people.keys)))]) { row in
      found.append((people[row.integer(0)] ?? 0, row.text(1), row.integer(0)))
    }
    return found.sorted { $0 < $1 }.map(\.row)
  }
}
