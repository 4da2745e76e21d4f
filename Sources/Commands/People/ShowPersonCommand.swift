internal import ArgumentParser
internal import Bus
internal import KithMessages

struct ShowPersonCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a person and everything that belongs to them.",
    discussion: """
      If Monica does not answer, --refresh shows the stored record, prints its age and the reason, and exits with 1; with 4 if
      Monica no longer accepts the token.
      Example: kith people show ann --refresh
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @Flag(help: "Read it from Monica first. Default: show the stored record.")
  var refresh = false

  func run(_ session: Session) async throws {
    var request = GetPersonRequest()
    request.id = try await self.person.id(session)
    request.refresh = self.refresh
    let reply = try await session.ask(request)
    var names = PersonNames()
    names.learn(reply.person)
    await names.learn(from: reply.relationships, session)
    await names.learn(from: reply.activities, session)
    try await session.show(reply, PersonPage(reply, names).lines(session))
    guard reply.hasRefreshError else { return }
    let failure = Failure(status: reply.refreshError)
    let say = session.language
    let age =
      reply.hasFetchedAt
      ? say(
        "The stored record is as of \(session.moment(reply.fetchedAt)).",
        "保存されている内容は \(session.moment(reply.fetchedAt)) のものです。")
      : say("The record was never read from Monica.", "まだ一度も Monica から読んでいません。")
    session.console.report(failure.read(in: say), asJSON: session.isJSON)
    if !session.isJSON { session.console.printError(say("Not refreshed. \(age)", "更新していません。\(age)")) }
    throw ExitCode(ExitStatus(failure).rawValue)
  }
}

/// A person with everything that belongs to them.
struct PersonPage {
  private let details: PersonDetails
  private let names: PersonNames

  init(_ details: PersonDetails, _ names: PersonNames) {
    self.details = details
    self.names = names
  }

  func lines(_ session: Session) -> [String] {
    let details = self.details
    var lines = RecordCard(details.person, self.names).lines(session)
    if details.hasContact {
      lines +=
        ["", session.console.style.bold(session.language("Address book", "アドレス帳"))]
        + ContactCard(details.contact).ways(session).map { "  " + $0 }
    }
    lines += [
      self.section(details.fields, session), self.section(details.addresses, session),
      self.section(details.relationships, session), self.section(details.reminders, session),
      self.section(details.tasks, session), self.section(details.gifts, session),
      self.section(details.notes, session, all: "note list"),
      self.section(details.activities, session, all: "activity list"),
      self.section(details.calls, session, all: "call list --person"),
      self.section(details.conversations, session, all: "talk list"),
    ].joined()
    // Without a Monica account, nothing was ever read.
    guard details.person.syncState != SyncState.here.rawValue || details.hasFetchedAt else { return lines }
    let read = session.language("Last read from Monica:", "Monica から読んだ時:")
    return lines + ["", session.console.style.dim("\(read) \(session.relative(details.fetchedAt))")]
  }

  /// - Parameter command: The command that lists all, where only the newest are in the reply.
  private func section<R: Record>(_ records: [R], _ session: Session, all command: String? = nil) -> [String] {
    let say = session.language
    guard !records.isEmpty else { return ["", say("No \(R.noun.plural)", "\(R.noun.japanese)なし")] }
    let title = say(R.noun.plural.prefix(1).uppercased() + R.noun.plural.dropFirst(), R.noun.japanese)
    return ["", session.console.style.bold(title)]
      + RecordTable(records, self.names).lines(session, indent: 2).map { "  " + $0 }
      + (command.map { self.more(records.count, $0, session) } ?? [])
  }

  /// kithd sends the newest 20.
  private func more(_ count: Int, _ command: String, _ session: Session) -> [String] {
    guard count >= 20 else { return [] }
    let id = session.ids[self.details.person.id]
    return [
      "  "
        + session.console.style.dim(
          session.language("The newest \(count). To see all:", "新しい\(count)件です。すべて見るには:")
            + " kith \(command) \(id) --all")
    ]
  }
}
