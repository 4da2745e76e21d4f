internal import ArgumentParser
internal import Bus
internal import KithMessages

/// A person named by id, or by a name that only one has.
struct PersonReference: NameReference {
  static let help = ArgumentHelp("The person: an id, or a name that only one has.", valueName: "person")
  static let example = "ann"
  static let kind = "person"

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    var request = SearchPeopleRequest()
    request.text = self.text
    request.limit = 500
    return try await session.ask(request).people.map {
      .init(
        id: $0.id, shown: $0.displayName,
        names: [$0.displayName, $0.firstName, $0.nickname, "\($0.firstName) \($0.lastName)"])
    }
  }
}

/// A contact of the address book named by id, or by a name that only one has.
struct ContactReference: NameReference {
  static let help = ArgumentHelp(
    "The contact of the address book: an id, or a name that only one has.", valueName: "contact")
  static let example = "ann"
  static let kind = "contact"

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    var request = SearchContactsRequest()
    request.text = self.text
    request.limit = 500
    return try await session.ask(request).contacts.map {
      .init(id: $0.id, shown: $0.shownName, names: [$0.shownName, $0.nickname])
    }
  }
}
