internal import ArgumentParser
internal import KithMessages

struct SearchCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find entries by words of transcript and memo, newest first.",
    discussion: "Example: kith care search compress")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The text to search for.")
  var text: [String]

  @Option(help: "How many, at most 500.")
  var limit: UInt32 = 50

  @Option(help: "Continue an earlier search: its cursor.")
  var cursor = ""

  func carryOut(_ session: Session) async throws {
    var request = SearchCareRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.limit
    request.cursor = self.cursor
    let reply = try await session.ask(request)
    try session.show(reply, CareTable(reply).lines(session))
  }
}
