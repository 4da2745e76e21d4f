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
    try session.show(reply, Self.lines(reply.sources, session))
  }

  private static func lines(_ sources: [Source], _ session: Session) -> [String] {
    guard !sources.isEmpty else {
      return ["No sources found. Add one: kith contacts source add home --vdir ~/contacts"]
    }
    var table = Table(("NAME", .left), ("KIND", .left), ("CONTACTS", .right), ("LAST SUCCESS", .left), ("WHERE", .left))
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
    return table.lines(session.console.style)
  }
}

struct RemoveSourceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a source and its contacts. Its files stay unchanged.",
    discussion: "Example: kith contacts source remove home")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The source.")
  var name: String

  func run(_ session: Session) async throws {
    var request = RemoveSourceRequest()
    request.name = self.name
    let reply = try await session.ask(request)
    try session.show(reply, ["Removed \(self.name) and \(Count.of(Int(reply.contactsRemoved), "contact")) of it."])
  }
}

struct TestSourceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Check whether a source can be read. Changes nothing.",
    discussion: """
      Exits with 1 when it cannot.
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
    try session.show(reply, [verdict] + (reply.note.isEmpty ? [] : [Printable.text(reply.note)]))
    if !reply.readable { throw ExitCode(ExitStatus.failed.rawValue) }
  }
}
