internal import ArgumentParser
internal import KithMessages

struct ListContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List contacts in the order of their names.",
    discussion: "Example: kith contacts list --limit 20")

  @OptionGroup var global: GlobalOptions

  @Option(help: "How many, at most 500.")
  var limit: UInt32 = 50

  @Option(help: "Go on where an earlier list ended.")
  var cursor = ""

  @Option(help: "Only contacts of this source.")
  var source = ""

  @Flag(help: "Deleted contacts as well.")
  var deleted = false

  func validate() throws {
    guard (1...500).contains(self.limit) else { throw ValidationError("--limit takes a number from 1 to 500.") }
  }

  func run(_ session: Session) async throws {
    var request = ListContactsRequest()
    request.limit = self.limit
    request.cursor = self.cursor
    request.source = self.source
    request.includeDeleted = self.deleted
    let reply = try await session.ask(request)
    var more: [String] = []
    if !reply.nextCursor.isEmpty { more = ["", "There are more: kith contacts list --cursor \(reply.nextCursor)"] }
    try session.show(reply, ContactTable(reply.contacts).lines(session.console.style) + more)
  }
}
