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
        database: database, texts: [SearchedTexts(database: database, kind: .contact, place: source)])
      return Array(try search.hits(of: text, limit: limit).prefix(limit + 1))
    }
  }
}
