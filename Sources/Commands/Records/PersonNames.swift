internal import KithMessages
internal import SwiftProtobuf

/// The names of the people to whom records refer by id.
struct PersonNames: Sendable {
  private var names: [String: String] = [:]

  /// The people whose last call is longer ago than usual.
  private(set) var overdue: Set<String> = []

  /// The name of a person; the id if the name is unknown.
  subscript(id: String) -> String { self.names[id] ?? id }

  /// The names of all people to whom these records refer.
  static func of<R: Record>(_ records: [R], _ session: Session) async -> PersonNames {
    var names = PersonNames()
    await names.learn(from: records, session)
    return names
  }

  /// Adds the name of a person.
  mutating func learn(_ person: Person) { self.names[person.id] = person.displayName }

  /// Adds the names that records contain, and requests the others from kithd.
  mutating func learn<R: Record>(from records: [R], _ session: Session) async {
    for record in records { self.names.merge(record.knownNames) { first, _ in first } }
    for id in Set(records.flatMap(\.namedPeople)) { await self.learn(id, session) }
  }

  /// Requests a name from kithd, unless the output is JSON, which shows no names.
  mutating func learn(_ id: String, _ session: Session) async {
    guard !session.isJSON, !id.isEmpty, self.names[id] == nil else { return }
    var request = GetPersonRequest()
    request.id = id
    // A deleted person is shown by the id.
    guard let person = try? await session.ask(request).person else { return }
    self.learn(person)
  }

  /// Asks who was not called for longer than usual.
  mutating func learnOverdue(_ session: Session) async {
    guard !session.isJSON else { return }
    let reply = try? await session.ask(SuggestCallsRequest.with { $0.limit = 100 })
    self.overdue = Set(reply?.suggestions.map(\.personID) ?? [])
  }
}
