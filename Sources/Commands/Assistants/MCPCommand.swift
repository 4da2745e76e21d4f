internal import ArgumentParser
internal import Assistants
internal import Bus
internal import Dispatch
internal import Glibc
internal import KithClient
internal import KithMessages
internal import Secrets

struct MCPCommand: HubCommand {
  /// The roles of assistants.
  enum AssistantRole: String, ExpressibleByArgument, CaseIterable {
    case viewer, recorder
  }

  static let configuration = CommandConfiguration(
    commandName: "mcp", abstract: "Serve the tools of an assistant on standard input and output.",
    discussion: """
      An assistant starts this command by itself; it speaks the Model Context Protocol. docs/assistants.md says how to add it.
      With --token-file kithd knows the assistant as a device of its own and decides what it may do.
      Example: kith mcp --role recorder --name claude
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    help: "What the assistant may do: viewer reads, recorder records as well. Default: viewer, or that of its token.")
  var role: AssistantRole?

  @Option(help: "The name of the assistant, which its entries have. Default: assistant, or that of its token.")
  var name: String?

  @Option(help: "A file with the token of the assistant, readable by its owner only: kith web token --name claude.")
  var tokenFile: String?

  func validate() throws {
    guard let name else { return }
    guard (1...32).contains(name.unicodeScalars.count), Printable.text(name) == name else {
      throw ValidationError("--name takes 1 to 32 characters on one line.")
    }
  }

  /// Begins without kithd, which may come later: the assistant is told by its tools.
  func run() async throws {
    // The assistant's end ends the writing.
    signal(SIGPIPE, SIG_DFL)
    if isatty(STDIN_FILENO) == 1 { Console.standard.printError(self.waiting) }
    let connection = HubWhenAsked(self.global, token: try self.token())
    await self.serve(connection, .standard)
    await connection.close()
  }

  func run(_ session: Session) async throws { await self.serve(session.client, session.console) }

  /// For a person who starts it by hand, and sees nothing.
  private var waiting: String {
    (self.global.lang ?? .ofLocale)(
      "Waiting for the messages of an assistant. Assistants start this command by themselves: docs/assistants.md. Ctrl-D ends it.",
      "アシスタントからのメッセージを待っています。通常はアシスタントが起動します: docs/assistants.md。Ctrl-D で終了します。")
  }

  private func token() throws(Failure) -> String {
    guard let path = self.tokenFile.map(RuntimeLocations.absolute) else { return "" }
    guard let token = try SecretFile(path: path).read() else {
      throw Failure(.notFound, "FILE_MISSING", "There is no file \(path) on this machine. Check the path.")
    }
    return token
  }

  private func serve(_ port: some Port, _ console: Console) async {
    let (asked, name) = (self.role.map { Role(rawValue: $0.rawValue) ?? .viewer }, self.name)
    let hasToken = self.tokenFile != nil
    let server = AssistantServer(port) { () async throws(Failure) in
      guard hasToken else { return Assistant(name: name ?? "assistant", role: asked ?? .viewer) }
      let device = try await port.ask(WhoamiRequest())
      let own = device.knownRole ?? .viewer
      return Assistant(name: name ?? device.name, role: asked.map { own.covers($0) ? $0 : own } ?? own)
    }
    var lines = MessageLines()
    while let bytes = await Self.piece() {
      for line in lines.take(bytes) { await Self.answer(line, server, console) }
    }
    if let line = lines.end() { await Self.answer(line, server, console) }
  }

  private static func answer(_ line: MessageLines.Line, _ server: AssistantServer, _ console: Console) async {
    let answer: [UInt8]?
    switch line {
    case .message(let bytes): answer = await server.answer(bytes)
    case .tooLong: answer = AssistantServer.tooLarge
    }
    if let answer { console.print(String(decoding: answer, as: UTF8.self)) }
  }

  /// What has come over standard input; nil at its end.
  private static func piece() async -> [UInt8]? {
    await withCheckedContinuation { waiter in
      // Reading blocks, so it must not occupy a thread of the shared pool.
      DispatchQueue.global().async {
        let bytes = try? InputFile.piece(of: STDIN_FILENO, named: InputFile.standardInput, 64 << 10)
        waiter.resume(returning: bytes.flatMap { $0.isEmpty ? nil : $0 })
      }
    }
  }
}

/// The hub, connected to when it is first asked.
private actor HubWhenAsked: Port {
  private let options: GlobalOptions
  private let token: String
  private var client: KithClient?

  init(_ options: GlobalOptions, token: String) {
    self.options = options
    self.token = token
  }

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    var context = context
    context.token = self.token
    return try await self.connected().call(command, context)
  }

  func close() async { await self.client?.close() }

  private func connected() async throws(Failure) -> KithClient {
    if let client { return client }
    let client = try await self.options.connect()
    self.client = client
    return client
  }
}
