internal import ArgumentParser

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Keys of other machines: which may connect over the network, and in which role.",
    discussion: "Example: kith keys pending",
    subcommands: [
      ListKeysCommand.self, PendingKeysCommand.self, ApproveKeyCommand.self, RevokeKeyCommand.self,
      NewKeyCommand.self, ShowServerKeyCommand.self, InitKeysCommand.self, RotateKeysCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
