internal import ArgumentParser
internal import Bus
internal import KithMessages

struct ChannelsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channels",
    abstract: "Channels for summaries and reminders, and the queue of messages.",
    discussion: """
      A channel is used only if `kith care share --to` or `kith remind settings` names it.
      Example: kith channels add phone --ntfy family-care
      """,
    subcommands: [
      AddChannelCommand.self, ListChannelsCommand.self, ConfigureChannelCommand.self, TestChannelCommand.self,
      LoginChannelCommand.self,
      RemoveChannelCommand.self, DeliveriesCommand.self, RetryDeliveryCommand.self, DiscardDeliveryCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ListChannelsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the channels.", discussion: "Example: kith channels list")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ListChannelsRequest())
    try await session.show(reply, Self.lines(reply.channels, session))
  }

  private static func lines(_ channels: [Channel], _ session: Session) -> [String] {
    let say = session.language
    guard !channels.isEmpty else {
      return [
        say(
          "No channels found. Add one: kith channels add phone --ntfy TOPIC",
          "送り先はありません。追加するには: kith channels add phone --ntfy TOPIC")
      ]
    }
    var table = Table([
      Column("NAME", "名前"), Column("KIND", "種類"),
      Column("WHERE", "宛先", wraps: true),
      Column("LAST", "最後の送信", drops: 1),
    ])
    for channel in channels {
      let last =
        channel.hasLast ? "\(channel.last.stateInWords(session)) \(session.relative(channel.last.createdAt))" : "-"
      table.add(channel.name, channel.place.kind, channel.place.address, last)
    }
    return table.lines(session)
  }
}

struct ConfigureChannelCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Change how a channel is used.",
    discussion: "Example: kith channels settings phone --short-summary")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The channel.", completion: Completion.channels)
  var name: String

  @Flag(inversion: .prefixedNo, help: "Send summaries of care without their list of memos.")
  var shortSummary: Bool

  func run(_ session: Session) async throws {
    var request = ConfigureChannelRequest()
    request.name = self.name
    request.shortSummary = self.shortSummary
    let channel = try await session.ask(request)
    let name = Printable.text(channel.name)
    try await session.show(
      channel,
      [
        channel.shortSummary
          ? session.language("Summaries over \(name) are short.", "\(name) には短いまとめを送ります。")
          : session.language("Summaries over \(name) have the list of memos.", "\(name) にはメモの一覧も送ります。")
      ])
  }
}

struct TestChannelCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Send a short message over a channel now, and show the result.",
    discussion: "Example: kith channels test phone")

  static let columns = DeliveryTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The channel.", completion: Completion.channels)
  var name: String

  func run(_ session: Session) async throws {
    var request = TestChannelRequest()
    request.name = self.name
    request.language = self.global.lang?.rawValue ?? ""
    let reply = try await session.ask(request)
    let isDelivered = reply.delivery.knownState == .delivered
    let name = Printable.text(self.name)
    let hint = session.language(
      "A test is not retried. After correcting the channel: kith channels test \(name)",
      "テストは再送されません。直してから、もう一度: kith channels test \(name)")
    try await session.show(reply, DeliveryTable([reply.delivery]).lines(session) + (isDelivered ? [] : ["", hint]))
    guard isDelivered else { throw ExitCode(ExitStatus.failed.rawValue) }
  }
}

struct LoginChannelCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Change the password or token of a channel.",
    discussion: """
      kith asks for the secret, and never takes it from the command line.
      Example: kith channels login family
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The channel.", completion: Completion.channels)
  var name: String

  @Option(help: InputFile.secretHelp("secret"), completion: .file())
  var secretFile: String?

  func run(_ session: Session) async throws {
    var request = SetChannelCredentialsRequest()
    request.name = self.name
    if let secretFile, secretFile != InputFile.standardInput {
      (request.secret, request.secretFile) = try session.secret(inFile: secretFile)
    } else {
      request.secret = try session.console.askSecret(
        session.language("Password or token of \(self.name): ", "\(self.name) のパスワードまたはトークン: "), kind: "secret",
        file: self.secretFile, session.language)
    }
    let channel = try await session.ask(request)
    let name = Printable.text(channel.name)
    try await session.show(
      channel,
      [session.language("Saved. Try it: kith channels test \(name)", "登録しました。試すには: kith channels test \(name)")])
  }
}

struct RemoveChannelCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a channel and its secret. Its waiting messages are discarded.",
    discussion: "Example: kith channels remove phone")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var confirmation: Confirmation

  @Argument(help: "The channel.", completion: Completion.channels)
  var name: String

  func run(_ session: Session) async throws {
    let channels = try await session.ask(ListChannelsRequest()).channels
    try self.confirmation.ask(
      session.language(
        "Remove the channel \(Printable.text(self.name))?", "送り先 \(Printable.text(self.name)) を削除しますか?"),
      isThere: channels.contains { $0.name == self.name }, session)
    var request = RemoveChannelRequest()
    request.name = self.name
    let reply = try await session.ask(request)
    let count = Int(reply.discarded)
    try await session.show(
      reply,
      [
        session.language(
          "Removed. \(Count.of(count, "waiting message")) discarded.", "削除しました。待っていた\(count)件は取り消されました。")
      ])
  }
}

extension Channel {
  /// Its kind and its destination, for a list.
  var place: (kind: String, address: String) {
    switch self.kind {
    case .mail(let mail): ("mail", mail.to.joined(separator: ", "))
    case .line(let line): ("LINE", line.to)
    case .ntfy(let ntfy): ("ntfy", "\(ntfy.address.isEmpty ? "https://ntfy.sh" : ntfy.address)/\(ntfy.topic)")
    case .webhook(let webhook): ("webhook", webhook.address)
    case .command(let command): ("command", command.program)
    case .desktop: ("desktop", "")
    case .push(let push): ("push", push.device)
    case nil: ("", "")
    }
  }
}
