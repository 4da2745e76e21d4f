internal import ArgumentParser
internal import Bus
internal import KithMessages

struct LoginMonicaCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Log in with an API token; the server verifies it first.",
    discussion: """
      Monica makes tokens under Settings, API. The token is asked for, and never taken from the command line. A token
      file may be in a folder that kithd's configuration allows (secrets.folders).
      Example: kith monica login --cloud
      Example: kith monica login --endpoint https://monica.example.com
      """)

  @OptionGroup var global: GlobalOptions

  @Flag(help: "The hosted server, app.monicahq.com.")
  var cloud = false

  @Option(help: "The URL of a server of your own.")
  var endpoint: String?

  @Option(help: InputFile.secretHelp("token"), completion: .file())
  var tokenFile: String?

  @Option(help: "A file of certificates (PEM) to trust instead of the system's authorities.", completion: .file())
  var caFile: String?

  func validate() throws {
    guard self.cloud != (self.endpoint != nil) else {
      throw ValidationError(
        "Monica is the hosted server (--cloud) or one of your own (--endpoint URL). Give one of them.")
    }
  }

  func run(_ session: Session) async throws {
    var request = LoginRequest()
    if let endpoint { request.endpoint = endpoint } else { request.cloud = true }
    request.caFile = self.caFile.map(RuntimeLocations.absolute) ?? ""
    if let tokenFile, tokenFile != InputFile.standardInput {
      (request.token, request.tokenFile) = try session.secret(inFile: tokenFile)
    } else {
      request.token = try session.console.askSecret(
        "API token of Monica: ", kind: "token", file: self.tokenFile)
    }
    try session.show(try await session.ask(request))
  }
}

struct MonicaStatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the account in use and the state of its sync.",
    discussion: "Example: kith monica status")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws { try session.show(try await session.ask(MonicaStatusRequest())) }
}

struct LogoutMonicaCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Delete the token. Records and waiting changes stay.",
    discussion: "Example: kith monica logout")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws { try session.show(try await session.ask(LogoutRequest())) }
}

struct SwitchMonicaCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch", abstract: "Switch to another account that was logged in before.",
    discussion: "Example: kith monica switch https://monica.example.com")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Its URL, as `kith monica status` lists them.")
  var endpoint: String

  func run(_ session: Session) async throws {
    var request = SwitchInstanceRequest()
    request.endpoint = self.endpoint
    try session.show(try await session.ask(request))
  }
}

struct ForgetCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Delete the local copy of the server's records.",
    discussion: """
      Refused while changes wait for the server, unless --discard-pending gives them up.
      Example: kith monica forget
      """)

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Discard changes that wait for the server.")
  var discardPending = false

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    let loss = self.discardPending ? " Changes that wait for the server are lost." : ""
    try self.confirmation.ask("Forget the stored copy of what Monica has?\(loss)", session)
    var request = ClearCacheRequest()
    request.discardPending = self.discardPending
    let reply = try await session.ask(request)
    let kept =
      reply.kept > 0 ? ["Kept \(Count.of(Int(reply.kept), "record")) with something that Monica does not keep."] : []
    try session.show(reply, ["Forgot \(Count.of(Int(reply.removed), "record"))."] + kept)
  }
}

extension Session {
  /// Prints which account is in use, and where the sync with it stands.
  func show(_ status: MonicaStatus) throws(Failure) { try self.show(status, MonicaReport(status).lines(self)) }
}
