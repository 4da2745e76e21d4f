public import Bus
internal import GRDB
public import KithMessages

extension RecordTable {
  /// Finds people who have every word of a text in name, nickname, company, e-mail address or number.
  ///
  /// First come those one of whose names begins with the longest word, then those who have the words somewhere, then those
  /// whose names are spelled or sound alike: John finds Jon, Katherine finds Catharine, sato finds さとう. Case, accents,
  /// character width and the kind of kana make no difference. Of more than 300 matches those stored first are taken.
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
    let hits = try self.hits(of: text, limit: limit)
    let people = try self.loadWhatFits(hits.prefix(limit).compactMap(\.owner.person)).compactMap { Person($0) }
    return (people, people.count < hits.count)
  }

  /// The matches of a text, the best first, and one more than `limit` if there are more.
  private func hits(of text: String, limit: Int) throws(Failure) -> [NameHit] {
    let account = try self.account
    return try self.view.attempt { database in
      let search = AcquaintanceSearch(
        database: database, people: PersonSearch(database: database, account: account))
      return Array(try search.hits(of: text, limit: limit).prefix(limit + 1))
    }
  }
}

/// What a search reads of people.
struct PersonSearch {
  let database: Database
  let account: Int64

  private var marks: [[String]] { [[PersonSearchIndex.mark(ofAccount: self.account)]] }

  func readings(of text: String) -> [SearchQuery] { SearchQuery.readings(of: text, marks: self.marks) }

  /// People who have every word, in the order of the answer.
  func hits(of query: SearchQuery, limit: Int) throws -> [NameHit] {
    let words = query.wordsToCheck
    return try self.database.all(
      """
      SELECT person, place, sort_key FROM (
        SELECT text.person, text.sort_key, instr(text.names, :beginning) = 0 AS place
        FROM person_words AS found CROSS JOIN person_search AS text ON text.person = found.rowid
        WHERE person_words MATCH :expression AND text.account = :account
          AND NOT EXISTS (SELECT 1 FROM json_each(:words) WHERE instr(text.words, value) = 0)
        LIMIT :candidates)
      ORDER BY place, sort_key, person LIMIT :limit
      """,
      named: [
        "beginning": .text(query.beginning), "expression": .text(query.expression), "account": .integer(self.account),
        "words": .text(ColumnValues.array(words)),
        "candidates": .integer(Int64(max(AcquaintanceSearch.candidates, limit))),
        "limit": .integer(Int64(limit)),
      ]
    ) {
      NameHit(
        owner: NameOwner(person: $0.integer(0)), rank: .name, distance: Int($0.integer(1)), key: $0.text(2))
    }
  }

  /// People who may have a word in their names or in other fields: those who have all its trigrams.
  func owners(perhapsWith word: String) throws -> OwnerList {
    guard let query = SearchQuery.words(of: word, marks: self.marks) else { return OwnerList() }
    return OwnerList(
      try self.database.all(
        "SELECT rowid FROM person_words WHERE person_words MATCH ?1 LIMIT ?2", .text(query.expression),
        .integer(NameSearch.exactLimit)
      ) { OwnerList.Entry(owner: NameOwner(person: $0.integer(0)), distance: 0) })
  }

  /// Those of people with all trigrams of a word who have the word.
  func having(_ word: String, _ owners: OwnerList) throws -> OwnerList {
    let people = owners.entries.filter { $0.owner.person != nil }
    guard let query = SearchQuery.words(of: word, marks: self.marks), !query.wordsToCheck.isEmpty else {
      return OwnerList(people)
    }
    return OwnerList(
      try self.database.all(
        """
        SELECT text.person FROM json_each(?1) AS found CROSS JOIN person_search AS text ON text.person = found.value
        WHERE NOT EXISTS (SELECT 1 FROM json_each(?2) WHERE instr(text.words, value) = 0)
        """, .text(ColumnValues.array(people.compactMap(\.owner.person))), .text(ColumnValues.array(query.wordsToCheck))
      ) { OwnerList.Entry(owner: NameOwner(person: $0.integer(0)), distance: 0) })
  }

  /// The places of people in lists, the first ones named; those of other accounts are left out.
  func keys(of rows: [Int64], limit: Int) throws -> [(NameOwner, String)] {
    guard !rows.isEmpty else { return [] }
    return try self.database.all(
      """
      SELECT text.person, text.sort_key FROM json_each(?1) AS found
        CROSS JOIN person_search AS text ON text.person = found.value
      WHERE text.account = ?2 LIMIT ?3
      """, .text(ColumnValues.array(rows)), .integer(self.account), .integer(Int64(limit))
    ) { (NameOwner(person: $0.integer(0)), $0.text(1)) }
  }
}
