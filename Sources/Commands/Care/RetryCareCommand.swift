internal import ArgumentParser
internal import KithMessages

struct RetryCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Transcribe the kept sound of an entry again.",
    discussion: "Example: kith care retry 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10 --language ja-JP")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The entry's id.")
  var id: String

  @Option(help: "The spoken language. Default: as before.")
  var language = ""

  func carryOut(_ session: Session) async throws {
    var request = TranscribeAgainRequest()
    request.id = self.id
    request.language = self.language
    let reply = try await session.ask(request)
    try session.show(reply, CareCard(reply.record).lines(session))
  }
}
