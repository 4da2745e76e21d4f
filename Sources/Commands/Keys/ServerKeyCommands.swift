internal import ArgumentParser
internal import KithClient
internal import KithMessages

struct ShowServerKeyCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the public key of kithd, and its addresses for other machines.",
    discussion: "Example: kith keys show")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let key = try await session.ask(ServerKeyRequest())
    try await session.show(key, ServerKeyReport.lines(key, session))
  }
}

struct InitKeysCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make the key of kithd if it has none, and show its public half.",
    discussion: """
      kithd makes it when it first serves other machines. Use this command to give them the public half before.
      Example: kith keys init
      """)

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let key = try await session.ask(KeysInitRequest())
    try await session.show(key, ServerKeyReport.lines(key, session))
  }
}

struct RotateKeysCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Make a new key for kithd; the old one is valid until the overlap ends.",
    discussion: """
      Clients that connect before the overlap ends receive and store the new key. Give it to all others by hand.
      Example: kith keys rotate --overlap 7d
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("How long both are valid. Default: 7d; 0 = the old one ends now.", valueName: "7d, 12h, 10m"))
  var overlap: SpanArgument?

  func run(_ session: Session) async throws {
    var request = KeyRotateServerRequest()
    if let overlap { request.overlap = overlap.duration }
    let key = try await session.ask(request)
    try await session.show(key, ServerKeyReport.lines(key, session))
  }
}

/// The key of kithd as lines.
enum ServerKeyReport {
  static func lines(_ key: ServerKey, _ session: Session) -> [String] {
    guard !key.publicKeyZ85.isEmpty else { return ["kithd has no key yet. Make one: kith keys init"] }
    let publicKey = KeySpelling.hex(key.publicKeyZ85)
    var lines = ["Public key   \(publicKey)", "Fingerprint  \(key.fingerprint)"]
    if !key.nextPublicKeyZ85.isEmpty {
      lines.append("Next key     \(KeySpelling.hex(key.nextPublicKeyZ85)), from \(session.moment(key.overlapEnds))")
    }
    for endpoint in key.endpoints { lines.append("Served at    \(Printable.text(endpoint))") }
    for endpoint in key.nextEndpoints { lines.append("Next key at  \(Printable.text(endpoint))") }
    if !key.fault.isEmpty {
      lines.append("Not served   \(session.console.style.bad(Printable.text(key.fault)))")
    } else if key.endpoints.isEmpty {
      lines.append("Not served   tcp.address is not set: docs/operations.md")
    } else {
      lines += [
        "", "To connect from another machine, run there:",
        "kith keys new --file ~/.config/kith/key --server-key \(publicKey)",
      ]
    }
    return lines
  }
}
