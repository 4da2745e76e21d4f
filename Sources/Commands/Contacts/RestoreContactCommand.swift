internal import ArgumentParser
internal import KithMessages

struct RestoreContactCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a deleted contact.",
    discussion: """
      It stays even if its card is missing in the source. `kith contacts list --deleted` shows the ids.
      Example: kith contacts restore 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The contact's id.")
  var id: String

  func run(_ session: Session) async throws {
    var request = RestoreContactRequest()
    request.id = self.id
    let reply = try await session.ask(request)
    try session.show(reply, ["Restored \(Printable.text(reply.contact.shownName))."])
  }
}
