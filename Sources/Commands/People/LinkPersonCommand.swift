internal import ArgumentParser
internal import Bus
internal import KithMessages
internal import SwiftProtobuf

struct LinkPersonCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "link", abstract: "Link a person to a contact of the address book.",
    discussion: """
      Without a contact, prints the contacts that may be the same person. Nothing is linked automatically.
      Example: kith people link --suggest
      Example: kith people link ann 'Ann Lee'
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference?

  @Argument(help: ContactReference.help)
  var contact: ContactReference?

  @Flag(help: "Show suggested links, for one person or for all.")
  var suggest = false

  @OptionGroup var page: PageOptions

  func validate() throws {
    if self.person == nil, !self.suggest { throw ValidationError("Name a person, or give --suggest for all people.") }
    if self.contact != nil, self.suggest { throw ValidationError("Name a contact or give --suggest, not both.") }
  }

  func run(_ session: Session) async throws {
    let say = session.language
    let person = try await self.person?.id(session) ?? ""
    if let contact {
      var request = LinkPersonRequest()
      request.personID = person
      request.contactID = try await contact.id(session)
      let linked = try await session.ask(request)
      try await session.show(
        linked,
        [
          say(
            "\(Printable.text(linked.displayName)) is linked to the contact \(session.ids[linked.contactID]).",
            "\(Printable.text(linked.displayName))を連絡先 \(session.ids[linked.contactID]) とつなぎました。")
        ])
    } else {
      var request = SuggestLinksRequest()
      request.personID = person
      let reply = try await self.page.ask(request, session)
      try await session.show(
        reply, Self.lines(reply.suggestions, session) + PageOptions.more(reply.nextCursor, session.language))
    }
  }

  private static func lines(_ suggestions: [LinkSuggestion], _ session: Session) -> [String] {
    let say = session.language
    guard let first = suggestions.first else { return [say("No suggestions found.", "候補はありません。")] }
    var table = Table([
      Column("PERSON", "人", wraps: true), Column("CONTACT", "連絡先", wraps: true), Column("SAME", "一致", wraps: true),
      Column("PERSON ID", "人の ID", drops: 2),
      Column("CONTACT ID", "連絡先の ID", drops: 1),
    ])
    for suggestion in suggestions {
      table.add(
        suggestion.personName, suggestion.contactName, Duplicate.words(suggestion.reasons, say),
        session.ids[suggestion.personID], session.ids[suggestion.contactID])
    }
    return table.lines(session)
      + [
        "",
        say("To link the first:", "最初の組をつなぐには:")
          + " kith people link \(session.ids[first.personID]) \(session.ids[first.contactID])",
        say("If it is wrong:", "違う人なら:")
          + " kith people dismiss \(session.ids[first.personID]) \(session.ids[first.contactID])",
      ].map(Printable.text)
  }
}

struct UnlinkPersonCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlink", abstract: "Remove the link between a person and a contact.",
    discussion: "Example: kith people unlink ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  func run(_ session: Session) async throws {
    var request = LinkPersonRequest()
    request.personID = try await self.person.id(session)
    let person = try await session.ask(request)
    try await session.show(
      person,
      [
        session.language(
          "\(Printable.text(person.displayName)) is no longer linked to a contact of the address book.",
          "\(Printable.text(person.displayName))とアドレス帳のつながりを外しました。")
      ])
  }
}

struct DismissLinkCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss",
    abstract: "Reject a suggested link between a person and a contact.",
    discussion: "Example: kith people dismiss ann 'Anna Leigh'")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @Argument(help: ContactReference.help)
  var contact: ContactReference

  func run(_ session: Session) async throws {
    var request = DismissLinkRequest()
    request.personID = try await self.person.id(session)
    request.contactID = try await self.contact.id(session)
    try await session.show(
      try await session.ask(request), [session.language("It is no longer suggested.", "もう候補に出ません。")])
  }
}

/// A contact of the address book, by id or by a name that only one has.
struct ContactReference: NameReference {
  static let help = ArgumentHelp(
    "The contact of the address book: an id, or a name that only one has.", valueName: "contact")
  static let example = "ann"
  typealias Target = Contact
  static var defaultCompletionKind: CompletionKind { Completion.contacts }

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    try await session.whoIs(self.text).filter(\.hasContact).map { $0.candidate($0.contact.id) }
  }

  /// The deleted contacts with a name that has the text, and those whose deletion is held back.
  func deletedCandidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    let deleted = try await session.askAll(ListContactsRequest.with { $0.includeDeleted = true }).contacts
      .filter(\.hasDeletedAt)
    let held = try await session.askAll(ListContactsRequest.with { $0.heldBack = true }).contacts
    let typed = self.text.foldedName
    return (deleted + held).map { contact in
      Acquaintance.with { $0.contact = contact }.candidate(contact.id)
    }.filter { candidate in candidate.names.contains { $0.foldedName.contains(typed) } }
  }
}
