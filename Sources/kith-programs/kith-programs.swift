internal import Commands
internal import DaemonCommands
internal import Glibc
internal import Report

/// `kith`, `kithd` and `kith-report` in one file, as they are installed: the name by which it is started says which one runs.
///
/// Each program of its own would contain Swift's libraries, of which ICU alone has 34 MB.
@main
enum Program {
  static func main() async {
    let path = CommandLine.arguments.first ?? ""
    switch path.split(separator: "/").last {
    case "kithd": await Kithd.main()
    case "kith-report": exit(Report.run())
    default: exit(await KithCommand.execute(Array(CommandLine.arguments.dropFirst())))
    }
  }
}
