public import ArgumentParser
internal import Bus
internal import KithClient

/// The command line `kith`.
public struct KithCommand: AsyncParsableCommand {
  /// Names, help and subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "kith", abstract: "Talks to kithd, the home agent for the people you keep.",
    discussion: """
      Exit codes: 0 done, 1 failed, 2 wrong usage, 3 kithd is not running, 4 refused.
      Example: kith contacts search ann
      """,
    version: "kith \(SoftwareVersion.current)",
    subcommands: [
      StatusCommand.self, PingCommand.self, ServicesCommand.self, WatchCommand.self, ContactsCommand.self,
      PeopleCommand.self, CallCommand.self, TalkCommand.self, NoteCommand.self, TaskCommand.self, ActivityCommand.self,
      GiftCommand.self, TagCommand.self, RelationCommand.self, MonicaCommand.self, CareCommand.self,
      RemindCommand.self, ChannelsCommand.self, JobsCommand.self, BackupCommand.self, KeysCommand.self,
    ])

  @OptionGroup var global: GlobalOptions

  /// Made by the parser.
  public init() {}

  /// Parses and runs a command line.
  ///
  /// - Parameter arguments: Without the name of the program.
  /// - Returns: The code to exit with.
  public static func execute(_ arguments: [String], console: Console = .standard) async -> Int32 {
    let command: any ParsableCommand
    do {
      command = try self.parseAsRoot(arguments)
    } catch {
      return self.finish(error, console: console)
    }
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        var command = command
        try command.run()
      }
      return ExitStatus.done.rawValue
    } catch let failure as Failure {
      let isJSON = (command as? any HubCommand)?.global.json ?? false
      console.report(failure, asJSON: isJSON)
      return ExitStatus(failure).rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      return self.finish(error, console: console)
    }
  }

  /// Help and completion scripts go to standard output; what was typed wrongly to standard error.
  private static func finish(_ error: any Error, console: Console) -> Int32 {
    let text = self.fullMessage(for: error)
    guard self.exitCode(for: error).isSuccess else {
      console.printError(text)
      return ExitStatus.usage.rawValue
    }
    console.print(text)
    return ExitStatus.done.rawValue
  }
}

/// What every command takes.
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
}

extension GlobalOptions {
  /// Connects to the daemon that is meant.
  func connect() async throws(Failure) -> KithClient {
    // What the command line says of one of the two goes before what the environment says of the other.
    let isLocal = self.runtimeDir != nil && self.hub == nil
    guard !isLocal, let hub = self.hub ?? RuntimeLocations.variable("KITH_HUB"), !hub.isEmpty else {
      guard self.key == nil, self.serverKey == nil else {
        throw .invalid(field: "hub", "is missing: --key and --server-key belong to --hub tcp://HOST.")
      }
      return try await KithClient.connect(runtimeDirectory: self.runtimeDir)
    }
    guard let key = self.key ?? RuntimeLocations.variable("KITH_KEY"), !key.isEmpty else {
      throw .invalid(
        field: "key", "is missing: --hub needs --key FILE, or KITH_KEY. Make one: kith keys new --file FILE")
    }
    return try await KithClient.connect(
      to: try RemoteHub(hub), key: try KeyFile(path: key), serverKey: self.serverKey)
  }
}
