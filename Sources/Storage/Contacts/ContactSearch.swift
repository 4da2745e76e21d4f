public import Bus
internal import GRDB
public import KithMessages

extension ContactTable {
  /// Finds the contacts that have every word of a text.
  ///
  /// A word of three or more characters matches anywhere in names, organisation, title, phones (by their digits),
  /// emails, addresses and notes. A shorter one matches at the beginning of a word, or anywhere in scripts without
  /// spaces. Case, accents, character width and the kind of kana make no difference. Names also match in romaji for kana and
  /// the other way round, by initials, and with a spelling fault; numbers with or without country and area code.
  ///
  /// Contacts that match in a name come first, and among them names that begin with the longest word; then names in another
  /// script, then other fields, then misspelt names; then the order is that of the list. If more than 300 match, the 300
  /// stored first are sorted.
  ///
  /// - Parameters:
  ///   - text: Plain text without syntax. Only its first 1,024 bytes count.
  ///   - limit: How many contacts: 0 = 50, more than 500 = 500.
  ///   - source: Only contacts of this source; empty = of all.
  /// - Throws: `FIELD_INVALID` for an empty text; `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func search(_ text: String, limit: UInt32 = 0, source: String = "") throws(Failure) -> SearchContactsReply {
    let limit = PageLimit.records(limit)
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw .invalid(field: "text", "is empty. Give a part of a name, number, address or note.")
    }
    let sourceRow: Int64? = source.isEmpty ? nil : try self.view.sources.row(of: source)
    let hits = try self.hits(of: text, limit: limit, source: sourceRow)
    var reply = SearchContactsReply()
    reply.contacts = try self.loadWhatFits(hits.prefix(limit).compactMap(\.owner.contact))
    reply.more = reply.contacts.count < hits.count
    return reply
  }

  /// The matches of a text, the best first, and one more than `limit` if there are more.
  private func hits(of text: String, limit: Int, source: Int64?) throws(Failure) -> [NameHit] {
    try self.view.attempt { database in
      let search = AcquaintanceSearch(
        database: database, contacts: ContactSearch(database: database, source: source))
      return Array(try search.hits(of: text, limit: limit).prefix(limit + 1))
    }
  }
}

/// What a search reads of contacts.
struct ContactSearch {
  let database: Database
  /// The row of the source of which contacts are found; nil for all.
  var source: Int64?

  func readings(of text: String) -> [SearchQuery] {
    SearchQuery.readings(of: text, marks: self.source.map { [[SearchText.word(ofSource: $0)]] } ?? [])
  }

  /// Contacts that match in one of the indexes, in the order of the reply.
  func hits(of query: SearchQuery, in index: String, _ rank: NameHit.Rank, limit: Int) throws -> [NameHit] {
    let words = query.wordsToCheck
    return try self.database.all(
      """
      SELECT contact, place, sort_key FROM (
        SELECT text.contact, text.sort_key, instr(text.names, :beginning) = 0 AS place
        FROM contact_\(index) AS found CROSS JOIN contact_search AS text ON text.contact = found.rowid
        WHERE contact_\(index) MATCH :expression AND instr(text.\(index), :first)
          AND instr(text.\(index), :second) AND (:others IS NULL
          OR NOT EXISTS (SELECT 1 FROM json_each(:others) WHERE instr(text.\(index), value) = 0))
        LIMIT :candidates)
      ORDER BY place, sort_key, contact LIMIT :limit
      """,
      named: [
        "beginning": .text(query.beginning), "expression": .text(query.expression), "first": .text(words.first ?? ""),
        "second": .text(words.dropFirst().first ?? ""),
        "others": words.count > 2 ? .text(ColumnValues.array(Array(words.dropFirst(2)))) : .null,
        "candidates": .integer(Int64(max(AcquaintanceSearch.candidates, limit))), "limit": .integer(Int64(limit)),
      ]
    ) { NameHit(owner: NameOwner(contact: $0.integer(0)), rank: rank, distance: Int($0.integer(1)), key: $0.text(2)) }
  }

  /// Contacts that may have a word in their names: those that have all its trigrams.
  func owners(perhapsWith word: String) throws -> OwnerList {
    guard let query = SearchQuery.words(of: word, marks: []) else { return OwnerList() }
    return OwnerList(
      try self.database.all(
        "SELECT rowid FROM contact_names WHERE contact_names MATCH ?1 LIMIT ?2", .text(query.expression),
        .integer(NameSearch.exactLimit)
      ) { OwnerList.Entry(owner: NameOwner(contact: $0.integer(0)), distance: 0) })
  }

  /// Those of contacts with all trigrams of a word that have the word.
  func having(_ word: String, _ owners: OwnerList) throws -> OwnerList {
    let contacts = owners.entries.filter { $0.owner.contact != nil }
    guard let query = SearchQuery.words(of: word, marks: []), !query.wordsToCheck.isEmpty else {
      return OwnerList(contacts)
    }
    return OwnerList(
      try self.database.all(
        """
        SELECT text.contact FROM json_each(?1) AS found CROSS JOIN contact_search AS text ON text.contact = found.value
        WHERE NOT EXISTS (SELECT 1 FROM json_each(?2) WHERE instr(text.names, value) = 0)
        """, .text(ColumnValues.array(contacts.compactMap(\.owner.contact))),
        .text(ColumnValues.array(query.wordsToCheck))
      ) { OwnerList.Entry(owner: NameOwner(contact: $0.integer(0)), distance: 0) })
  }

  /// The places of contacts in lists, the first ones named; those of other sources are left out.
  func keys(of rows: [Int64], limit: Int) throws -> [(NameOwner, String)] {
    guard !rows.isEmpty else { return [] }
    return try self.database.all(
      """
      SELECT text.contact, text.sort_key FROM json_each(?1) AS found
        CROSS JOIN contact_search AS text ON text.contact = found.value
      WHERE ?2 IS NULL OR (SELECT source FROM contact WHERE id = text.contact) = ?2 LIMIT ?3
      """, .text(ColumnValues.array(rows)), .optional(self.source), .integer(Int64(limit))
    ) { (NameOwner(contact: $0.integer(0)), $0.text(1)) }
  }
}
