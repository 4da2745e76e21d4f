internal import ArgumentParser
internal import KithMessages

struct SyncContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Bring the store in step with the sources, and wait until it is.",
    discussion: """
      Leaving with Ctrl-C does not stop the sync: kithd goes on, and `kith contacts status` shows it.
      Exits with 1 where a source failed.
      Example: kith contacts sync home
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The source. None named: all.")
  var name: String?

  @Flag(help: "Read every card again, changed or not.")
  var full = false

  @Flag(help: "Carry out the deletions of this source that were held back before.")
  var allowMassDelete = false

  func run(_ session: Session) async throws {
    var request = SyncRequest()
    request.sources = self.name.map { [$0] } ?? []
    request.full = self.full
    request.allowMassDelete = self.allowMassDelete
    let reply = try await session.ask(request, drawing: "sync")
    try session.show(reply, SourceStates(reply.sources).lines(session))
    if reply.sources.contains(where: { $0.state == .error }) { throw ExitCode(ExitStatus.failed.rawValue) }
  }
}
