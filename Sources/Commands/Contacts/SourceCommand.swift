internal import ArgumentParser
internal import Bus
internal import KithMessages

struct SourceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source", abstract: "The folders, files and accounts that contacts come from.",
    discussion: "Example: kith contacts source add home --vdir ~/contacts",
    subcommands: [
      AddSourceCommand.self, ListSourcesCommand.self, RemoveSourceCommand.self, TestSourceCommand.self,
      DiscoverCommand.self, LoginSourceCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ListSourcesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the sources.", discussion: "Example: kith contacts source list")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ListSourcesRequest())
    try await session.show(reply, Self.lines(reply.sources, session))
  }

  private static func lines(_ sources: [Source], _ session: Session) -> [String] {
    guard !sources.isEmpty else {
      return ["No sources found. Add one: kith contacts source add home --vdir ~/contacts"]
    }
    var table = Table([
      Column("NAME"), Column("KIND", drops: 1), Column("CONTACTS", .right), Column("LAST SUCCESS", drops: 2),
      Column("WHERE", wraps: true),
    ])
    for source in sources {
      let (kind, place) =
        switch source.kind {
        case .vdir(let vdir): ("folder", vdir.path)
        case .vcf(let vcf): ("file", vcf.path)
        case .carddav(let account): ("CardDAV", account.url)
        case nil: ("unknown", "")
        }
      table.add(
        source.name, kind, Count.grouped(Int(source.status.live)),
        RelativeTime.words(source.status.lastSuccessAt, now: session.now), place)
    }
    return table.lines(session)
  }
}

struct RemoveSourceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a source and its contacts. Its files stay unchanged.",
    discussion: "Example: kith contacts source remove home")

  /// As many contacts as a script does not remove by accident.
  private static let many = 100

  @OptionGroup var global: GlobalOptions

  @OptionGroup var confirmation: Confirmation

  @Argument(help: "The source.")
  var name: String

  func run(_ session: Session) async throws {
    let sources = try await session.ask(ListSourcesRequest()).sources
    let contacts = Int(sources.first { $0.name == self.name }?.status.live ?? 0)
    if contacts > 0 {
      try self.confirmation.ask(
        "Remove \(Printable.text(self.name)) and \(Count.of(contacts, "contact")) of it?",
        isGrave: contacts > Self.many, session)
    }
    var request = RemoveSourceRequest()
    request.name = self.name
    let reply = try await session.ask(request)
    try await session.show(
      reply, ["Removed \(self.name) and \(Count.of(Int(reply.contactsRemoved), "contact")) of it."])
  }
}

struct TestSourceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Check whether a source can be read. Changes nothing.",
    discussion: """
      Exits with 1 if it cannot.
      Example: kith contacts source test home
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The source.")
  var name: String

  func run(_ session: Session) async throws {
    var request = TestSourceRequest()
    request.name = self.name
    let reply = try await session.ask(request)
    let verdict =
      reply.readable
      ? "\(self.name) can be read: \(Count.of(Int(reply.items), "card"))."
      : "\(self.name) cannot be read. \(Printable.text(reply.error.message))"
    try await session.show(reply, [verdict] + (reply.note.isEmpty ? [] : [Printable.text(reply.note)]))
    if !reply.readable { throw ExitCode(ExitStatus.failed.rawValue) }
  }
}

struct DiscoverCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "discover", abstract: "Show the address books of a CardDAV server, and how they were found.",
    discussion: """
      Takes the URL of a server, an account or an address book, a host, or an email address. Stores nothing.
      Example: kith contacts source discover ann@example.com --username ann
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The URL, host or email address to search.")
  var url: String

  @OptionGroup var account: AccountOptions

  func run(_ session: Session) async throws {
    var request = DiscoverRequest()
    request.account = try self.account.account(at: self.url, session)
    let reply = try await session.ask(request)
    try await session.show(reply, Self.lines(reply, session))
    if reply.books.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  private static func lines(_ reply: DiscoverReply, _ session: Session) -> [String] {
    let trail = reply.trail.map { session.console.style.dim("  " + Printable.text($0)) }
    guard !reply.books.isEmpty else { return ["No address books found."] + trail }
    var table = Table([Column("ADDRESS BOOK"), Column("WRITABLE"), Column("URL", wraps: true)])
    for book in reply.books { table.add(book.name, book.readOnly ? "no" : "yes", book.url) }
    return table.lines(session) + [""] + trail
  }
}

struct LoginSourceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Change the password or user name of a CardDAV source.",
    discussion: """
      kith asks for the password, and never takes it from the command line.
      Example: kith contacts source login work
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The source.")
  var name: String

  @Option(help: "The user name. Default: unchanged.")
  var username: String?

  @Option(help: InputFile.secretHelp("password"), completion: .file())
  var passwordFile: String?

  func run(_ session: Session) async throws {
    var request = SetCredentialsRequest()
    request.name = self.name
    request.username = self.username ?? ""
    if let passwordFile, passwordFile != InputFile.standardInput {
      (request.password, request.passwordFile) = try session.secret(inFile: passwordFile)
    } else {
      request.password = try session.console.askSecret(
        "Password of \(Printable.text(self.name)): ", file: self.passwordFile)
    }
    let source = try await session.ask(request)
    try await session.show(
      source, ["Saved. Try it: kith contacts source test \(Printable.text(source.name))"])
  }
}
