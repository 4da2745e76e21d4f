internal import GRDB

/// The texts of contacts or of people that a search looks through, with the full-text indexes over them.
struct SearchedTexts {
  let database: Database
  /// Of whom they are.
  let kind: NameOwner.Kind
  /// The row of the source or of the account of which owners are found; nil for all.
  var place: Int64?

  /// What a word is looked for in.
  enum Part: String {
    /// Names; of people also the other fields, which have no index of their own.
    case names
    /// All fields.
    case words
  }

  private var owner: String { self.kind == .contact ? "contact" : "person" }
  private var marks: [[String]] {
    guard let place else { return [] }
    return [[self.kind == .contact ? SearchText.word(ofSource: place) : PersonSearchIndex.mark(ofAccount: place)]]
  }
  /// The place of a text, in SQL.
  private var placeOfText: String {
    self.kind == .contact ? "(SELECT source FROM contact WHERE id = text.contact)" : "text.account"
  }

  /// The column of a part's texts, and its full-text index.
  private func column(_ part: Part) -> (name: String, index: String) {
    let part = self.kind == .contact ? part : .words
    return (part.rawValue, "\(self.owner)_\(part.rawValue)")
  }

  /// The queries for a text: see ``SearchQuery/readings(of:marks:)``. There are as many for contacts as for people.
  func readings(of text: String) -> [SearchQuery] { SearchQuery.readings(of: text, marks: self.marks) }

  /// Those who have every word, in the order of the reply.
  func hits(of query: SearchQuery, in part: Part, _ rank: NameHit.Rank, limit: Int) throws -> [NameHit] {
    let (column, index) = self.column(part)
    let words = query.wordsToCheck
    return try self.database.all(
      """
      SELECT \(self.owner), place, sort_key FROM (
        SELECT text.\(self.owner), text.sort_key, instr(text.names, :beginning) = 0 AS place
        FROM \(index) AS found CROSS JOIN \(self.owner)_search AS text ON text.\(self.owner) = found.rowid
        WHERE \(index) MATCH :expression AND (:place IS NULL OR \(self.placeOfText) = :place)
          AND instr(text.\(column), :first) AND instr(text.\(column), :second) AND (:others IS NULL
          OR NOT EXISTS (SELECT 1 FROM json_each(:others) WHERE instr(text.\(column), value) = 0))
        LIMIT :candidates)
      ORDER BY place, sort_key, \(self.owner) LIMIT :limit
      """,
      named: [
        "beginning": .text(query.beginning), "expression": .text(query.expression), "place": .optional(self.place),
        "first": .text(words.first ?? ""), "second": .text(words.dropFirst().first ?? ""),
        "others": words.count > 2 ? .text(ColumnValues.array(Array(words.dropFirst(2)))) : .null,
        "candidates": .integer(Int64(max(AcquaintanceSearch.candidates, limit))), "limit": .integer(Int64(limit)),
      ]
    ) {
      NameHit(
        owner: NameOwner(self.kind, row: $0.integer(0)), rank: rank, distance: Int($0.integer(1)), key: $0.text(2))
    }
  }

  /// Those who may have a word in their names: those who have all its trigrams.
  func owners(perhapsWith word: String) throws -> OwnerList {
    guard let query = SearchQuery.words(of: word, marks: self.marks) else { return OwnerList() }
    let (_, index) = self.column(.names)
    let rows = try self.database.all(
      "SELECT rowid FROM \(index) WHERE \(index) MATCH ?1 LIMIT ?2", .text(query.expression),
      .integer(Int64(NameSearch.exactLimit))
    ) { $0.integer(0) }
    return self.list(rows, isCut: rows.count >= NameSearch.exactLimit)
  }

  /// Of owners, those who have a word.
  ///
  /// - Parameter all: Whether they may lack trigrams of it.
  func having(_ word: String, _ owners: OwnerList, all: Bool) throws -> OwnerList {
    let rows = owners.rows(of: self.kind)
    let query = SearchQuery.words(of: word, marks: self.marks)
    let needles = (all ? query?.needles : query?.wordsToCheck) ?? []
    guard !needles.isEmpty, !rows.isEmpty else { return self.list(rows) }
    let (column, _) = self.column(.names)
    return self.list(
      try self.database.all(
        """
        SELECT text.\(self.owner) FROM json_each(?1) AS found
          CROSS JOIN \(self.owner)_search AS text ON text.\(self.owner) = found.value
        WHERE NOT EXISTS (SELECT 1 FROM json_each(?2) WHERE instr(text.\(column), value) = 0)
        """, .text(ColumnValues.array(rows)), .text(ColumnValues.array(needles))
      ) { $0.integer(0) })
  }

  /// The places of owners in lists, the first ones named; those of other sources or accounts are left out.
  func keys(of owners: [NameOwner], limit: Int) throws -> [(NameOwner, String)] {
    let rows = owners.filter { $0.kind == self.kind }.map(\.row)
    guard !rows.isEmpty else { return [] }
    return try self.database.all(
      """
      SELECT text.\(self.owner), text.sort_key FROM json_each(?1) AS found
        CROSS JOIN \(self.owner)_search AS text ON text.\(self.owner) = found.value
      WHERE ?2 IS NULL OR \(self.placeOfText) = ?2 LIMIT ?3
      """, .text(ColumnValues.array(rows)), .optional(self.place), .integer(Int64(limit))
    ) { (NameOwner(self.kind, row: $0.integer(0)), $0.text(1)) }
  }

  private func list(_ rows: [Int64], isCut: Bool = false) -> OwnerList {
    OwnerList(rows.map { OwnerList.Entry(owner: NameOwner(self.kind, row: $0), distance: 0) }, isCut: isCut)
  }
}
