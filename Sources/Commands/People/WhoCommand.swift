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
    try await session.show(reply, Self.lines(reply.hits, session) + LimitOption.more(reply.more, session.language))
  }

  private static func lines(_ hits: [Acquaintance], _ session: Session) -> [String] {
    let say = session.language
    guard !hits.isEmpty else {
      return [say("Nobody found. To add somebody: kith people add NAME", "見つかりません。追加するには: kith people add 名前")]
    }
    var table = Table(
      [
        Column("NAME", "名前", wraps: true), Column("PHONE", "電話"), Column("EMAIL", "メール", drops: 2),
        Column("BIRTHDAY", "誕生日", drops: 3),
        Column("LAST CONTACT", "最後の連絡", drops: 1), Column("KNOWN AS", "登録", drops: 4), Column("ID"),
      ], hidesEmpty: true)
    for hit in hits {
      let known = [hit.hasPerson ? say("person", "人") : nil, hit.hasContact ? say("contact", "連絡先") : nil].compactMap {
        $0
      }
      table.add(
        hit.shownName, hit.contact.phones.preferred, hit.contact.emails.preferred, hit.birthday,
        hit.person.hasLastInteractionAt ? session.ago(hit.person.lastInteractionAt) : "",
        known.joined(separator: say(" and ", "と")), session.ids[hit.hasPerson ? hit.person.id : hit.contact.id])
    }
    return table.lines(session)
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
  typealias Target = Person
  static var defaultCompletionKind: CompletionKind { Completion.anyone }

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    Self.candidates(try await session.whoIs(self.text))
  }

  /// People come before contacts of whom nothing is recorded.
  private static func candidates(_ hits: [Acquaintance]) -> [NameMatch.Candidate] {
    hits.peopleFirst.map { $0.candidate($0.hasPerson ? $0.person.id : $0.contact.id) }
  }

  func id(_ session: Session) async throws(Failure) -> String {
    guard !UUIDv7.isID(self.text) else { return self.text }
    let hits = try await session.whoIs(self.text)
    let id = try await self.match(Self.candidates(hits), session, isExact: false)
    guard hits.contains(where: { !$0.hasPerson && $0.contact.id == id }) else { return id }
    var request = PersonOfContactRequest()
    request.contactID = id
    let person = try await session.ask(request)
    if !session.isJSON {
      await session.ids.learn(person, session)
      session.console.printError(
        session.language(
          "\(Printable.text(person.displayName)) of the address book is now one of your people. To undo: kith people delete",
          "アドレス帳の\(Printable.text(person.displayName))を人として登録しました。取り消すには: kith people delete")
          + " \(session.ids[person.id])"
      )
    }
    return person.id
  }
}
