internal import ArgumentParser
internal import Bus
internal import FailureWords
internal import KithMessages

struct ContactsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contacts", abstract: "Contacts and the sources they come from.",
    discussion: "Example: kith contacts list --limit 20",
    subcommands: [
      ListContactsCommand.self, ShowContactCommand.self, SearchContactsCommand.self, ContactPhotoCommand.self,
      RestoreContactCommand.self, ExportContactsCommand.self, SyncContactsCommand.self, ContactsStatusCommand.self,
      ContactProblemsCommand.self, SourceCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ListContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List contacts in the order of their names.",
    discussion: "Example: kith contacts list --limit 20")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  @Option(help: "Only contacts of this source.", completion: Completion.sources)
  var source = ""

  @Flag(help: "Also deleted contacts.")
  var deleted = false

  @Flag(help: "Only contacts that are missing in their source and whose deletion is held back.")
  var heldBack = false

  func run(_ session: Session) async throws {
    var request = ListContactsRequest()
    request.heldBack = self.heldBack
    request.source = self.source
    request.includeDeleted = self.deleted
    let reply = try await self.page.ask(request, session)
    try await session.show(
      reply, ContactTable(reply.contacts).lines(session) + PageOptions.more(reply.nextCursor, session.language))
  }
}

struct ShowContactCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show all fields of one contact, even if it is deleted.",
    discussion: "Example: kith contacts show ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: ContactReference.help)
  var target: ContactReference

  func run(_ session: Session) async throws {
    var request = GetContactRequest()
    request.id = try await self.target.id(session)
    let reply = try await session.ask(request)
    await session.ids.learn(reply, session)
    let person =
      reply.personID.isEmpty
      ? []
      : [
        "",
        session.language("Records:", "記録を見るには:")
          + " kith people show \(session.ids[reply.personID]) (\(Printable.text(reply.personName)))",
      ]
    try await session.show(reply, ContactCard(reply.contact).lines(session) + person)
  }
}

struct SearchContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find contacts by any part of name, organisation, phone, email, address or note.",
    discussion: "Example: kith contacts search ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text to search for.")
  var text: [String]

  @OptionGroup var size: LimitOption

  @Option(help: "Only contacts of this source.", completion: Completion.sources)
  var source = ""

  func run(_ session: Session) async throws {
    var request = SearchContactsRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.size.count
    request.source = self.source
    let reply = try await session.ask(request)
    try await session.show(
      reply, ContactTable(reply.contacts).lines(session) + LimitOption.more(reply.more, session.language))
  }
}

struct ContactPhotoCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Write a contact's photo to a file, as it is in the card.",
    discussion: "Example: kith contacts photo ann -o ann.jpg")

  @OptionGroup var global: GlobalOptions

  @Argument(help: ContactReference.help)
  var target: ContactReference

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  func run(_ session: Session) async throws {
    var request = GetContactRequest()
    request.id = try await self.target.id(session)
    let contact = try await session.ask(request).contact
    guard contact.hasPhoto else {
      let (say, uri) = (session.language, contact.photoUri)
      let elsewhere = uri.isEmpty ? "" : say(" The card names one at \(uri).", "カードには \(uri) とあります。")
      throw Failure(
        .notFound, "PHOTO_MISSING",
        say("\(contact.shownName) has no photo.\(elsewhere)", "\(contact.shownName)の写真はありません。\(elsewhere)")
      ).worded
    }
    try await session.save(contact.photo, to: self.output)
  }
}

struct RestoreContactCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a deleted contact, or keep one whose deletion is held back.",
    discussion: """
      It stays even if its card is missing in the source. `kith contacts list --deleted` and `--held-back` show the ids.
      Example: kith contacts restore last
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: ContactReference.help)
  var target: ContactReference

  func run(_ session: Session) async throws {
    var request = RestoreContactRequest()
    request.id = try await self.target.deletedID(session)
    let reply = try await session.ask(request)
    try await session.show(
      reply,
      [
        session.language(
          "Restored \(Printable.text(reply.contact.shownName)).", "\(Printable.text(reply.contact.shownName))を元に戻しました。")
      ])
  }
}

struct ExportContactsCommand: HubCommand {
  /// A version of vCard.
  enum VCardVersion: String, ExpressibleByArgument, CaseIterable {
    case three = "3.0"
    case four = "4.0"
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the contacts to a file.",
    discussion: """
      Example: kith contacts export -o contacts.vcf
      Example: kith contacts export --vcard 4.0 -o contacts.vcf
      """)

  @OptionGroup var global: GlobalOptions

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  @Option(help: "vcf, json or csv.")
  var format = ContactExportFormat.vcf

  @Option(help: "The version of vCard: 3.0, which every address book reads (default), or 4.0.")
  var vcard: VCardVersion?

  @Option(help: "Only contacts of this source.", completion: Completion.sources)
  var source = ""

  @Flag(help: "Also deleted contacts.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ExportContactsRequest()
    request.format = self.format.rawValue
    request.vcardVersion = self.vcard?.rawValue ?? ""
    request.source = self.source
    request.includeDeleted = self.deleted
    let blob = try await session.ask(request, drawing: session.language("export", "書き出し"))
    try await session.save(blob, to: self.output)
  }
}

struct SyncContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Read changes from the sources, and wait for the result.",
    discussion: """
      Ctrl-C does not stop the sync: kithd continues, and `kith contacts status` shows it.
      Exits with 1 if a source failed.
      Example: kith contacts sync home
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The source. Default: all.", completion: Completion.sources)
  var name: String?

  @Flag(help: "Read every card again, also unchanged ones.")
  var full = false

  @Flag(help: "Carry out the deletions of this source that an earlier pass held back.")
  var allowMassDelete = false

  func run(_ session: Session) async throws {
    var request = SyncRequest()
    request.sources = self.name.map { [$0] } ?? []
    request.full = self.full
    request.allowMassDelete = self.allowMassDelete
    let reply = try await session.ask(request, drawing: session.language("sync", "同期"))
    try await session.show(reply, SourceStates(reply.sources).lines(session))
    if reply.sources.contains(where: { $0.state == .error }) { throw ExitCode(ExitStatus.failed.rawValue) }
  }
}

struct ContactsStatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of each source.", discussion: "Example: kith contacts status")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(SyncStatusRequest())
    try await session.show(reply, SourceStates(reply.sources).lines(session))
  }
}

struct ContactProblemsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "problems", abstract: "List cards that could not be read, or only after repair.",
    discussion: "Example: kith contacts problems --source home")

  @OptionGroup var global: GlobalOptions

  @Option(help: "Only cards of this source.", completion: Completion.sources)
  var source = ""

  func run(_ session: Session) async throws {
    var request = ListProblemsRequest()
    request.source = self.source
    request.limit = 500
    var all = ListProblemsReply()
    repeat {
      let page = try await session.ask(request)
      all.problems += page.problems
      request.cursor = page.nextCursor
    } while !request.cursor.isEmpty
    try await session.show(all, Self.lines(all.problems, session))
  }

  private static func lines(_ problems: [Problem], _ session: Session) -> [String] {
    let say = session.language
    guard !problems.isEmpty else { return [say("No problems found.", "問題はありません。")] }
    var table = Table([
      Column("SOURCE", "取り込み元"), Column("CARD", "カード", wraps: true), Column("WHAT", "内容", wraps: true),
      Column("RESULT", "結果", drops: 2),
      Column("SEEN", "見つけた時", drops: 1),
    ])
    for problem in problems {
      let place = problem.line > 0 ? "\(problem.sourceIdentifier):\(problem.line)" : problem.sourceIdentifier
      table.add(
        problem.source, place, say(problem.message.isEmpty ? problem.kind : problem.message, problem.inJapanese),
        problem.skipped ? say("skipped", "読めない") : say("repaired", "直して読んだ"), session.relative(problem.firstSeenAt))
    }
    return table.lines(session)
  }
}
