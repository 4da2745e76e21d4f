internal import ArgumentParser
internal import KithMessages

struct SyncContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Read changes from the sources, and wait for the result.",
    discussion: """
      Ctrl-C does not stop the sync: kithd continues, and `kith contacts status` shows it.
      Exits with 1 if a source failed.
      Example: kith contacts sync home
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The source. Default: all.")
  var name: String?

  @Flag(help: "Read every card again, also unchanged ones.")
  var full = false

  @Flag(help: "Carry out the deletions of this source that an earlier pass held back.")
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
