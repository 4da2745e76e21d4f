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
        database: database, texts: [SearchedTexts(database: database, kind: .person, place: account)])
      return Array(try search.hits(of: text, limit: limit).prefix(limit + 1))
    }
  }
}
