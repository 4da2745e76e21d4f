internal import ArgumentParser
internal import KithMessages

struct ContactsStatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of each source.", discussion: "Example: kith contacts status")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(SyncStatusRequest())
    try session.show(reply, SourceStates(reply.sources).lines(session))
  }
}
