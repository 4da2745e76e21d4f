internal import ArgumentParser
internal import KithMessages

struct ShowContactCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show all fields of one contact, even if it is deleted.",
    discussion: "Example: kith contacts show 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The contact's id, as lists show it.")
  var id: String

  func run(_ session: Session) async throws {
    var request = GetContactRequest()
    request.id = self.id
    let reply = try await session.ask(request)
    try session.show(reply, ContactCard(reply.contact).lines(session))
  }
}
