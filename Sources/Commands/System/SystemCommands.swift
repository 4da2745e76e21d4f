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
    try await session.show(reply, ["kithd answers in \(Int(microseconds.rounded())) µs."])
  }
}

struct WhoamiCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show as whom kithd knows you, and your role.", discussion: "Example: kith whoami")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(WhoamiRequest())
    try await session.show(reply, ["\(Printable.text(reply.name)) (\(Printable.text(reply.principal))), \(reply.role)"])
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
    guard !reply.services.isEmpty else { return ["No services found."] }
    var table = Table([
      Column("METHOD"), Column("ROLES", wraps: true), Column("CHANGES"), Column("WORKERS", .right, drops: 1),
    ])
    for service in reply.services {
      table.add(
        service.name, service.roles.joined(separator: ", "), service.mutating ? "yes" : "no", "\(service.workers)")
    }
    return table.lines(session)
  }
}
