internal import ArgumentParser

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Keys of other machines: who may come in over the network, and as what.",
    discussion: "Example: kith keys pending",
    subcommands: [
      ListKeysCommand.self, PendingKeysCommand.self, ApproveKeyCommand.self, RevokeKeyCommand.self,
      NewKeyCommand.self, ShowServerKeyCommand.self, InitKeysCommand.self, RotateKeysCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
