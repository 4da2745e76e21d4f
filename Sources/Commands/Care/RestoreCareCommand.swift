internal import ArgumentParser
internal import KithMessages

struct RestoreCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a deleted entry.",
    discussion: "Example: kith care restore 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The entry's id.")
  var id: String

  func carryOut(_ session: Session) async throws {
    var request = RestoreCareRequest()
    request.id = self.id
    let reply = try await session.ask(request)
    try session.show(reply, CareCard(reply.record).lines(session))
  }
}
