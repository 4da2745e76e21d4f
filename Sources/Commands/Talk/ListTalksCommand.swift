internal import ArgumentParser
internal import KithMessages

struct ListTalksCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List conversations with a person or with everybody, newest first.",
    discussion: "Example: kith talk list ann --channel email")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var records: RecordListOptions<Conversation>

  @Option(help: "Only over this channel.")
  var channel = ""

  func run(_ session: Session) async throws {
    var request = try await self.records.request(session)
    request.channel = self.channel
    try await session.show(page: try await session.ask(request), showsOwner: self.records.person == nil)
  }
}
