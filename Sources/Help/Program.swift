package import ArgumentParser
internal import Foundation

extension AsyncParsableCommand {
  /// Reads the command line and runs the program. Help and what is wrong with the options are told in the language of the locale.
  /// Wrong options end it with 2, as a wrong configuration does; ArgumentParser ends with 64 (sysexits.h).
  ///
  /// - Parameter manual: The section of the program's manual, which `help --man FOLDER` writes; nil for a program without one.
  package static func runProgram(manual: Int? = nil) async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if let manual, try ParserText.writesManual(arguments, of: Self.self, section: manual) { return }
      var command = try await Self.asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let code = Self.exitCode(for: error)
      let isUsage = code == .validationFailure
      guard isUsage || code.isSuccess else { Self.exit(withError: error) }
      let text = ParserText.of(error, Self.self, arguments: arguments)
      (isUsage ? FileHandle.standardError : .standardOutput).write(Data("\(text)\n".utf8))
      Self.exit(withError: isUsage ? ExitCode(2) : .success)
    }
  }
}
