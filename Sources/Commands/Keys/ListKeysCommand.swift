internal import ArgumentParser
internal import KithMessages

struct ListKeysCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List approved and revoked keys.", discussion: "Example: kith keys list"
  )

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(KeysListRequest())
    try session.show(reply, Self.lines(reply, session))
  }

  private static func lines(_ reply: KeysListReply, _ session: Session) -> [String] {
    var lines = ["No keys found. On the other machine: kith keys new --file FILE"]
    if !reply.keys.isEmpty {
      var table = Table(
        [
          ("NAME", .left), ("ROLE", .left), ("STATE", .left), ("FINGERPRINT", .left), ("SERVICES", .left),
          ("EXPIRES", .left), ("LAST SEEN", .left), ("FROM", .left),
        ], hidesEmpty: true)
      for key in reply.keys {
        table.add(
          key.name, key.role, key.state, key.fingerprint,
          key.services.map { $0.split(separator: ".").last ?? "" }.joined(separator: ", "),
          session.ago(key.expires), session.ago(key.lastSeen), key.lastAddress)
      }
      lines = table.lines(session.console.style)
    }
    if !reply.pending.isEmpty {
      lines += [
        "", "\(Count.of(reply.pending.count, "key")) \(reply.pending.count == 1 ? "waits" : "wait"): kith keys pending",
      ]
    }
    return lines
  }
}

struct PendingKeysCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending", abstract: "List keys that wait for approval.",
    discussion: "Example: kith keys pending")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    var reply = try await session.ask(KeysListRequest())
    reply.keys = []
    try session.show(reply, Self.lines(reply.pending, session))
  }

  private static func lines(_ pending: [KeyInfo], _ session: Session) -> [String] {
    guard !pending.isEmpty else { return ["No keys wait."] }
    var table = Table(("FINGERPRINT", .left), ("LAST SEEN", .left), ("FROM", .left))
    for key in pending { table.add(key.fingerprint, session.ago(key.lastSeen), key.lastAddress) }
    return table.lines(session.console.style) + [
      "",
      "Compare the fingerprint with what `kith keys new` printed there, then: kith keys approve FINGERPRINT --name NAME",
    ]
  }
}
