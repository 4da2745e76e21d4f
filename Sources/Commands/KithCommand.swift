public import ArgumentParser
internal import Bus
internal import Help

/// The command line `kith`.
public struct KithCommand: AsyncParsableCommand {
  /// Names, help and subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "kith", abstract: "Talks to kithd, the home agent for the people you keep.",
    discussion: """
      Exit codes: 0 done, 1 failed, 2 wrong usage, 3 kithd is not running, 4 refused.
      Example: kith contacts search ann
      """,
    version: Self.version,
    subcommands: [
      StatusCommand.self, DoctorCommand.self, SetupCommand.self, PingCommand.self, ServicesCommand.self,
      WatchCommand.self, ContactsCommand.self,
      WhoCommand.self, BirthdaysCommand.self, PeopleCommand.self, CallCommand.self, TalkCommand.self, NoteCommand.self,
      TaskCommand.self,
      ActivityCommand.self, GiftCommand.self, TagCommand.self, RelationCommand.self, MonicaCommand.self,
      CareCommand.self, PlanCommand.self, MeasureCommand.self,
      RemindCommand.self, ChannelsCommand.self, JobsCommand.self, BackupCommand.self, RestoreCommand.self,
      KeysCommand.self,
      WebCommand.self, MCPCommand.self, WhoamiCommand.self,
    ])

  private static let version = "kith \(SoftwareVersion.current)"

  @OptionGroup var global: GlobalOptions

  /// Made by the parser.
  public init() {}

  /// Parses and runs a command line.
  ///
  /// - Parameter arguments: Without the name of the program.
  /// - Returns: The code to exit with.
  public static func execute(_ arguments: [String], console: Console = .standard) async -> Int32 {
    let code = await self.carryOut(arguments, console)
    let lost = console.lostError()
    guard code == ExitStatus.done.rawValue, lost != 0 else { return code }
    console.report(
      OutputFile.unwritable(OutputFile.standardOutput, lost).read(in: .asked(in: arguments)), asJSON: false)
    return ExitStatus.failed.rawValue
  }

  private static func carryOut(_ arguments: [String], _ console: Console) async -> Int32 {
    // The parser would first look at every command, which takes as long as all the rest.
    if arguments == ["--version"] {
      console.print(Self.version)
      return ExitStatus.done.rawValue
    }
    let command: any ParsableCommand
    do {
      if try ParserText.writesManual(arguments, of: Self.self, section: 1) { return ExitStatus.done.rawValue }
      if let text = ParserText.ofUnknownHelp(arguments, Self.self, catalogue: self.catalogue(arguments)) {
        console.printError(text)
        return ExitStatus.usage.rawValue
      }
      command = try await self.asyncParseAsRoot(arguments)
    } catch let failure as Failure {
      console.report(failure.read(in: .asked(in: arguments)), asJSON: false)
      return ExitStatus(failure).rawValue
    } catch {
      return self.finish(error, arguments, console)
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
      let options = (command as? any HubCommand)?.global
      console.report(
        failure.read(in: options?.lang ?? .asked(in: arguments)), of: type(of: command), asJSON: options?.json ?? false)
      return ExitStatus(failure).rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      return self.finish(error, arguments, console)
    }
  }

  private static func catalogue(_ arguments: [String]) -> Catalogue {
    Language.asked(in: arguments) == .japanese ? .japanese() : .english
  }

  /// Prints help and completion scripts to standard output, usage errors to standard error.
  private static func finish(_ error: any Error, _ arguments: [String], _ console: Console) -> Int32 {
    let text = ParserText.of(error, Self.self, arguments: arguments, catalogue: self.catalogue(arguments))
    guard self.exitCode(for: error).isSuccess else {
      console.printError(text)
      return ExitStatus.usage.rawValue
    }
    console.print(text)
    return ExitStatus.done.rawValue
  }
}
