internal import ArgumentParser

struct ChannelsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channels",
    abstract: "The ways in which summaries and reminders reach people, and what is on its way.",
    discussion: """
      A channel is used when `kith care share --to` or `kith remind settings` names it, and never else.
      Example: kith channels add phone --ntfy family-care
      """,
    subcommands: [
      AddChannelCommand.self, ListChannelsCommand.self, TestChannelCommand.self, LoginChannelCommand.self,
      RemoveChannelCommand.self, DeliveriesCommand.self, RetryDeliveryCommand.self, DiscardDeliveryCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
