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
    let say = session.language
    guard !sources.isEmpty else {
      return [SourceStates.nothing(say)]
    }
    var table = Table([
      Column("NAME", "名前"), Column("KIND", "種類", drops: 1), Column("CONTACTS", "件数", .right),
      Column("LAST SUCCESS", "最後の成功", drops: 2),
      Column("WHERE", "場所", wraps: true),
    ])
    for source in sources {
      let (kind, place) =
        switch source.kind {
        case .vdir(let vdir): (say("folder", "フォルダー"), vdir.path)
        case .vcf(let vcf): (say("file", "ファイル"), vcf.path)
        case .carddav(let account): ("CardDAV", account.url)
        case nil: ("-", "")
        }
      table.add(
        source.name, kind, Count.grouped(Int(source.status.live)),
        session.relative(source.status.lastSuccessAt), place)
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

  @Argument(help: "The source.", completion: Completion.sources)
  var name: String

  func run(_ session: Session) async throws {
    let sources = try await session.ask(ListSourcesRequest()).sources
    let contacts = Int(sources.first { $0.name == self.name }?.status.live ?? 0)
    if contacts > 0 {
      try self.confirmation.ask(
        session.language(
          "Remove \(Printable.text(self.name)) and \(Count.of(contacts, "contact")) of it?",
          "\(Printable.text(self.name)) と、その連絡先\(contacts)件を削除しますか?"),
        isGrave: contacts > Self.many, session)
    }
    var request = RemoveSourceRequest()
    request.name = self.name
    let reply = try await session.ask(request)
    try await session.show(
      reply,
      [
        session.language(
          "Removed \(self.name) and \(Count.of(Int(reply.contactsRemoved), "contact")) of it.",
          "\(self.name) と、その連絡先\(reply.contactsRemoved)件を削除しました。")
      ])
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

  @Argument(help: "The source.", completion: Completion.sources)
  var name: String

  func run(_ session: Session) async throws {
    var request = TestSourceRequest()
    request.name = self.name
    let reply = try await session.ask(request)
    let say = session.language
    let verdict =
      reply.readable
      ? say(
        "\(self.name) can be read: \(Count.of(Int(reply.items), "card")).", "\(self.name) を読めます。カード: \(reply.items)件")
      : say("\(self.name) cannot be read.", "\(self.name) を読めません。")
        + " \(Printable.text(Failure(status: reply.error).read(in: say).message))"
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
    let say = session.language
    guard !reply.books.isEmpty else { return [say("No address books found.", "アドレス帳は見つかりません。")] + trail }
    var table = Table([Column("ADDRESS BOOK", "アドレス帳"), Column("WRITABLE", "書き込み"), Column("URL", wraps: true)])
    for book in reply.books { table.add(book.name, book.readOnly ? say("no", "いいえ") : say("yes", "はい"), book.url) }
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

  @Argument(help: "The source.", completion: Completion.sources)
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
        session.language("Password of \(Printable.text(self.name)): ", "\(Printable.text(self.name)) のパスワード: "),
        file: self.passwordFile, session.language)
    }
    let source = try await session.ask(request)
    try await session.show(
      source,
      [
        session.language("Saved. Try it:", "保存しました。試すには:")
          + " kith contacts source test \(Printable.text(source.name))"
      ])
  }
}
