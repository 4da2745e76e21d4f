internal import ArgumentParser
internal import KithMessages

struct ServicesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "services", abstract: "List the methods that kithd serves.", discussion: "Example: kith services")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ServicesRequest())
    try session.show(reply, Self.lines(reply, session.console.style))
  }

  private static func lines(_ reply: ServicesReply, _ style: Style) -> [String] {
    guard !reply.services.isEmpty else { return ["No services found."] }
    var table = Table(("METHOD", .left), ("ROLES", .left), ("CHANGES", .left), ("WORKERS", .right))
    for service in reply.services {
      table.add(
        service.name, service.roles.joined(separator: ", "), service.mutating ? "yes" : "no", "\(service.workers)")
    }
    return table.lines(style)
  }
}
