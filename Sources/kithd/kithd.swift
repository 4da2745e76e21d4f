internal import DaemonCommands

/// The daemon. See `docs/operations.md`.
@main
enum Program {
  static func main() async { await Kithd.main() }
}
