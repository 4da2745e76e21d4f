public import Bus
internal import GRDB
public import KithMessages

extension RecordTable {
  /// Finds calls, conversations, notes and activities that have every word of a text, newest first.
  ///
  /// Words are found as ``ContactTable/search(_:limit:source:)`` finds them: parts of long words, beginnings of short ones; case,
  /// accents, character width and the kind of kana make no difference.
  ///
  /// - Parameters:
  ///   - text: Any text; nothing in it is syntax. Of more than 1,024 bytes the beginning counts.
  ///   - kinds: What to search; kinds that have nothing to search find nothing.
  ///   - query: What else restricts; the cursor does not count, and deleted records are never found.
  /// - Returns: What fits one reply, and whether there is more.
  /// - Throws: `FIELD_INVALID` for an empty text or the feeling; `NOT_FOUND/RECORD_UNKNOWN` for the person.
  public func search(
    _ text: String, kinds: [RecordKind], _ query: RecordQuery = RecordQuery()
  ) throws(Failure) -> (records: [AnyRecord], more: Bool) {
    let limit = PageLimit.records(query.limit)
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw .invalid(field: "text", "is empty. Give a word to look for.")
    }
    let account = try self.account
    var marks = [kinds.map { RecordSearchIndex.mark(of: $0, account: account) }]
    var person: Int64?
    if let id = query.person {
      person = try self.row(of: id, .person)
      guard let person else { throw Self.unknown(.person, id) }
      marks.append([RecordSearchIndex.mark(ofPerson: person)])
    }
    let emotion = query.emotion.map(RecordTraits.number(ofEmotion:))
    if emotion == 0 {
      throw .invalid(field: "emotion", "is none of \(RecordTraits.emotions.joined(separator: ", ")).")
    }
    guard !kinds.isEmpty, let words = SearchQuery.words(of: text, marks: marks) else { return ([], false) }
    let search = RecordSearch(
      query: try self.asStored(query), words: words, account: account, person: person, emotion: emotion)
    let rows = try self.view.attempt { try search.rows($0, limit: limit + 1) }
    let records = try self.loadWhatFits(Array(rows.prefix(limit)), seenBy: query.person)
    return (records, records.count < rows.count)
  }
}

/// One search through the words of records.
private struct RecordSearch {
  let query: RecordQuery
  let words: SearchQuery
  let account: Int64
  let person: Int64?
  let emotion: Int64?

  /// How many places a record may be away from its moment's: no more than there are records.
  private static let slack: Int64 = 1_000_000

  /// The rows of the newest matches.
  func rows(_ database: Database, limit: Int) throws -> [Int64] {
    let needles = self.words.wordsToCheck
    var conditions = ["instr(text.words, :first)", "instr(text.words, :second)"]
    var values: [String: EngineValue] = [
      "expression": .text(self.words.expression), "first": .text(needles.first ?? ""),
      "second": .text(needles.dropFirst().first ?? ""), "account": .integer(self.account),
      "limit": .integer(Int64(limit)),
    ]
    if needles.count > 2 {
      conditions.append("NOT EXISTS (SELECT 1 FROM json_each(:others) WHERE instr(text.words, value) = 0)")
      values["others"] = .text(ColumnValues.array(Array(needles.dropFirst(2))))
    }
    if let person {
      conditions.append(
        "EXISTS (SELECT 1 FROM record_person WHERE record_person.record = record.id AND record_person.person = :person)"
      )
      values["person"] = .integer(person)
    }
    if let from = self.query.from {
      conditions += ["found.rowid >= :firstPlace", "record.at >= :from"]
      values["firstPlace"] = .integer(RecordSearchIndex.place(at: from))
      values["from"] = .integer(from)
    }
    if let to = self.query.to {
      conditions += ["found.rowid <= :lastPlace", "record.at < :to"]
      values["lastPlace"] = .integer(RecordSearchIndex.place(at: to) + Self.slack)
      values["to"] = .integer(to)
    }
    if let emotion {
      conditions.append("record.emotion = :emotion")
      values["emotion"] = .integer(emotion)
    }
    if let state = self.query.syncState {
      conditions.append("record.state = :state")
      values["state"] = .integer(Int64(state.rawValue))
    }
    for (index, label) in [self.query.tag, self.query.channel].compactMap({ $0.map(RecordTraits.key) }).enumerated() {
      conditions.append(
        """
        EXISTS (SELECT 1 FROM record_label WHERE record_label.record = record.id AND record_label.label = :label\(index))
        """)
      values["label\(index)"] = .text(label)
    }
    let found = try database.all(
      """
      SELECT record.id, record.at FROM record_words AS found CROSS JOIN record_search AS text ON text.id = found.rowid
        CROSS JOIN record ON record.id = text.record
      WHERE record_words MATCH :expression AND record.account = :account AND \(conditions.joined(separator: " AND "))
      ORDER BY found.rowid DESC LIMIT :limit
      """, named: values
    ) { (row: $0.integer(0), at: $0.integer(1)) }
    // Several of one moment stand in the index as they were stored.
    return found.sorted { ($0.at, $0.row) > ($1.at, $1.row) }.map(\.row)
  }
}
