internal import ArgumentParser
internal import Bus
internal import KithMessages

struct SyncMonicaCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Send what waits, fetch what changed, and wait until that is done.",
    discussion: """
      Leaving with Ctrl-C does not stop the sync: kithd goes on, and `kith monica status` shows it.
      Exits with 1 where the server failed, with 4 where it no longer accepts the token.
      Example: kith monica sync
      """)

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Read every list whole, so that each edit and each deletion is seen.")
  var full = false

  @Flag(help: "Send only.")
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
    let status = try await session.ask(request, drawing: "sync")
    try session.show(status, MonicaReport(status).sync(session))
    if status.sync.state == .error {
      throw ExitCode(ExitStatus(Failure(status: status.sync.error)).rawValue)
    }
  }
}
