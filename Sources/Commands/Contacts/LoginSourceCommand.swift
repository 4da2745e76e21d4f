internal import ArgumentParser
internal import Bus
internal import KithMessages

struct LoginSourceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Change the password or user name of a CardDAV source.",
    discussion: """
      The password is asked for, and never taken from the command line.
      Example: kith contacts source login work
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The source.")
  var name: String

  @Option(help: "The user name. Default: unchanged.")
  var username: String?

  @Option(help: InputFile.secretHelp("password"), completion: .file())
  var passwordFile: String?

  func run(_ session: Session) async throws {
    var request = SetCredentialsRequest()
    request.name = self.name
    request.username = self.username ?? ""
    if let passwordFile, passwordFile != InputFile.standardInput {
      (request.password, request.passwordFile) = try session.secret(inFile: passwordFile)
    } else {
      request.password = try session.console.askSecret(
        "Password of \(Printable.text(self.name)): ", file: self.passwordFile)
    }
    let source = try await session.ask(request)
    try session.show(
      source, ["Kept. Try it: kith contacts source test \(Printable.text(source.name))"])
  }
}
