internal import ArgumentParser
internal import Bus
internal import KithClient
internal import KithMessages

struct SummaryCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary", abstract: "Print the summary of a day.",
    discussion: "Example: kith care summary --day 2026-11-20 --lang ja")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Option(help: "A day as YYYY-MM-DD. Default: today.")
  var day = ""

  func carryOut(_ session: Session) async throws {
    var request = CareSummaryRequest()
    request.day = self.day
    request.language = self.tongue.lang?.rawValue ?? ""
    let reply = try await session.summary(request)
    // The text ends with a line feed, and the console adds one to each line.
    try session.show(reply, [String(reply.text.dropLast())])
  }
}

extension Session {
  /// Asks for the summary of a day, and fetches the text of a long one.
  func summary(_ request: CareSummaryRequest) async throws(Failure) -> CareSummaryReply {
    var reply = try await self.ask(request)
    guard reply.hasBlob else { return reply }
    var text: [UInt8] = []
    try await self.client.download(reply.blob) { piece throws(Failure) in text += piece }
    reply.text = String(decoding: text, as: UTF8.self)
    reply.clearBlob()
    return reply
  }
}
