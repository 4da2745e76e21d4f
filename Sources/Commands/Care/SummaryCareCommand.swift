internal import ArgumentParser
internal import KithMessages

struct SummaryCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary", abstract: "Print the summary of a day, to be handed on.",
    discussion: "Example: kith care summary --day 2026-11-20 --lang ja")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Option(help: "A day as YYYY-MM-DD; today when left out.")
  var day = ""

  func carryOut(_ session: Session) async throws {
    var request = CareSummaryRequest()
    request.day = self.day
    request.language = self.tongue.lang?.rawValue ?? ""
    let reply = try await session.ask(request)
    // The text ends with a line feed, and the console adds one to each line.
    try session.show(reply, [String(reply.text.dropLast())])
  }
}
