internal import ArgumentParser
internal import KithMessages

struct SearchContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find contacts by any part of name, organisation, phone, email, address or note.",
    discussion: "Example: kith contacts search ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "What to look for.")
  var text: [String]

  @Option(help: "How many, at most 500.")
  var limit: UInt32 = 50

  @Option(help: "Only contacts of this source.")
  var source = ""

  func validate() throws {
    guard (1...500).contains(self.limit) else { throw ValidationError("--limit takes a number from 1 to 500.") }
  }

  func run(_ session: Session) async throws {
    var request = SearchContactsRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.limit
    request.source = self.source
    let reply = try await session.ask(request)
    let more = reply.more ? ["", "There are more. Say more of the name, or give a higher --limit."] : []
    try session.show(reply, ContactTable(reply.contacts).lines(session.console.style) + more)
  }
}
