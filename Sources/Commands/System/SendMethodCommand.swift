internal import ArgumentParser
internal import Bus
internal import Help
internal import KithClient
internal import KithMessages

/// Sends any method of the hub with a message in JSON, for what has no command of its own.
struct SendMethodCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "method", abstract: "Send any method with a message in JSON, and print its reply.",
    discussion: """
      The word `method` may be left out. docs/services.md has all methods with their messages.
      Example: kith call Care/List '{"limit": 3}'
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The method, such as Care/List.")
  var method: String?

  @Argument(help: "The message in proto3 JSON, or - for standard input. Default: an empty message.")
  var message = "{}"

  @Option(help: "A key of your own: the same command under it acts once, however often it is sent.")
  var idempotencyKey = ""

  func run(_ session: Session) async throws {
    guard let method = self.method else { throw CleanExit.helpRequest(CallCommand.self) }
    let name = method.hasPrefix("kith.v1.") ? method : "kith.v1.\(method)"
    guard let known = Methods.all.first(where: { $0.name == name }) else {
      let calls = try? CommandTree.path(in: KithCommand.self, ["call"]).last
      if !method.contains("/"), let near = calls?.command(near: method) {
        throw ValidationError(
          session.language(
            "`kith call` has no command '\(Printable.text(method))'. Did you mean: kith call \(near)",
            "「kith call」に「\(Printable.text(method))」はありません。もしかして: kith call \(near)"))
      }
      throw Failure.invalid(
        field: "method",
        session.language(
          "'\(method.prefix(64))' is neither a command of `kith call` nor a method, such as Care/List. docs/services.md has "
            + "all methods.",
          "「\(method.prefix(64))」は `kith call` のコマンドでも Care/List のようなメソッドでもありません。メソッドの一覧は docs/services.md にあります。")
      ).worded
    }
    var body = Array(self.message.utf8)
    if self.message == InputFile.standardInput {
      let most = 8 << 20
      guard let bytes = InputFile.readStandardInput(upTo: most), bytes.count <= most else {
        throw Failure.invalid(
          field: "message",
          session.language(
            "cannot be read from standard input, or has more than 8 MiB.", "標準入力から読めないか、8 MiB を超えています。")
        ).worded
      }
      body = bytes
    }
    var command = ForwardedCommand(method: known, encoding: .json, body: body)
    command.idempotencyKey = self.idempotencyKey
    let answer = try await session.client.forward(command)
    guard answer.status.code == .ok else { throw Failure(status: answer.status) }
    session.console.print(String(decoding: answer.body, as: UTF8.self))
  }
}
