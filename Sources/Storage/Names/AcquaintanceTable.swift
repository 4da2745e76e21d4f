public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// People and contacts of the address book as one: a person and the contact that is linked to it are one acquaintance.
public struct AcquaintanceTable<View: DatabaseView> {
  let view: View

  /// Finds people and contacts, as ``ContactTable/search(_:limit:source:)`` and ``RecordTable/searchPeople(_:limit:)`` do.
  ///
  /// - Parameter limit: How many: 0 = 50, more than 500 = 500.
  /// - Throws: `FIELD_INVALID` for an empty text.
  public func search(_ text: String, limit: UInt32 = 0) throws(Failure) -> WhoReply {
    let limit = PageLimit.records(limit)
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw .invalid(field: "text", "is empty. Give a part of a name, company, number or e-mail address.")
    }
    let account = try self.view.records.account
    let hits = try self.view.attempt { database in
      try AcquaintanceSearch(
        database: database,
        texts: [
          SearchedTexts(database: database, kind: .contact),
          SearchedTexts(database: database, kind: .person, place: account),
        ]
      ).hits(of: text, limit: limit)
    }
    let links = try self.links(of: hits.map(\.owner))
    var seen: Set<NameOwner> = []
    var pairs: [(person: Int64?, contact: Int64?, hit: NameHit)] = []
    for hit in hits where !seen.contains(hit.owner) {
      let other = links[hit.owner]
      seen.formUnion([hit.owner] + (other.map { [$0] } ?? []))
      let both = [hit.owner, other].compactMap(\.self)
      pairs.append((both.lazy.compactMap(\.person).first, both.lazy.compactMap(\.contact).first, hit))
    }
    var reply = WhoReply()
    reply.hits = try self.fill(Array(pairs.prefix(limit)))
    reply.more = reply.hits.count < pairs.count
    return reply
  }

  /// The person of a contact; nil if there is none in this account.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the contact.
  public func person(ofContact contact: String) throws(Failure) -> Person? {
    guard let row = try self.view.contacts.row(of: contact) else {
      throw .unknownRecord(
        contact, "There is no contact '\(contact.prefix(64))'. `kith contacts search` finds others.")
    }
    let owner = NameOwner(contact: row)
    guard let person = try self.links(of: [owner])[owner]?.person else { return nil }
    return try self.view.records.load([person]).first.flatMap { Person($0) }
  }

  /// Two that may be the same, the most certain first. See ``DuplicateSearch``.
  ///
  /// - Parameters:
  ///   - limit: How many: 0 = 50, more than 500 = 500.
  ///   - cursor: `next_cursor` of the page before; empty = the first page.
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func duplicates(limit: UInt32 = 0, cursor: String = "") throws(Failure) -> DuplicatesReply {
    let limit = PageLimit.records(limit)
    let start = cursor.isEmpty ? 0 : Int(clamping: try PageCursor(text: cursor).row)
    let account = try self.view.records.account
    let all = try self.view.attempt { try DuplicateSearch(database: $0).duplicates(account: account) }
    var reply = DuplicatesReply()
    reply.duplicates = Array(all.dropFirst(max(0, start)).prefix(limit))
    let end = start + reply.duplicates.count
    if end < all.count { reply.nextCursor = PageCursor(key: "", row: Int64(end)).text }
    return reply
  }

  /// The contact of each person and the person of each contact, where they are linked.
  private func links(of owners: [NameOwner]) throws(Failure) -> [NameOwner: NameOwner] {
    let account = try self.view.records.account
    return try self.view.attempt { database in
      var links: [NameOwner: NameOwner] = [:]
      for (column, rows) in [("record.id", owners.compactMap(\.person)), ("contact.id", owners.compactMap(\.contact))] {
        try EngineStatement(
          database,
          """
          SELECT record.id, contact.id FROM json_each(?1) AS found
            \(column == "record.id"
              ? "CROSS JOIN record ON record.id = found.value CROSS JOIN person_link ON person_link.person = record.id "
                + "CROSS JOIN contact ON contact.uuid = person_link.contact_uuid"
              : "CROSS JOIN contact ON contact.id = found.value CROSS JOIN person_link ON contact_uuid = contact.uuid "
                + "CROSS JOIN record ON record.id = person_link.person")
          WHERE record.account = ?2 AND record.deleted_at IS NULL AND contact.deleted_at IS NULL
          """
        ).forEach([.text(ColumnValues.array(rows)), .integer(account)]) { row in
          let (person, contact) = (NameOwner(person: row.integer(0)), NameOwner(contact: row.integer(1)))
          (links[person], links[contact]) = (contact, person)
        }
      }
      return links
    }
  }

  /// Reads as many as fit one reply, and at least one.
  private func fill(_ pairs: [(person: Int64?, contact: Int64?, hit: NameHit)]) throws(Failure) -> [Acquaintance] {
    var (hits, bytes) = ([Acquaintance](), 0)
    for start in stride(from: 0, to: pairs.count, by: PageLimit.chunk) {
      let part = pairs[start..<min(start + PageLimit.chunk, pairs.count)]
      let (personRows, contactRows) = (part.compactMap(\.person), part.compactMap(\.contact))
      let people = Dictionary(
        zip(personRows, try self.view.records.load(personRows)).map { ($0, Person($1)) }
      ) { first, _ in first }
      let contacts = Dictionary(zip(contactRows, try self.view.contacts.load(contactRows))) { first, _ in first }
      for pair in part {
        var hit = Acquaintance()
        if let person = pair.person.flatMap({ people[$0] }).flatMap(\.self) { hit.person = person }
        if let contact = pair.contact.flatMap({ contacts[$0] }) { hit.contact = PageLimit.fit(contact) }
        hit.name = hit.hasPerson ? hit.person.displayName : hit.contact.formattedName
        hit.birthday = hit.person.birthday.isEmpty ? hit.contact.birthday : hit.person.birthday
        hit.foundBy = pair.hit.rank.name
        bytes += try Encoding.pb.encode(hit).count + 8
        guard bytes <= PageLimit.replyBytes || hits.isEmpty else { return hits }
        hits.append(hit)
      }
    }
    return hits
  }
}

extension DatabaseView {
  /// People and contacts as one.
  public var acquaintances: AcquaintanceTable<Self> { AcquaintanceTable(view: self) }
}
