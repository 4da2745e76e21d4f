internal import ArgumentParser

struct ChannelsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channels",
    abstract: "Channels for summaries and reminders, and the queue of messages.",
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
