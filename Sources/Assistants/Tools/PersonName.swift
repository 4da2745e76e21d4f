internal import Bus
internal import KithMessages
internal import SwiftProtobuf

extension ToolCall {
  /// Whom the argument `person` means.
  private enum Meant {
    case id(String)
    case found(Acquaintance)
  }

  /// The id of the person whom the argument `person` means; of a contact without one, a person is made of it.
  ///
  /// - Throws: `INVALID_ARGUMENT/NAME_AMBIGUOUS` with the ids of several, `NOT_FOUND/RECORD_UNKNOWN`.
  func personToRecord() async throws(Failure) -> String {
    switch try await self.meant() {
    case .id(let id): return id
    case .found(let hit) where hit.hasPerson: return hit.person.id
    case .found(let hit):
      return try await self.write(PersonOfContactRequest.with { $0.contactID = hit.contact.id }).id
    }
  }

  /// The id of the person whom the argument `person` means; nil for a contact of whom nothing is recorded.
  ///
  /// - Throws: As ``personToRecord()``.
  func personID() async throws(Failure) -> String? {
    switch try await self.meant() {
    case .id(let id): id
    case .found(let hit): hit.hasPerson ? hit.person.id : nil
    }
  }

  /// Everything about whom the argument `person` means: a person, or a contact of whom nothing is recorded.
  ///
  /// - Throws: As ``personToRecord()``.
  func personToShow() async throws(Failure) -> PersonDetails {
    switch try await self.meant() {
    case .id(let id): return try await self.ask(GetPersonRequest.with { $0.id = id })
    case .found(let hit) where hit.hasPerson: return try await self.ask(GetPersonRequest.with { $0.id = hit.person.id })
    case .found(let hit): return PersonDetails.with { $0.contact = hit.contact }
    }
  }

  /// Whom an id means: a person, or a contact, whose ids people_find gives too.
  private func meant(id: String) async throws(Failure) -> Meant {
    do throws(Failure) {
      let contact = try await self.ask(GetContactRequest.with { $0.id = id })
      guard contact.personID.isEmpty else { return .id(contact.personID) }
      return .found(Acquaintance.with { $0.contact = contact.contact })
    } catch  where error.reason == "RECORD_UNKNOWN" {
      return .id(id)
    }
  }

  private func meant() async throws(Failure) -> Meant {
    let text = self.arguments.text("person")
    guard !UUIDv7.isID(text) else { return try await self.meant(id: text) }
    let request = WhoRequest.with {
      $0.text = text
      $0.limit = 500
    }
    let hits = try await self.ask(request).likely.peopleFirst
    let exact = hits.filter { $0.names.contains { $0.foldedName == text.foldedName } }
    let meant = exact.isEmpty ? hits : exact
    guard let first = meant.first else {
      throw .unknownRecord(text, "Nobody is called that. Look for another spelling with people_find.")
    }
    guard meant.count == 1 else {
      let names = meant.prefix(10).map { "\($0.shownName) (\($0.hasPerson ? $0.person.id : $0.contact.id))" }
      throw Failure(
        .invalidArgument, "NAME_AMBIGUOUS",
        "That may be one of \(meant.count). Ask the person who is meant, and give the id: \(names.joined(separator: ", "))"
      )
    }
    return .found(first)
  }
}
