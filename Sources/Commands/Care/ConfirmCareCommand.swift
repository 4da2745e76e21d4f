internal import ArgumentParser
internal import KithMessages

struct ConfirmCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Confirm the transcript of an entry.",
    discussion: "Example: kith care confirm 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10 --category medication")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The entry's id.")
  var id: String

  @Option(help: "The category, if it was recognised wrongly.")
  var category = ""

  func carryOut(_ session: Session) async throws {
    var request = ConfirmCareRequest()
    request.id = self.id
    request.category = self.category
    let reply = try await session.ask(request)
    try session.show(reply, CareCard(reply.record).lines(session))
  }
}
