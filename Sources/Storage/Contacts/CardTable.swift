public import Bus
internal import GRDB
public import KithMessages

extension DatabaseView {
  /// The cards of the sources.
  public var cards: CardTable<Self> { CardTable(view: self) }
}

/// The cards of the sources: fingerprint, digests, whether a listing lacks them, and the contact of each.
///
/// (source, href) identifies a card. Its row stays while its contact is deleted, so that the contact returns with the
/// card.
public struct CardTable<View: DatabaseView> {
  let view: View

  /// All known cards of a source by href, those with deleted contacts and missing ones included.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func known(in source: String) throws(Failure) -> [KnownCard] {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try Self.cards(database, "WHERE card.source = ? ORDER BY card.href", [.integer(row)])
    }
  }

  /// Whether any card of a source is known, those with deleted contacts and missing ones included.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func isAnyKnown(in source: String) throws(Failure) -> Bool {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try database.first("SELECT 1 FROM card WHERE source = ? LIMIT 1", .integer(row)) { _ in true } ?? false
    }
  }

  /// The card of an href; nil if it is unknown.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func find(_ href: String, in source: String) throws(Failure) -> KnownCard? {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try Self.cards(database, "WHERE card.source = ? AND card.href = ?", [.integer(row), .text(href)]).first
    }
  }

  /// The known cards among some hrefs.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func find(_ hrefs: [String], in source: String) throws(Failure) -> [KnownCard] {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try Self.cards(
        database, "WHERE card.source = ? AND card.href IN (SELECT value FROM json_each(?))",
        [.integer(row), .text(ColumnValues.array(hrefs))])
    }
  }

  /// The cards of UIDs whose contacts are deleted, the last deleted first.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func findDeleted(uids: [String], in source: String) throws(Failure) -> [KnownCard] {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try Self.cards(
        database,
        """
        WHERE card.source = ? AND card.uid IN (SELECT value FROM json_each(?)) AND card.uid <> ''
          AND contact.deleted_at IS NOT NULL
        ORDER BY contact.deleted_at DESC
        """, [.integer(row), .text(ColumnValues.array(uids))])
    }
  }

  /// The text of a card, with references instead of pictures; nil if the card is unknown.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func raw(_ href: String, in source: String) throws(Failure) -> [UInt8]? {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      try database.first("SELECT raw FROM card WHERE source = ? AND href = ?", .integer(row), .text(href)) {
        $0.isNull(0) ? nil : $0.blob(0)
      } ?? nil
    }
  }

  private static func cards(
    _ database: Database, _ condition: String, _ arguments: [EngineValue]
  ) throws -> [KnownCard] {
    let query = try EngineStatement(
      database,
      """
      SELECT card.href, card.fingerprint, card.raw_sha256, card.semantic_digest, card.uid, card.missing_since,
        card.missing_passes, contact.uuid, contact.deleted_at IS NOT NULL, contact.is_kept,
        card.missing_counted_at
      FROM card LEFT JOIN contact ON contact.id = card.contact
      """ + " " + condition)
    var cards: [KnownCard] = []
    try query.forEach(arguments) { row in
      cards.append(
        KnownCard(
          href: row.text(0), fingerprint: row.text(1), rawSHA256: row.blob(2), semanticDigest: row.blob(3),
          contactID: row.text(7), uid: row.text(4), isDeleted: !row.isNull(7) && row.integer(8) != 0,
          missingSince: row.integer(5), missingPasses: Int(row.integer(6)), countedAt: row.integer(10),
          isKept: row.integer(9) != 0))
    }
    return cards
  }
}

extension CardTable where View == Transaction {
  /// Writes a card that was read. It is then not missing, and its contact is no longer kept by hand.
  ///
  /// Of an unreadable card only fingerprint and digest are written, so that it is not read again until it changes.
  /// Text, UID and contact stay those of its last readable version, and the contact becomes stale.
  ///
  /// - Parameter contactID: The contact made of it; empty if the card was never readable. Otherwise the contact must
  ///   exist.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for source or contact.
  public func put(_ card: CardRead, in source: String, contactID: String) throws(Failure) {
    let sourceRow = try self.view.sources.row(of: source)
    var contact: Int64?
    if !contactID.isEmpty {
      contact = try self.view.contacts.row(of: contactID)
      guard contact != nil else { throw .unknownRecord(contactID, "There is no contact '\(contactID)'.") }
    }
    try self.view.attempt { database in
      try Self.write(card, contact, sourceRow, database)
      try self.note(
        database, contact: contact ?? self.contact(of: card.href, sourceRow, database), isStale: !card.hasContact)
    }
  }

  /// Inserts new contacts and writes their cards. Of many at once, statements and the words of names are looked up once.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func insert(_ cards: [(card: CardRead, contact: PreparedContact)], in source: String) throws(Failure) {
    let sourceRow = try self.view.sources.row(of: source)
    let rows = try self.view.contacts.add(cards.map(\.contact), source: sourceRow)
    try self.view.attempt { database in
      for (card, row) in zip(cards, rows) { try Self.write(card.card, row, sourceRow, database) }
    }
  }

  private static func write(_ card: CardRead, _ contact: Int64?, _ source: Int64, _ database: Database) throws {
    let isReadable = card.hasContact
    try database.run(
      isReadable ? self.replacement : self.remark, .integer(source), .text(of: card.href),
      contact.map { .integer($0) } ?? .null, .text(of: card.fingerprint), .data(card.rawSha256),
      isReadable ? .data(card.semanticDigest) : .blob([]), .text(of: card.contact.uid),
      isReadable ? .data(card.raw) : .blob([]))
  }

  /// Updates the fingerprint of a card whose content did not change.
  ///
  /// - Parameter rawSHA256: The 32-byte digest of the card's new text.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func touch(_ href: String, in source: String, fingerprint: String, rawSHA256: [UInt8]) throws(Failure) {
    let row = try self.view.sources.row(of: source)
    try self.view.attempt { database in
      try database.run(
        "UPDATE card SET fingerprint = ?, raw_sha256 = ? WHERE source = ? AND href = ?", .text(of: fingerprint),
        .blob(rawSHA256), .integer(row), .text(href))
    }
  }

  /// Marks cards as missing: a complete listing lacks them, and their deletion is held back.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds since 1970; stored for the first such listing only.
  ///   - counts: Whether the listing counts towards ``KnownCard/missingPasses``; false resets that count.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func setMissing(
    _ hrefs: [String], in source: String, since now: Int64, counts: Bool = true
  ) throws(Failure) {
    let row = try self.view.sources.row(of: source)
    try self.view.attempt { database in
      for href in hrefs {
        try database.run(
          """
          UPDATE card SET missing_since = coalesce(missing_since, ?1),
            missing_passes = iif(?2, missing_passes + 1, 0), missing_counted_at = iif(?2, ?1, NULL)
          WHERE source = ?3 AND href = ?4
          """, .integer(now), .integer(counts ? 1 : 0), .integer(row), .text(href))
        let contact = try database.first(
          """
          SELECT contact.id, contact.uuid FROM card JOIN contact ON contact.id = card.contact
          WHERE card.source = ? AND card.href = ? AND contact.missing_since IS NULL AND contact.deleted_at IS NULL
          """, .integer(row), .text(href)
        ) { (row: $0.integer(0), id: $0.text(1)) }
        guard let contact else { continue }
        try database.run("UPDATE contact SET missing_since = ? WHERE id = ?", .integer(now), .integer(contact.row))
        self.view.changed(contacts: [contact.id])
      }
    }
  }

  /// Marks cards as listed again. Their contacts are no longer kept by hand.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func clearMissing(_ hrefs: [String], in source: String) throws(Failure) {
    let row = try self.view.sources.row(of: source)
    try self.view.attempt { database in
      for href in hrefs {
        try database.run(
          "UPDATE card SET missing_since = NULL, missing_passes = 0 WHERE source = ? AND href = ?", .integer(row),
          .text(href))
        try self.note(database, contact: self.contact(of: href, row, database), isStale: nil)
      }
    }
  }

  /// Changes the href of a card that was found elsewhere by its UID.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for source or card; `ALREADY_EXISTS/RECORD_EXISTS` if a card with a contact
  ///   has the new href. A card that was never readable is replaced.
  public func rename(_ href: String, to newHref: String, in source: String) throws(Failure) {
    guard href != newHref else { return }
    let row = try self.view.sources.row(of: source)
    if let other = try self.find(newHref, in: source) {
      guard other.contactID.isEmpty else {
        throw Failure(
          .alreadyExists, "RECORD_EXISTS", "There is a card '\(newHref)' in the source '\(source)' already.")
      }
      try self.forget([newHref], in: source)
    }
    guard let card = try self.find(href, in: source) else {
      throw .unknownRecord(href, "There is no card '\(href)' in the source '\(source)'.")
    }
    try self.view.attempt { database in
      // Problems of something else that had the new name, such as a link.
      try database.run("DELETE FROM card_problem WHERE source = ? AND href = ?", .integer(row), .text(newHref))
      for table in ["card", "card_problem"] {
        try database.run(
          "UPDATE \(table) SET href = ? WHERE source = ? AND href = ?", .text(newHref), .integer(row), .text(href))
      }
      guard !card.contactID.isEmpty else { return }
      try database.run(
        "UPDATE contact SET source_identifier = ? WHERE uuid = ?", .text(newHref), .text(card.contactID))
      self.view.changed(contacts: [card.contactID])
    }
  }

  /// Deletes the cards that never had a contact, with their problems. Other cards stay.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func forget(_ hrefs: [String], in source: String) throws(Failure) {
    let row = try self.view.sources.row(of: source)
    try self.view.attempt { database in
      for href in hrefs {
        try database.run(
          "DELETE FROM card WHERE source = ? AND href = ? AND contact IS NULL", .integer(row), .text(href))
        guard database.changesCount > 0 else { continue }
        try database.run("DELETE FROM card_problem WHERE source = ? AND href = ?", .integer(row), .text(href))
      }
    }
  }

  /// Clears the contact's missing and kept marks.
  ///
  /// - Parameter isStale: The new stale mark; nil leaves it.
  private func note(_ database: Database, contact: Int64?, isStale: Bool?) throws {
    guard let contact else { return }
    let id = try database.first(
      """
      SELECT uuid FROM contact
      WHERE id = ? AND (missing_since IS NOT NULL OR is_kept OR stale <> coalesce(?, stale))
      """, .integer(contact), isStale.map { .integer($0 ? 1 : 0) } ?? .null
    ) { $0.text(0) }
    guard let id else { return }
    try database.run(
      "UPDATE contact SET missing_since = NULL, is_kept = 0, stale = coalesce(?, stale) WHERE id = ?",
      isStale.map { .integer($0 ? 1 : 0) } ?? .null, .integer(contact))
    self.view.changed(contacts: [id])
  }

  private func contact(of href: String, _ source: Int64, _ database: Database) throws -> Int64? {
    try database.first(
      "SELECT contact FROM card WHERE source = ? AND href = ? AND contact IS NOT NULL", .integer(source), .text(href)
    ) { $0.integer(0) }
  }

  private static var replacement: String {
    """
    INSERT INTO card (source, href, contact, fingerprint, raw_sha256, semantic_digest, uid, raw)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (source, href) DO UPDATE SET contact = excluded.contact, fingerprint = excluded.fingerprint,
      raw_sha256 = excluded.raw_sha256, semantic_digest = excluded.semantic_digest, uid = excluded.uid,
      raw = excluded.raw, missing_since = NULL, missing_passes = 0
    """
  }

  private static var remark: String {
    """
    INSERT INTO card (source, href, contact, fingerprint, raw_sha256, semantic_digest, uid, raw)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (source, href) DO UPDATE SET fingerprint = excluded.fingerprint, raw_sha256 = excluded.raw_sha256,
      missing_since = NULL, missing_passes = 0
    """
  }
}

/// A stored card without its text: what a pass compares with a listing.
public struct KnownCard: Sendable, Hashable {
  /// File name or URL path; with the source, the card's identity.
  public var href: String
  /// Changes when the card may have changed.
  public var fingerprint: String
  /// The digest of the card's bytes, its picture replaced by the picture's digest: 32 bytes.
  public var rawSHA256: [UInt8]
  /// The digest of the card's content; empty if it was never readable.
  public var semanticDigest: [UInt8]
  /// The contact made of it; empty if it was never readable.
  public var contactID: String
  /// The card's own identifier. It may be empty, and several cards may have the same.
  public var uid: String
  /// Whether its contact is deleted.
  public var isDeleted: Bool
  /// When a listing first lacked it, nanoseconds since 1970; 0 if it was listed.
  public var missingSince: Int64
  /// The number of complete listings in a row that lacked it and count towards the release of its deletion.
  public var missingPasses: Int
  /// The time of the last counted listing, nanoseconds since 1970; 0 if there was none.
  public var countedAt: Int64
  /// Whether its contact was restored by hand, and so stays although the card is missing.
  public var isKept: Bool

  /// Creates a description of a card.
  public init(
    href: String, fingerprint: String, rawSHA256: [UInt8], semanticDigest: [UInt8], contactID: String, uid: String,
    isDeleted: Bool = false, missingSince: Int64 = 0, missingPasses: Int = 0, countedAt: Int64 = 0,
    isKept: Bool = false
  ) {
    self.href = href
    self.fingerprint = fingerprint
    self.rawSHA256 = rawSHA256
    self.semanticDigest = semanticDigest
    self.contactID = contactID
    self.uid = uid
    self.isDeleted = isDeleted
    self.missingSince = missingSince
    self.missingPasses = missingPasses
    self.countedAt = countedAt
    self.isKept = isKept
  }
}
