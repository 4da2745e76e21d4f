import ArgumentParser
import Foundation
import Hub

/// The daemon. See `docs/operations.md`.
@main
struct Kithd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kithd", abstract: "Keeps a home's contacts in step and serves them over ZeroMQ.",
    discussion: "Example: kithd --state-dir ~/.local/state/kith --runtime-dir $XDG_RUNTIME_DIR/kith",
    version: "kithd \(HubProcess.version)", subcommands: [RunCommand.self, WorkerCommand.self],
    defaultSubcommand: RunCommand.self)

  /// Ends with 2 where the options are wrong, as with a wrong configuration; ArgumentParser has 64 (sysexits.h).
  static func main() async {
    do {
      var command = try Self.parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      guard Self.exitCode(for: error) == .validationFailure else { Self.exit(withError: error) }
      FileHandle.standardError.write(Data("\(Self.fullMessage(for: error))\n".utf8))
      Self.exit(withError: ExitCode(2))
    }
  }
}
