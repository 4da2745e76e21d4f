internal import ArgumentParser
internal import Bus
internal import KithMessages

extension Person: RestorableRecord {
  typealias Creation = CreatePersonRequest
  typealias Change = UpdatePersonRequest
  typealias Deletion = DeletePersonRequest
  typealias Restoration = RestorePersonRequest
  typealias Reference = PersonReference

  static let noun = Noun(
    command: "people", singular: "person", plural: "people", newExample: "Ann --last-name Lee --birthday 1980-05-17",
    changeExample: "--company Acme")
  static let headings: [Column] = [
    Column("NAME"), Column("NICKNAME", drops: 1), Column("COMPANY", drops: 2), Column("LAST CONTACT", drops: 4),
    Column("LAST CALL", drops: 5), Column("TAGS", drops: 3),
  ]

  static func words(about id: String, _ session: Session) async -> String {
    var names = PersonNames()
    await names.learn(id, session)
    return names[id] == id ? "" : names[id]
  }

  func headline(_ names: PersonNames) -> String { self.displayName.isEmpty ? self.firstName : self.displayName }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    [
      ("Nickname", self.nickname), ("Gender", self.gender), ("About", self.description_p),
      ("Birthday", self.birthday), ("Died", self.isDead ? (self.deceasedOn.isEmpty ? "yes" : self.deceasedOn) : ""),
      ("Job", self.job), ("Company", self.company), ("Food", self.foodPreferences), ("Met", self.howMet),
      ("Tags", self.tags.isEmpty ? "No tags" : self.tags.joined(separator: ", ")),
      ("Last contact", session.ago(self.lastInteractionAt)), ("Last call", session.ago(self.lastCalledAt)),
      ("Stay in touch", self.stayInTouchDays == 0 ? "" : "every \(Count.of(Int(self.stayInTouchDays), "day"))"),
      ("Photo", self.photo.size > 0 ? "\(self.photo.mediaType), \(Count.bytes(self.photo.size))" : ""),
      ("Kept as", self.kinds.joined(separator: ", ")),
    ]
  }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    let kinds = self.kinds.isEmpty ? "" : " (\(self.kinds.joined(separator: ", ")))"
    let lastCall = session.ago(self.lastCalledAt) + (names.overdue.contains(self.id) ? " (overdue)" : "")
    return [
      self.headline(names) + kinds, self.nickname, self.company,
      RelativeTime.words(self.lastInteractionAt, now: session.now), lastCall,
      self.tags.joined(separator: ", "),
    ]
  }

  /// What is special about a person in a list.
  private var kinds: [String] {
    [
      self.isMe ? "you" : nil, self.isStarred ? "starred" : nil, self.isArchived ? "archived" : nil,
      self.isPartial ? "known through others" : nil,
    ].compactMap { $0 }
  }
}

/// A person, by id or by a name that only one has.
struct PersonReference: NameReference {
  static let help = ArgumentHelp("The person: an id, or a name that only one has.", valueName: "person")
  static let example = "ann"
  static let kind = "person"

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    let hits = try await session.whoIs(self.text)
    let people = hits.filter(\.hasPerson).map { $0.candidate($0.person.id) }
    guard people.isEmpty, let contact = hits.first?.contact else { return people }
    throw .unknownRecord(
      self.text,
      "Nothing is recorded about \(Printable.text(contact.shownName)) of the address book yet. To see the contact: "
        + "kith contacts show \(contact.id)")
  }

  func deletedCandidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    var request = ListPeopleRequest()
    request.includeDeleted = true
    request.limit = LimitOption.most
    var deleted: [NameMatch.Candidate] = []
    repeat {
      let page = try await session.ask(request)
      deleted += page.people.filter(\.hasDeletedAt).map(Self.candidate)
      request.cursor = page.nextCursor
    } while !request.cursor.isEmpty
    return deleted
  }

  private static func candidate(_ person: Person) -> NameMatch.Candidate {
    .init(
      id: person.id, shown: person.displayName,
      names: [person.displayName, person.firstName, person.nickname, "\(person.firstName) \(person.lastName)"])
  }
}
