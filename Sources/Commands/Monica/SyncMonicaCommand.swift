internal import ArgumentParser
internal import Bus
internal import KithMessages

struct SyncMonicaCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Send waiting changes, read new ones, and wait for the result.",
    discussion: """
      Ctrl-C does not stop the sync: kithd continues, and `kith monica status` shows it.
      Prints why changes are not on the server yet, and what to do. Exits with 0 if the sync reached its end, even if the
      server refused changes; with 1 if the server failed; with 4 if it no longer accepts the token.
      Example: kith monica sync
      """)

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Read every list from end to end, so that no edit or deletion is missed.")
  var full = false

  @Flag(help: "Only send changes.")
  var pushOnly = false

  func validate() throws {
    if self.full, self.pushOnly {
      throw ValidationError("--full reads everything and --push-only reads nothing. Give one.")
    }
  }

  func run(_ session: Session) async throws {
    var request = MonicaSyncRequest()
    request.full = self.full
    request.pushOnly = self.pushOnly
    let status = try await session.ask(request, drawing: session.language("sync", "同期"))
    let left = session.isJSON ? [] : try await self.left(by: status, session)
    try await session.show(status, MonicaReport(status).sync(session) + left)
    if status.sync.state == .error {
      throw ExitCode(ExitStatus(Failure(status: status.sync.error)).rawValue)
    }
  }

  /// Why changes are not on the server, for each of the first ones.
  private func left(by status: MonicaStatus, _ session: Session) async throws(Failure) -> [String] {
    guard status.pending + status.failed > 0 else { return [] }
    let (waiting, say) = (try await self.waiting(session), session.language)
    guard !waiting.isEmpty else { return ["  " + say("All of them have arrived since.", "その後すべて届きました。")] }
    let named = waiting.prefix(Self.mostNamed)
    return named.map { "  \($0.reasonLine(session))" }
      + (waiting.count > named.count ? ["  " + say("To see all of them:", "すべて見るには:") + " kith monica queue"] : [])
      + (named.contains { $0.knownState == .failed }
        ? ["  " + say("After correcting that:", "直したあとで:") + " kith monica retry"] : [])
  }

  /// The first changes that wait or were refused, at least one more than are printed. The queue has conflicts too.
  private func waiting(_ session: Session) async throws(Failure) -> [QueueEntry] {
    var waiting: [QueueEntry] = []
    var request = QueueRequest()
    repeat {
      let reply = try await session.ask(request)
      waiting += reply.entries.filter { $0.knownState != .conflict }
      request.cursor = reply.nextCursor
    } while waiting.count <= Self.mostNamed && !request.cursor.isEmpty
    return waiting
  }

  /// The number of changes that are printed.
  private static let mostNamed = 5
}
