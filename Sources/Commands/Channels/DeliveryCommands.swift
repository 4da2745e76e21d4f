internal import ArgumentParser
internal import Bus
internal import KithMessages

struct DeliveriesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "deliveries", abstract: "List deliveries of the last 30 days, newest first.",
    discussion: "Example: kith channels deliveries --channel phone --state failed")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var page: PageOptions

  @Option(help: "Only of this channel.", completion: Completion.channels)
  var channel = ""

  @Option(help: "Only pending, sending, delivered, failed, unknown or discarded.")
  var state = ""

  func run(_ session: Session) async throws {
    var request = ListDeliveriesRequest()
    request.channel = self.channel
    request.state = DeliveryState.name(typed: self.state)
    let reply = try await self.page.ask(request, session)
    try await session.show(
      reply, DeliveryTable(reply.deliveries).lines(session) + PageOptions.more(reply.nextCursor, session.language))
  }
}

struct RetryDeliveryCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Retry a message that failed or may not have arrived.",
    discussion: "Example: kith channels retry last")

  static let columns = DeliveryTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<DeliveryEntry>

  func run(_ session: Session) async throws {
    var request = RetryDeliveryRequest()
    request.id = try await self.target.id(session)
    let entry = try await session.ask(request)
    try await session.show(entry, DeliveryTable([entry]).lines(session))
  }
}

struct DiscardDeliveryCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Discard a message that waits or failed.",
    discussion: "Example: kith channels discard last")

  static let columns = DeliveryTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<DeliveryEntry>

  func run(_ session: Session) async throws {
    var request = DiscardDeliveryRequest()
    request.id = try await self.target.id(session)
    let entry = try await session.ask(request)
    try await session.show(entry, DeliveryTable([entry]).lines(session))
  }
}

/// Deliveries as table rows, with the reasons of failures below.
struct DeliveryTable {
  static let columns = [
    Column("WHEN", "いつ"), Column("CHANNEL", "送り先"), Column("WHAT", "内容", wraps: true), Column("STATE", "状態"),
    Column("ID"),
  ]

  private let entries: [DeliveryEntry]

  init(_ entries: [DeliveryEntry]) { self.entries = entries }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    guard !self.entries.isEmpty else { return [say("Nothing was sent yet.", "まだ何も送っていません。")] }
    var table = Table(Self.columns)
    for entry in self.entries {
      let part = entry.parts > 1 ? " (\(entry.part)/\(entry.parts))" : ""
      table.add(
        session.relative(entry.createdAt), entry.channel, entry.title + part, entry.stateInWords(session),
        session.ids[entry.id])
    }
    let reasons = self.entries.filter { $0.hasError }.map { entry in
      "\(entry.channel): \(Failure(status: entry.error).read(in: say).message)"
    }
    let shown = reasons.enumerated().filter { index, reason in reasons.firstIndex(of: reason) == index }.map(\.element)
    return table.lines(session) + (shown.isEmpty ? [] : [""] + shown.flatMap(Printable.lines))
  }
}

extension DeliveryEntry {
  /// The state in words.
  func stateInWords(_ session: Session) -> String {
    let say = session.language
    guard let state = self.knownState else { return self.state }
    guard state == .pending, self.attempts > 0 else { return state.words(say) }
    return say("next attempt \(session.next(self.nextAttemptAt))", "再送待ち (\(session.next(self.nextAttemptAt)))")
  }
}
