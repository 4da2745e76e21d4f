import Commands
import Glibc

/// The command line. See `kith --help`.
@main
struct Kith {
  static func main() async {
    exit(await KithCommand.execute(Array(CommandLine.arguments.dropFirst())))
  }
}
