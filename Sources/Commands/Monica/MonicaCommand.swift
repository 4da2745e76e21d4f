internal import ArgumentParser

struct MonicaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monica", abstract: "The account on a Monica server, and the changes that wait for it.",
    discussion: "Example: kith monica sync",
    subcommands: [
      LoginMonicaCommand.self, MonicaStatusCommand.self, LogoutMonicaCommand.self, SwitchMonicaCommand.self,
      SyncMonicaCommand.self, QueueCommand.self, RetryQueueCommand.self, ClearQueueCommand.self, ConflictsCommand.self,
      ResolveConflictCommand.self, ForgetCommand.self, CatalogCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
