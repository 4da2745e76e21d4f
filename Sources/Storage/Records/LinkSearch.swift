internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// Compares the people of an account with the contacts of the address book.
struct LinkSearch {
  let database: Database

  /// What two are compared by; the order is that of sureness.
  enum Trait: Int, CaseIterable {
    case email, phone, name

    /// On the wire.
    var reason: String { String(describing: self) }
  }

  struct Known {
    let id: String
    let name: String
    var keys: [Trait: Set<String>] = [:]
  }

  /// The suggestions, the surest first.
  ///
  /// - Parameter person: The row of the only person; nil = of all.
  func suggestions(account: Int64, person: Int64?) throws -> [LinkSuggestion] {
    let people = try self.people(account, only: person)
    guard !people.isEmpty else { return [] }
    let contacts = try self.contacts(account)
    let dismissed = try self.dismissed()
    var index: [Trait: [String: [Int64]]] = [:]
    for (row, contact) in contacts {
      for (trait, keys) in contact.keys {
        for key in keys { index[trait, default: [:]][key, default: []].append(row) }
      }
    }
    var suggestions: [LinkSuggestion] = []
    for (row, known) in people {
      var reasons: [Int64: Set<Trait>] = [:]
      for (trait, keys) in known.keys {
        for key in keys { for contact in index[trait]?[key] ?? [] { reasons[contact, default: []].insert(trait) } }
      }
      for (contact, traits) in reasons {
        guard let found = contacts[contact], dismissed[row]?.contains(found.id) != true else { continue }
        var suggestion = LinkSuggestion()
        suggestion.personID = known.id
        suggestion.personName = known.name
        suggestion.contactID = found.id
        suggestion.contactName = found.name
        suggestion.reasons = Trait.allCases.filter(traits.contains).map(\.reason)
        suggestions.append(suggestion)
      }
    }
    return suggestions.sorted { Self.rank($0) < Self.rank($1) }
  }

  /// More reasons come first; then e-mail before phone before name; then the order of names.
  private static func rank(_ suggestion: LinkSuggestion) -> (Int, Int, String, String, String) {
    (
      -suggestion.reasons.count, Trait.allCases.firstIndex { suggestion.reasons.contains($0.reason) } ?? 0,
      RecordTraits.key(suggestion.personName), suggestion.personID, suggestion.contactID
    )
  }

  /// The people of an account, by row.
  ///
  /// - Parameters:
  ///   - person: The row of the only person; nil = all.
  ///   - areLinked: Whether those with a link are included. A link to a contact that is deleted or gone is none.
  func people(_ account: Int64, only person: Int64?, areLinked: Bool = false) throws -> [Int64: Known] {
    var people: [Int64: Known] = [:]
    try EngineStatement(
      self.database,
      """
      SELECT id, uuid, name FROM record
      WHERE account = ?1 AND kind = 1 AND sort_key IS NOT NULL AND deleted_at IS NULL AND id = coalesce(?2, id)
        AND (?3 OR NOT EXISTS (
          SELECT 1 FROM person_link CROSS JOIN contact ON contact.uuid = contact_uuid
          WHERE person = record.id AND contact.deleted_at IS NULL))
      """
    ).forEach([.integer(account), person.map { .integer($0) } ?? .null, .integer(areLinked ? 1 : 0)]) { row in
      let name = row.text(2)
      people[row.integer(0)] = Known(id: row.text(1), name: name, keys: [.name: Self.names([name])])
    }
    try EngineStatement(
      self.database,
      """
      SELECT record_person.person, field.body FROM json_each(?) AS wanted
        CROSS JOIN record_person ON record_person.person = wanted.value AND record_person.kind = ?
          AND record_person.is_deleted = 0
        CROSS JOIN record AS field ON field.id = record_person.record
      """
    ).forEach([
      .text(ColumnValues.array(Array(people.keys))), .integer(Int64(RecordKind.contactField.rawValue)),
    ]) { row in
      let field = try ContactField(serializedBytes: row.blob(1))
      Self.add(field.data, isEmail: field.data.utf8.contains(UInt8(ascii: "@")), to: &people[row.integer(0)])
    }
    return people
  }

  /// The live contacts, by row.
  ///
  /// - Parameter areLinked: Whether those that are somebody already are included.
  func contacts(_ account: Int64, areLinked: Bool = false) throws -> [Int64: Known] {
    var contacts: [Int64: Known] = [:]
    try EngineStatement(
      self.database,
      """
      SELECT id, uuid, formatted_name, coalesce(given, ''), family FROM contact
      WHERE deleted_at IS NULL AND (?2 OR uuid NOT IN (
        SELECT contact_uuid FROM person_link CROSS JOIN record ON record.id = person_link.person WHERE record.account = ?1))
      """
    ).forEach([.integer(account), .integer(areLinked ? 1 : 0)]) { row in
      let name = row.text(2)
      contacts[row.integer(0)] = Known(
        id: row.text(1), name: name, keys: [.name: Self.names([name, row.text(3) + " " + row.text(4)])])
    }
    // Kinds 1 and 2 are phones and e-mail addresses.
    try EngineStatement(self.database, "SELECT contact, kind, value FROM contact_value WHERE kind IN (1, 2)")
      .forEach([]) { row in
        Self.add(row.text(2), isEmail: row.integer(1) == 2, to: &contacts[row.integer(0)])
      }
    return contacts
  }

  /// The contacts that are known not to be a person, by the person's row.
  func dismissed() throws -> [Int64: Set<String>] {
    var dismissed: [Int64: Set<String>] = [:]
    try EngineStatement(self.database, "SELECT person, contact_uuid FROM person_link_dismissed")
      .forEach([]) { dismissed[$0.integer(0), default: []].insert($0.text(1)) }
    return dismissed
  }

  private static func add(_ text: String, isEmail: Bool, to known: inout Known?) {
    guard known != nil else { return }
    if isEmail {
      let address = RecordTraits.key(text)
      if !address.isEmpty { known?.keys[.email, default: []].insert(address) }
    } else {
      let digits = SearchText.digits(of: text)
      // Area and country codes are written in too many ways; eight digits from the end seldom agree by chance.
      if digits.utf8.count >= 8 { known?.keys[.phone, default: []].insert(String(digits.suffix(8))) }
    }
  }

  /// The words of names in any order, of names with more than one.
  private static func names(_ texts: [String]) -> Set<String> {
    Set(
      texts.map(SearchText.words(of:)).filter { !$0.isEmpty && ($0.count > 1 || $0[0].unicodeScalars.count > 3) }
        .map { $0.sorted().joined(separator: " ") })
  }
}
