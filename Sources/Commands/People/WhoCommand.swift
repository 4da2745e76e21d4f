internal import ArgumentParser
internal import Bus
internal import KithMessages

struct WhoCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "who", abstract: "Find somebody, among people and in the address book at once.",
    discussion: """
      Names are found in any script and misspelt, numbers in any spelling: sato finds 佐藤, mueller finds Müller.
      Example: kith who ingrid
      Example: kith who '+81 90 1234 5678'
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "A part of a name, company, number or email address.")
  var text: [String]

  @OptionGroup var size: LimitOption

  func run(_ session: Session) async throws {
    var request = WhoRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.size.count
    let reply = try await session.ask(request)
    try await session.show(reply, Self.lines(reply.hits, session) + LimitOption.more(reply.more))
  }

  private static func lines(_ hits: [Acquaintance], _ session: Session) -> [String] {
    guard !hits.isEmpty else { return ["Nobody found."] }
    var table = Table(
      [
        Column("NAME", wraps: true), Column("PHONE"), Column("EMAIL", drops: 2), Column("BIRTHDAY", drops: 3),
        Column("LAST CONTACT", drops: 1), Column("KNOWN AS", drops: 4), Column("ID"),
      ], hidesEmpty: true)
    for hit in hits {
      let known = [hit.hasPerson ? "person" : nil, hit.hasContact ? "contact" : nil].compactMap { $0 }
      table.add(
        hit.shownName, hit.contact.phones.preferred, hit.contact.emails.preferred, hit.birthday,
        hit.person.hasLastInteractionAt ? session.ago(hit.person.lastInteractionAt) : "",
        known.joined(separator: " and "), session.ids[hit.hasPerson ? hit.person.id : hit.contact.id])
    }
    return table.lines(session)
  }
}

struct DuplicatesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicates", abstract: "Show people and contacts that may be the same.",
    discussion: """
      Nothing is merged. Link a person to their contact with `kith people link`; two contacts are merged in the address book they
      come from.
      Example: kith people duplicates
      """)

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    let reply = try await self.page.ask(DuplicatesRequest(), session)
    try await session.show(reply, Self.lines(reply.duplicates, session) + PageOptions.more(reply.nextCursor))
  }

  private static func lines(_ duplicates: [Duplicate], _ session: Session) -> [String] {
    guard !duplicates.isEmpty else { return ["No duplicates found."] }
    var table = Table([
      Column("ONE", wraps: true), Column("OTHER", wraps: true), Column("SAME"), Column("ONE IS", drops: 1),
      Column("OTHER IS", drops: 1),
    ])
    for pair in duplicates {
      table.add(
        pair.name, pair.otherName, pair.reasons.joined(separator: ", "),
        Self.kind(pair.personID, pair.contactID, session),
        Self.kind(pair.otherPersonID, pair.otherContactID, session))
    }
    guard
      let link = duplicates.first(where: { !$0.personID.isEmpty && $0.contactID.isEmpty && !$0.otherContactID.isEmpty })
    else { return table.lines(session) }
    return table.lines(session) + [
      "",
      "If \(Printable.text(link.name)) is one: kith people link \(session.ids[link.personID]) \(session.ids[link.otherContactID])",
      "If not: kith people dismiss \(session.ids[link.personID]) \(session.ids[link.otherContactID])",
    ]
  }

  private static func kind(_ person: String, _ contact: String, _ session: Session) -> String {
    guard !person.isEmpty else { return "contact \(session.ids[contact])" }
    return "\(contact.isEmpty ? "person" : "person and contact") \(session.ids[person])"
  }
}

extension Acquaintance {
  /// The candidate that a name on the command line may mean.
  ///
  /// - Parameter id: The id to use: the person's or the contact's.
  func candidate(_ id: String) -> NameMatch.Candidate { .init(id: id, shown: self.shownName, names: self.names) }
}

extension Session {
  /// The people and contacts whom a name may mean: those with misspelt names only if there are no others.
  func whoIs(_ text: String) async throws(Failure) -> [Acquaintance] {
    var request = WhoRequest()
    request.text = text
    request.limit = 500
    return try await self.ask(request).likely
  }
}

/// Somebody about whom something is recorded: a person, or a contact of the address book, of whom a person is made.
struct AnyoneReference: NameReference {
  static let help = ArgumentHelp(
    "The person: an id, or a name that only one has, also in the address book.", valueName: "person")
  static let example = "ann"
  static let kind = "person"

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    try await self.hits(session).map { $0.candidate($0.hasPerson ? $0.person.id : $0.contact.id) }
  }

  /// People come before contacts of whom nothing is recorded.
  private func hits(_ session: Session) async throws(Failure) -> [Acquaintance] {
    try await session.whoIs(self.text).peopleFirst
  }

  func id(_ session: Session) async throws(Failure) -> String {
    let id = try await self.match(session, isExact: false, isDeleted: false)
    guard id != self.text, try await self.hits(session).contains(where: { !$0.hasPerson && $0.contact.id == id }) else {
      return id
    }
    var request = PersonOfContactRequest()
    request.contactID = id
    let person = try await session.ask(request)
    if !session.isJSON {
      session.console.printError(
        "\(Printable.text(person.displayName)) of the address book is now one of your people. To undo: kith people delete \(person.id)"
      )
    }
    return person.id
  }
}
