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
    try session.show(reply, ["kithd answers in \(Int(microseconds.rounded())) µs."])
  }
}
