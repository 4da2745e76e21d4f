internal import ArgumentParser
internal import KithMessages

struct ShowCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one entry with its earlier versions.",
    discussion: "Example: kith care show 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The entry's id, as lists show it.")
  var id: String

  func carryOut(_ session: Session) async throws {
    var request = GetCareRequest()
    request.id = self.id
    let reply = try await session.ask(request)
    try session.show(reply, CareCard(reply.record).lines(session))
  }
}
