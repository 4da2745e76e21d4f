internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages

struct ShareCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Send a report of calls over a channel: counts, and a line for each call.",
    discussion: """
      It is sent in the background; `kith channels deliveries` shows the result. `kith call export --format pdf` writes one to print.
      Example: kith call share --during 'last month' --channel family
      """)

  @OptionGroup var global: GlobalOptions

  @OptionGroup var filter: CallFilterOptions

  @Option(name: .customLong("channel"), help: "A channel to send it over; may be repeated.")
  var channels: [String]

  @Option(help: "The language of the report. Default: that of the locale.")
  var lang = Language.ofLocale

  func run(_ session: Session) async throws {
    var request = ShareCallsRequest()
    request.filter = try await self.filter.filter(session)
    request.timeZone = session.zone.name
    request.language = self.lang.rawValue
    request.channels = self.channels
    let reply = try await session.ask(request)
    try await session.show(reply, DeliveryTable(reply.deliveries).lines(session))
  }
}
