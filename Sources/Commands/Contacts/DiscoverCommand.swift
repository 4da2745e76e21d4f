internal import ArgumentParser
internal import Bus
internal import KithMessages

struct DiscoverCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "discover", abstract: "Show the address books of a CardDAV server, and how they were found.",
    discussion: """
      Takes the URL of a server, an account or an address book, a host, or an e-mail address. Keeps nothing.
      Example: kith contacts source discover ann@example.com --username ann
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Where to look.")
  var url: String

  @OptionGroup var account: AccountOptions

  func run(_ session: Session) async throws {
    var request = DiscoverRequest()
    request.account = try self.account.account(at: self.url, session)
    let reply = try await session.ask(request)
    try session.show(reply, Self.lines(reply, session.console.style))
    if reply.books.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  private static func lines(_ reply: DiscoverReply, _ style: Style) -> [String] {
    let trail = reply.trail.map { style.dim("  " + Printable.text($0)) }
    guard !reply.books.isEmpty else { return ["No address books found."] + trail }
    var table = Table(("ADDRESS BOOK", .left), ("WRITABLE", .left), ("URL", .left))
    for book in reply.books { table.add(book.name, book.readOnly ? "no" : "yes", book.url) }
    return table.lines(style) + [""] + trail
  }
}
