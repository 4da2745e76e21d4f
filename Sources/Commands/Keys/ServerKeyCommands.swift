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
    let say = session.language
    guard !key.publicKeyZ85.isEmpty else {
      return [say("kithd has no key yet. Make one: kith keys init", "kithd の鍵はまだありません。作るには: kith keys init")]
    }
    let publicKey = KeySpelling.hex(key.publicKeyZ85)
    var lines = [
      say("Public key   ", "公開鍵       ") + "\(publicKey)", say("Fingerprint  ", "指紋         ") + "\(key.fingerprint)",
    ]
    if !key.nextPublicKeyZ85.isEmpty {
      lines.append(
        say("Next key     ", "次の鍵       ") + "\(KeySpelling.hex(key.nextPublicKeyZ85))" + say(", from ", "、開始: ")
          + session.moment(key.overlapEnds))
    }
    for endpoint in key.endpoints { lines.append(say("Served at    ", "アドレス     ") + "\(Printable.text(endpoint))") }
    for endpoint in key.nextEndpoints { lines.append(say("Next key at  ", "次の鍵の場所 ") + "\(Printable.text(endpoint))") }
    if !key.fault.isEmpty {
      lines.append(say("Not served   ", "停止中       ") + "\(session.console.style.bad(Printable.text(key.fault)))")
    } else if key.endpoints.isEmpty {
      lines.append(
        say("Not served   ", "停止中       ")
          + say("tcp.address is not set: docs/operations.md", "tcp.address が設定されていません: docs/operations.md"))
    } else {
      lines += [
        "", say("To connect from another machine, run there:", "別のマシンからつなぐには、そのマシンで:"),
        "kith keys new --file ~/.config/kith/key --server-key \(publicKey)",
      ]
    }
    return lines
  }
}
