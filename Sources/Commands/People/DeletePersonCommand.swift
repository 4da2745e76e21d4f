internal import ArgumentParser
internal import KithMessages

struct DeletePersonCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a person and everything that belongs to them.",
    discussion: "Example: kith people delete ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    var request = DeletePersonRequest()
    request.id = try await self.person.exactID(session)
    var names = PersonNames()
    await names.learn(request.id, session)
    try self.confirmation.ask("Delete \(Printable.text(names[request.id])) and everything of them?", session)
    try await session.showDeleted(try await session.ask(request))
  }
}
