internal import ArgumentParser
internal import KithMessages

struct PingCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "ping", abstract: "Ask whether kithd answers.", discussion: "Example: kith ping")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let start = ContinuousClock.now
    let reply = try await session.ask(PingRequest())
    let microseconds = (ContinuousClock.now - start) / .microseconds(1)
    try await session.show(
      reply,
      [
        session.language(
          "kithd answers in \(Int(microseconds.rounded())) µs.", "kithd が \(Int(microseconds.rounded())) µs で応答しました。")
      ])
  }
}

struct WhoamiCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show as whom kithd knows you, and your role.", discussion: "Example: kith whoami")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(WhoamiRequest())
    try await session.show(
      reply,
      ["\(Printable.text(reply.name)) (\(Printable.text(reply.principal))), \(session.language.role(reply.role))"])
  }
}

struct ServicesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "services", abstract: "List the methods that kithd serves.", discussion: "Example: kith services")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ServicesRequest())
    try await session.show(reply, Self.lines(reply, session))
  }

  private static func lines(_ reply: ServicesReply, _ session: Session) -> [String] {
    let say = session.language
    guard !reply.services.isEmpty else { return [say("No services found.", "メソッドはありません。")] }
    var table = Table([
      Column("METHOD", "メソッド"), Column("ROLES", "権限", wraps: true), Column("CHANGES", "変更"),
      Column("WORKERS", "ワーカー", .right, drops: 1),
    ])
    for service in reply.services {
      table.add(
        JobCard.short(service.name), service.roles.map(say.role).joined(separator: say(", ", "、")),
        service.mutating ? say("yes", "はい") : say("no", "いいえ"), "\(service.workers)")
    }
    return table.lines(session)
  }
}
