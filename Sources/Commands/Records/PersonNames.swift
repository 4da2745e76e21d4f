internal import KithMessages

/// The names of the people that records name by id.
struct PersonNames: Sendable {
  private var names: [String: String] = [:]

  /// A name; the id where nobody told it.
  subscript(id: String) -> String { self.names[id] ?? id }

  /// The names that some records need.
  static func of<R: Record>(_ records: [R], _ session: Session) async -> PersonNames {
    var names = PersonNames()
    await names.learn(from: records, session)
    return names
  }

  /// Keeps the name of a person.
  mutating func learn(_ person: Person) { self.names[person.id] = person.displayName }

  /// Takes the names that records carry, and asks for the others.
  mutating func learn<R: Record>(from records: [R], _ session: Session) async {
    for record in records { self.names.merge(record.knownNames) { first, _ in first } }
    for id in Set(records.flatMap(\.namedPeople)) { await self.learn(id, session) }
  }

  /// Asks for a name, unless it is for JSON, which shows none.
  mutating func learn(_ id: String, _ session: Session) async {
    guard !session.isJSON, !id.isEmpty, self.names[id] == nil else { return }
    var request = GetPersonRequest()
    request.id = id
    // Somebody who was deleted goes by the id.
    guard let person = try? await session.ask(request).person else { return }
    self.learn(person)
  }
}
