public import Bus
internal import GRDB
public import KithMessages

extension ContactTable {
  /// Finds the contacts that have every word of a text.
  ///
  /// A word of three or more characters matches anywhere in names, organisation, title, phones (by their digits),
  /// emails, addresses and notes. A shorter one matches at the beginning of a word, or anywhere in scripts without
  /// spaces. Case, accents, character width and the kind of kana make no difference. Contacts that match in a name come
  /// first, and among them names that begin with the longest word; then the order is that of the list. If more than 300
  /// match, the 300 stored first are sorted.
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
    let readings = SearchQuery.readings(of: text, marks: sourceRow.map { [[SearchText.word(ofSource: $0)]] } ?? [])
    var hits: [Int64] = []
    var seen: Set<Int64> = []
    for index in ["names", "words"] where hits.count <= limit {
      for query in readings where hits.count <= limit {
        for row in try self.hits(of: query, in: index, limit: limit + 1 + seen.count) where seen.insert(row).inserted {
          hits.append(row)
        }
      }
    }
    var reply = SearchContactsReply()
    reply.contacts = try self.loadWhatFits(Array(hits.prefix(limit)))
    reply.more = reply.contacts.count < hits.count
    return reply
  }

  /// The most matches that are sorted. A common word has more, and reading them all would take too long.
  private static var candidates: Int { 300 }

  /// Rows of contacts that match in one of the indexes, in the order of the reply.
  private func hits(of query: SearchQuery, in index: String, limit: Int) throws(Failure) -> [Int64] {
    let words = query.wordsToCheck
    return try self.view.attempt { database in
      try database.all(
        """
        SELECT contact FROM (
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
          "candidates": .integer(Int64(max(Self.candidates, limit))), "limit": .integer(Int64(limit)),
        ]
      ) { $0.integer(0) }
    }
  }
}
