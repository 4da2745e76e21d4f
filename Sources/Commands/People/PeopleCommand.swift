internal import ArgumentParser
internal import Bus
internal import KithMessages

struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people", abstract: "People and everything that belongs to them.",
    discussion: """
      People are named by id, or by a name that only one of them has.
      Example: kith people show ann
      """,
    subcommands: [
      ListPeopleCommand.self, SearchPeopleCommand.self, ShowPersonCommand.self, PersonTimelineCommand.self,
      PersonPhotoCommand.self,
      AddRecordCommand<NewPersonArguments>.self, EditRecordCommand<PersonEdits>.self, DeletePersonCommand.self,
      RestoreRecordCommand<Person>.self,
      PersonFieldCommand.self, PersonAddressCommand.self, PersonReminderCommand.self, LinkPersonCommand.self,
      UnlinkPersonCommand.self, DismissLinkCommand.self,
      DuplicatesCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ListPeopleCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List people in the order of their names.",
    discussion: "Example: kith people list --tag family")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  @Option(help: "Only people with this tag.", completion: Completion.tags)
  var tag = ""

  @Flag(help: "Also archived people and people known only through others. --all shows them too.")
  var archived = false

  @Flag(help: "Also deleted people.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ListPeopleRequest()
    request.tag = self.tag
    request.includeArchived = self.archived || self.page.all
    request.includePartial = self.archived || self.page.all
    request.includeDeleted = self.deleted
    let reply = try await self.page.ask(request, session)
    var names = PersonNames()
    await names.learnOverdue(session)
    try await session.show(
      reply, RecordTable(reply.people, names).lines(session) + PageOptions.more(reply.nextCursor, session.language))
  }
}

struct SearchPeopleCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find people by name, nickname, company or email, even if misspelt.",
    discussion: "Example: kith people search john")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text to search for.")
  var text: [String]

  @OptionGroup var size: LimitOption

  func run(_ session: Session) async throws {
    var request = SearchPeopleRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.size.count
    let reply = try await session.ask(request)
    try await session.show(
      reply, RecordTable(reply.people, PersonNames()).lines(session) + LimitOption.more(reply.more, session.language))
  }
}

struct PersonTimelineCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline", abstract: "List calls, conversations, activities and notes of a person, newest first.",
    discussion: "Example: kith people timeline ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = PersonTimelineRequest()
    request.id = try await self.person.id(session)
    let reply = try await self.page.ask(request, session)
    try await session.show(
      reply, Self.lines(reply.entries, session) + PageOptions.more(reply.nextCursor, session.language))
  }

  /// Activities have a day without a time.
  private static func when(_ entry: TimelineEntry, _ session: Session) -> String {
    if case .activity(let activity) = entry.record { return session.ago(day: activity.happenedOn) }
    return session.ago(entry.at)
  }

  private static func lines(_ entries: [TimelineEntry], _ session: Session) -> [String] {
    let say = session.language
    guard !entries.isEmpty else { return [say("Nothing found.", "記録はありません。")] }
    var table = Table(
      [
        Column("WHEN", "いつ"), Column("WHAT", "内容", wraps: true), Column("", name: "text", wraps: true),
        Column("STATE", "状態"),
        Column("ID"),
      ], hidesEmpty: true)
    for entry in entries {
      let row: (what: String, text: String, mark: String, id: String) =
        switch entry.record {
        case .call(let call): (Call.idNoun(say), call.summary(say), call.mark(say), call.id)
        case .conversation(let talk): (talk.channelWords(say), talk.summary, talk.mark(say), talk.id)
        case .activity(let activity): (Activity.idNoun(say), activity.summary, activity.mark(say), activity.id)
        case .note(let note): (Note.idNoun(say), note.body, note.mark(say), note.id)
        case nil: ("", say("an entry of a newer kithd", "新しい kithd の記録"), "", "")
        }
      table.add(Self.when(entry, session), row.what, row.text, row.mark, session.ids[row.id])
    }
    return table.lines(session)
  }
}

struct PersonPhotoCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Write a person's photo to a file.",
    discussion: "Example: kith people photo ann -o ann.jpg")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  func run(_ session: Session) async throws {
    var request = GetPersonRequest()
    request.id = try await self.person.id(session)
    let person = try await session.ask(request).person
    guard person.hasPhoto else {
      throw Failure(
        .notFound, "PHOTO_MISSING",
        session.language(
          "\(person.displayName) has no photo. For that of the address book: kith contacts photo",
          "\(person.displayName)の写真はありません。アドレス帳の写真なら: kith contacts photo")
      ).worded
    }
    try await session.save(person.photo, to: self.output)
  }
}

struct DeletePersonCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a person and everything that belongs to them.",
    discussion: "Example: kith people delete ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    var request = DeletePersonRequest()
    request.id = try await self.person.exactID(session)
    var names = PersonNames()
    await names.learn(request.id, session)
    try self.confirmation.ask(
      session.language(
        "Delete \(Printable.text(names[request.id])) and everything that belongs to them?",
        "\(Printable.text(names[request.id]))と、関係する記録をすべて削除しますか?"), isGrave: true, session)
    try await session.showDeleted(try await session.ask(request), restoring: true)
  }
}
