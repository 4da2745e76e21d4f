internal import ArgumentParser
internal import Bus
internal import KithClient
internal import KithMessages

/// A command that sends requests to kithd.
protocol HubCommand: AsyncParsableCommand {
  /// The options of every command.
  var global: GlobalOptions { get }
  /// The columns of the table that it prints after it has changed something: who names another one for `--columns` is told before.
  static var columns: [Column] { get }

  /// Does the work.
  ///
  /// - Throws: A ``Failure`` that is printed, or an exit code if everything was printed.
  func run(_ session: Session) async throws
}

extension HubCommand {
  static var columns: [Column] { [] }

  func run() async throws { try await self.runConnected() }

  /// Connects, does the work and disconnects.
  func runConnected() async throws {
    let client = try await self.global.connect()
    do {
      try await self.run(in: Session(client: client, console: .standard, self.global))
    } catch {
      await client.close()
      throw error
    }
    await client.close()
  }

  /// Checks `--columns`, and does the work.
  func run(in session: Session) async throws {
    try session.check(Self.columns)
    try await self.run(session)
  }
}

extension Session {
  /// Refuses what `--columns` names if the table of a command has no such column.
  func check(_ columns: [Column]) throws(Failure) {
    if !self.isJSON { try self.layout.check(columns, self.language) }
  }
}

/// The options of every command.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: "Where the sockets of kithd are. Default: $KITH_RUNTIME_DIR, else $XDG_RUNTIME_DIR/kith, else /run/kith.")
  var runtimeDir: String?

  @Option(
    help: ArgumentHelp(
      "A kithd on another machine, in place of the one here. Default: $KITH_HUB.", valueName: "tcp://host[:port]"))
  var hub: String?

  @Option(help: "The file of this machine's key, for --hub. Default: $KITH_KEY.", completion: .file())
  var key: String?

  // A key may begin with a hyphen.
  @Option(parsing: .unconditional, help: "The public key of that kithd, to store in the key file.")
  var serverKey: String?

  @Flag(help: "Print messages as proto3 JSON, streams one object a line; errors on standard error.")
  var json = false

  @Option(help: "ja or en: the language of the output and of errors. Default: that of the locale.")
  var lang: Language?

  @Flag(help: "Print tables as wide as they are, with whole ids, also on a terminal.")
  var wide = false

  @Option(help: "The columns of tables to print, by their headings: when,note,id.", transform: Self.names)
  var columns: [String] = []

  @Flag(inversion: .prefixedNo, help: "Show what is longer than the terminal in KITH_PAGER, PAGER or less.")
  var pager = true

  private static func names(_ text: String) -> [String] {
    text.split(separator: ",").map { $0.trimmingPrefix(" ").lowercased() }
  }
}

extension Session {
  /// A session with the options of the command line.
  init(client: KithClient, console: Console, _ options: GlobalOptions) {
    var console = console
    if !options.pager || options.json { console.pager = nil }
    self.init(client: client, console: console, isJSON: options.json)
    self.language = options.lang ?? self.language
    self.layout = TableLayout(width: options.wide ? nil : console.columns, columns: options.columns)
  }
}

extension GlobalOptions {
  /// Connects to the kithd that options or environment name.
  ///
  /// - Parameter limit: The longest wait for its answer.
  func connect(within limit: Duration = KithClient.patience) async throws(Failure) -> KithClient {
    // --runtime-dir on the command line wins over KITH_HUB in the environment.
    let isLocal = self.runtimeDir != nil && self.hub == nil
    guard !isLocal, let hub = self.hub ?? RuntimeLocations.variable("KITH_HUB"), !hub.isEmpty else {
      guard self.key == nil, self.serverKey == nil else {
        throw .invalid(field: "hub", "is missing: --key and --server-key belong to --hub tcp://HOST.")
      }
      return try await KithClient.connect(runtimeDirectory: self.runtimeDir, within: limit)
    }
    guard let key = self.key ?? RuntimeLocations.variable("KITH_KEY"), !key.isEmpty else {
      throw .invalid(
        field: "key", "is missing: --hub needs --key FILE, or KITH_KEY. Make one: kith keys new --file FILE")
    }
    return try await KithClient.connect(
      to: try RemoteHub(hub), key: try KeyFile(path: key), serverKey: self.serverKey, within: limit)
  }
}

/// The confirmation before what cannot be undone.
struct Confirmation: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
  var yes = false

  /// Asks on a terminal only, so scripts are not asked.
  ///
  /// - Parameters:
  ///   - isThere: Whether there is what the question is about. What is not there is not asked about: kithd refuses it.
  ///   - isGrave: Whether a script has to say `--yes`, because much would go.
  /// - Throws: `CANCELLED/CANCELLED_BY_USER` for any answer but yes; `FAILED_PRECONDITION/NOT_CONFIRMED` in a script.
  func ask(
    _ question: String, isThere: Bool = true, isGrave: Bool = false, _ session: Session
  ) throws(Failure) {
    guard isThere else { return }
    try self.ask(question, isGrave: isGrave, session.console, session.language)
  }

  /// The same for a command that needs no kithd.
  func ask(_ question: String, isGrave: Bool, _ console: Console, _ say: Language) throws(Failure) {
    guard !self.yes else { return }
    guard console.isTerminal else {
      guard isGrave else { return }
      throw Failure(
        .failedPrecondition, "NOT_CONFIRMED",
        say(
          "Nothing was changed. Without a terminal to ask on, add --yes. The question: \(question)",
          "何も変更していません。端末がないため確認できません。実行するには --yes を付けてください。確認の内容: \(question)")
      ).worded
    }
    guard console.confirm(question) else { throw .unchanged(say) }
  }
}

extension Failure {
  /// A person ended a command before it did anything.
  static func unchanged(_ say: Language) -> Failure {
    Failure(.cancelled, Self.cancelled.reason, say("Nothing was changed.", "何も変更していません。")).worded
  }
}
