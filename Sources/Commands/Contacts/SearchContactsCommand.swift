internal import ArgumentParser
internal import KithMessages

struct SearchContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find contacts by any part of name, organisation, phone, email, address or note.",
    discussion: "Example: kith contacts search ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text to search for.")
  var text: [String]

  @OptionGroup var size: LimitOption

  @Option(help: "Only contacts of this source.")
  var source = ""

  func run(_ session: Session) async throws {
    var request = SearchContactsRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.size.limit
    request.source = self.source
    let reply = try await session.ask(request)
    try session.show(
      reply, ContactTable(reply.contacts).lines(session.console.style) + LimitOption.more(reply.more))
  }
}
