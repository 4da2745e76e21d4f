internal import Bus
internal import Digest
internal import GRDB
internal import KithMessages

/// What tells a contact after it is gone: the UID of its card and its name.
struct ContactTrace: Hashable {
  let uid: String
  let name: String

  /// What is stored: a digest, because nothing that can be read stays of an erased contact. nil without a UID, as a name alone is
  /// too little.
  var digest: [UInt8]? {
    self.uid.isEmpty ? nil : SHA256.digest(Array((self.uid + "\n" + RecordTraits.key(self.name)).utf8))
  }
}

/// A link whose contact is deleted or erased follows the card to another contact: a copy in another folder, or the one that is made
/// when the source is added again.
extension LinkTable where View == Transaction {
  /// Notes what tells some contacts, if people are linked to them. Call it before they are deleted or erased.
  ///
  /// - Parameter contacts: Their ids.
  /// - Returns: What was noted, for ``follow(_:)``.
  func note(_ contacts: [String]) throws(Failure) -> Set<ContactTrace> {
    try self.view.attempt { database in
      var traces: Set<ContactTrace> = []
      let linked = try database.all(
        """
        SELECT person_link.person, contact.uid, contact.formatted_name FROM json_each(?) AS gone
          CROSS JOIN person_link ON person_link.contact_uuid = gone.value
          CROSS JOIN contact ON contact.uuid = gone.value
        """, .text(ColumnValues.array(contacts))
      ) { (person: $0.integer(0), trace: ContactTrace(uid: $0.text(1), name: $0.text(2))) }
      for (person, trace) in linked {
        guard let digest = trace.digest else { continue }
        try database.run(
          "UPDATE person_link SET trace = ? WHERE person = ?", .blob(digest), .integer(person))
        traces.insert(trace)
      }
      return traces
    }
  }

  /// Lets the links of contacts that are gone now follow to those that are left.
  func follow(_ traces: Set<ContactTrace>) throws(Failure) {
    for trace in traces.sorted(by: { ($0.uid, $0.name) < ($1.uid, $1.name) }) {
      let left = try self.view.attempt { database in
        try database.all(
          """
          SELECT contact.uuid, contact.formatted_name FROM source
            CROSS JOIN card ON card.source = source.id AND card.uid = ? AND card.uid <> ''
            CROSS JOIN contact ON contact.id = card.contact
          WHERE contact.deleted_at IS NULL ORDER BY contact.id
          """, .text(trace.uid)
        ) { (id: $0.text(0), trace: ContactTrace(uid: trace.uid, name: $0.text(1))) }
      }
      try self.follow(to: left)
    }
  }

  /// Lets links follow to contacts that appeared or changed.
  func follow(to contacts: [Contact]) throws(Failure) {
    try self.follow(
      to: contacts.lazy.filter { !$0.hasDeletedAt }.map {
        (id: $0.id, trace: ContactTrace(uid: $0.uid, name: $0.formattedName))
      })
  }

  private func follow(to contacts: some Sequence<(id: String, trace: ContactTrace)>) throws(Failure) {
    let people = try self.view.attempt { database in
      let areSome = try database.first("SELECT EXISTS (SELECT 1 FROM person_link WHERE trace IS NOT NULL)") {
        $0.integer(0) != 0
      }
      guard areSome == true else { return [String]() }
      var people: [String] = []
      for contact in contacts {
        // One of each account may have had it.
        while let person = try self.follow(to: contact.id, contact.trace, database) { people.append(person) }
      }
      return people
    }
    if !people.isEmpty { self.view.changed(.person, people) }
  }

  /// - Returns: The id of the person who is now linked to the contact; nil if there is none.
  private func follow(to contact: String, _ trace: ContactTrace, _ database: Database) throws -> String? {
    guard let digest = trace.digest else { return nil }
    let person = try database.first(
      """
      SELECT person.id, person.uuid FROM person_link AS link CROSS JOIN record AS person ON person.id = link.person
      WHERE link.trace = ?1 AND person.deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM contact WHERE uuid = link.contact_uuid AND deleted_at IS NULL)
        AND NOT EXISTS (
          SELECT 1 FROM person_link_dismissed AS dismissed
          WHERE dismissed.person = link.person AND dismissed.contact_uuid = ?2)
        AND NOT EXISTS (
          SELECT 1 FROM person_link AS taken CROSS JOIN record AS other ON other.id = taken.person
          WHERE taken.contact_uuid = ?2 AND other.account = person.account AND other.deleted_at IS NULL)
      ORDER BY person.id
      """, .blob(digest), .text(contact)
    ) { (row: $0.integer(0), id: $0.text(1)) }
    guard let person else { return nil }
    try database.run(
      "UPDATE person_link SET contact_uuid = ?, trace = NULL WHERE person = ?", .text(contact), .integer(person.row))
    return person.id
  }
}

extension Migration {
  /// What tells the contacts of links after they are gone.
  static let linkTraces = Migration(
    name: "link_traces",
    sql: """
      -- A ContactTrace, written when the contact is deleted or erased. It is void while the contact is there.
      ALTER TABLE person_link ADD COLUMN trace BLOB;
      CREATE INDEX person_link_trace ON person_link (trace) WHERE trace IS NOT NULL;
      """)
}
