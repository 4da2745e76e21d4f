internal import GRDB
internal import KithMessages

/// Finds people and contacts that may be the same.
///
/// Two with the same name may be. Families share numbers and addresses, so two of those may be the same only if their names are alike
/// too: J. Smith and John Smith, さとう and Sato.
struct DuplicateSearch {
  let database: Database

  /// How many may share a number or a name before it says nothing: that of a company.
  private static let largestGroup = 20

  /// A person with the linked contact, or a contact alone.
  private struct Subject {
    var person: (row: Int64, known: LinkSearch.Known)?
    var contact: LinkSearch.Known?

    var name: String { self.person?.known.name ?? self.contact?.name ?? "" }

    func keys(_ trait: LinkSearch.Trait) -> Set<String> {
      (self.person?.known.keys[trait] ?? []).union(self.contact?.keys[trait] ?? [])
    }
  }

  private struct Pair: Hashable {
    let one: Int
    let other: Int
  }

  /// Two that may be the same, those with the most reasons first.
  func duplicates(account: Int64) throws -> [Duplicate] {
    let search = LinkSearch(database: self.database)
    let subjects = try self.subjects(account, search)
    let dismissed = try search.dismissed()
    var reasons: [Pair: Set<LinkSearch.Trait>] = [:]
    for trait in LinkSearch.Trait.allCases {
      var groups: [String: [Int]] = [:]
      for (index, subject) in subjects.enumerated() {
        for key in subject.keys(trait) { groups[key, default: []].append(index) }
      }
      for group in groups.values where group.count > 1 && group.count <= Self.largestGroup {
        for (place, one) in group.enumerated() {
          for other in group[(place + 1)...] { reasons[Pair(one: one, other: other), default: []].insert(trait) }
        }
      }
    }
    return reasons.compactMap { pair, traits in
      let (one, other) = (subjects[pair.one], subjects[pair.other])
      guard traits.contains(.name) || Self.areAlike(one.name, other.name) else { return nil }
      for (known, contact) in [(one.person, other.contact), (other.person, one.contact)] {
        if let known, let contact, dismissed[known.row]?.contains(contact.id) == true { return nil }
      }
      return Self.duplicate(one, other, traits)
    }.sorted { Self.rank($0) < Self.rank($1) }
  }

  private func subjects(_ account: Int64, _ search: LinkSearch) throws -> [Subject] {
    let people = try search.people(account, only: nil, areLinked: true)
    var contacts = Dictionary(
      try search.contacts(account, areLinked: true).values.map { ($0.id, $0) }
    ) { first, _ in first }
    var links: [Int64: String] = [:]
    try EngineStatement(self.database, "SELECT person, contact_uuid FROM person_link").forEach([]) {
      links[$0.integer(0)] = $0.text(1)
    }
    var subjects = people.sorted { $0.key < $1.key }.map { row, known in
      Subject(person: (row, known), contact: links[row].flatMap { contacts.removeValue(forKey: $0) })
    }
    subjects += contacts.values.sorted { $0.id < $1.id }.map { Subject(person: nil, contact: $0) }
    return subjects
  }

  /// Whether each word of the shorter name is like one of the other's.
  private static func areAlike(_ one: String, _ other: String) -> Bool {
    let words = [one, other].map(NameWords.words(of:)).sorted { $0.count < $1.count }
    return !words[0].isEmpty && words[0].allSatisfy { word in words[1].contains { NameSearch.areNear(word, $0) } }
  }

  private static func duplicate(_ one: Subject, _ other: Subject, _ traits: Set<LinkSearch.Trait>) -> Duplicate {
    var duplicate = Duplicate()
    (duplicate.name, duplicate.otherName) = (one.name, other.name)
    (duplicate.personID, duplicate.otherPersonID) = (one.person?.known.id ?? "", other.person?.known.id ?? "")
    (duplicate.contactID, duplicate.otherContactID) = (one.contact?.id ?? "", other.contact?.id ?? "")
    duplicate.reasons = LinkSearch.Trait.allCases.filter(traits.contains).map(\.reason)
    return duplicate
  }

  private static func rank(_ duplicate: Duplicate) -> (Int, String, String, String) {
    (
      -duplicate.reasons.count, RecordTraits.key(duplicate.name), duplicate.personID + duplicate.contactID,
      duplicate.otherPersonID + duplicate.otherContactID
    )
  }
}
