public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// The links between people and contacts of the address book, each confirmed by a person.
public struct LinkTable<View: DatabaseView> {
  let view: View

  /// Suggests contacts for people without a link, the best match first. A contact matches by an email address, by the last
  /// eight digits of a phone number, or by the words of the name.
  ///
  /// - Parameters:
  ///   - person: The id of the person; empty = all people.
  ///   - limit: The most suggestions: 0 = 50, more than 500 = 500.
  ///   - cursor: `next_cursor` of the page before; empty = the first page.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the person; `FIELD_INVALID` for the cursor.
  public func candidates(
    person: String = "", limit: UInt32 = 0, cursor: String = ""
  ) throws(Failure) -> SuggestLinksReply {
    let limit = PageLimit.records(limit)
    let start = cursor.isEmpty ? 0 : Int(clamping: try PageCursor(text: cursor).row)
    let records = self.view.records
    let account = try records.account
    var row: Int64?
    if !person.isEmpty {
      row = try records.row(of: person, .person)
      guard row != nil else { throw RecordTable<View>.unknown(.person, person) }
    }
    let all = try self.view.attempt { database in
      try LinkSearch(database: database).suggestions(account: account, person: row)
    }
    var reply = SuggestLinksReply()
    reply.suggestions = Array(all.dropFirst(start).prefix(limit))
    let end = start + reply.suggestions.count
    if end < all.count { reply.nextCursor = PageCursor(key: "", row: Int64(end)).text }
    return reply
  }

  func ids(_ person: String, _ contact: String) throws(Failure) -> (person: Int64, contact: String) {
    guard let row = try self.view.records.row(of: person, .person) else {
      throw RecordTable<View>.unknown(.person, person)
    }
    if !contact.isEmpty, try self.view.contacts.row(of: contact) == nil {
      throw .unknownRecord(
        contact, "There is no contact '\(contact.prefix(64))'. `kith contacts search` finds others.")
    }
    return (row, contact)
  }
}

extension LinkTable where View == Transaction {
  /// Links a person to a contact, in place of an earlier link; an empty contact removes the link.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for either; `FAILED_PRECONDITION/CONTACT_LINKED` if the contact is linked to
  ///   another person of this account.
  public func link(person: String, contact: String) throws(Failure) {
    let (row, contact) = try self.ids(person, contact)
    try self.view.attempt { database in
      try database.run("DELETE FROM person_link WHERE person = ?", .integer(row))
      guard !contact.isEmpty else { return }
      let other = try database.first(
        """
        SELECT other.name FROM person_link CROSS JOIN record AS other ON other.id = person_link.person
          CROSS JOIN record AS person ON person.id = ?2 AND person.account = other.account
        WHERE person_link.contact_uuid = ?1 AND other.deleted_at IS NULL
        """, .text(contact), .integer(row)
      ) { $0.text(0) }
      if let other {
        throw Failure(
          .failedPrecondition, "CONTACT_LINKED", "This contact is linked to \(other) already. Remove that link first.")
      }
      try database.run("INSERT INTO person_link (person, contact_uuid) VALUES (?, ?)", .integer(row), .text(contact))
      try database.run(
        "DELETE FROM person_link_dismissed WHERE person = ? AND contact_uuid = ?", .integer(row), .text(contact))
    }
    self.view.changed(.person, [person])
  }

  /// Rejects a suggestion, so that it is not made again.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for either.
  public func dismiss(person: String, contact: String) throws(Failure) {
    let (row, contact) = try self.ids(person, contact)
    guard !contact.isEmpty else {
      throw .invalid(field: "contact_id", "is empty. Name the contact of the suggestion to reject.")
    }
    try self.view.attempt { database in
      try database.run(
        "INSERT INTO person_link_dismissed (person, contact_uuid) VALUES (?, ?) ON CONFLICT DO NOTHING", .integer(row),
        .text(contact))
    }
  }
}
