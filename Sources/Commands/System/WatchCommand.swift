internal import ArgumentParser
internal import Bus
internal import KithClient
internal import KithMessages

struct WatchCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show events as they happen.",
    discussion: """
      No event is missed: lost ones are requested again. Ctrl-C ends it.
      Example: kith watch sync --since sync=120 --count 5
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Streams, such as sync, contacts, system. Default: all.")
  var streams: [String] = []

  @Option(help: ArgumentHelp("Begin after this event of a stream.", valueName: "stream=seq"))
  var since: [SinceArgument] = []

  @Option(help: "End after this number of events.")
  var count: Int?

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number of at least 1.") }
  }

  func run(_ session: Session) async throws {
    var streams = self.streams + self.since.map(\.stream).filter { !self.streams.contains($0) }
    if streams.isEmpty { streams = try await session.ask(HelloRequest()).heads.map(\.stream) }
    let events = try session.client.events(streams, since: self.since.map(\.position))
    let printer = EventPrinter(session: session, resumed: Set(self.since.map(\.stream)))
    let limit = self.count
    try await Interrupt.cancelling {
      var printer = printer
      for try await element in events {
        try await printer.print(element)
        if let limit, printer.count >= limit { break }
      }
      printer.end()
    }
  }
}

/// The argument `STREAM=SEQ`.
struct SinceArgument: ExpressibleByArgument, Sendable {
  let stream: String
  let sequence: UInt64

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, !parts[0].isEmpty, let sequence = UInt64(parts[1]) else { return nil }
    self.stream = String(parts[0])
    self.sequence = sequence
  }

  var position: StreamPosition {
    var position = StreamPosition()
    position.stream = self.stream
    position.seq = self.sequence
    return position
  }
}
