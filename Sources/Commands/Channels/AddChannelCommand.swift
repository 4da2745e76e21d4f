internal import ArgumentParser
internal import Bus
internal import Glibc
internal import KithClient
internal import KithMessages

struct AddChannelCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a channel.",
    discussion: """
      kith asks for a password or token, and never takes it from the command line; leave it empty if there is none. Paths are
      those of the machine that kithd runs on.
      Example: kith channels add phone --ntfy family-care --server https://ntfy.example.org
      Example: kith channels add family --mail smtp.example.org --username kith --from kith@example.org --to ann@example.org
      Example: kith channels add line --line U4af4980629a2e5c9d3b1f0a7c6e8d2b1
      Example: kith channels add chat --webhook 'https://hooks.example.org/services/{secret}'
      Example: kith channels add all --command /usr/bin/apprise --argument=--config=/etc/kith/apprise.yml
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Its name: lower-case letters, digits and hyphens.")
  var name: String

  @Option(help: "A topic of an ntfy server.")
  var ntfy: String?

  @Option(help: "The address of the ntfy server. Default: https://ntfy.sh.")
  var server = ""

  @Option(help: "The priority of messages on ntfy, from 1 to 5.")
  var priority: UInt32 = 0

  @Option(help: "A tag of ntfy; may be repeated.")
  var tag: [String] = []

  @Option(help: "A mail server.")
  var mail: String?

  @Option(help: "Its port; 587, or 465 with --security tls.")
  var port: UInt32 = 0

  @Option(help: "starttls or tls; none only for this machine.")
  var security = "starttls"

  @Option(help: "The user name, of mail or ntfy.")
  var username = ""

  @Option(help: "The address that mail is sent from.")
  var from = ""

  @Option(help: "An address to send mail to; may be repeated.")
  var to: [String] = []

  @Option(help: "The id of a user, group or room of LINE.")
  var line: String?

  @Option(help: "The address of another LINE server.")
  var lineServer = ""

  @Option(help: "A URL to post JSON to; {secret} in its path is replaced by the secret.")
  var webhook: String?

  @Option(help: "A program that reads the text; kithd's configuration has to allow it.")
  var command: String?

  @Option(help: "An argument of the program; may be repeated.")
  var argument: [String] = []

  @Option(help: InputFile.secretHelp("secret"), completion: .file())
  var secretFile: String?

  @Option(help: "A file of certificates (PEM) to trust instead of the system's authorities.", completion: .file())
  var caFile: String?

  @Flag(help: "Send summaries of care without their list of memos.")
  var shortSummary = false

  @Flag(help: "Use no secret.")
  var noSecret = false

  @Flag(help: "Add a program that is not there yet, or that only a worker has.")
  var unchecked = false

  func validate() throws {
    guard [self.ntfy, self.mail, self.line, self.webhook, self.command].count(where: { $0 != nil }) == 1 else {
      throw ValidationError(
        "A channel is one of --mail HOST, --line ID, --ntfy TOPIC, --webhook URL and --command PROGRAM. Give one of them."
      )
    }
  }

  func run(_ session: Session) async throws {
    if let command { try self.check(command, session) }
    var request = AddChannelRequest()
    request.channel = self.channel
    request.channel.name = self.name
    request.channel.shortSummary = self.shortSummary
    request.channel.caFile = self.caFile.map(RuntimeLocations.absolute) ?? ""
    if let secretFile, secretFile != InputFile.standardInput {
      (request.secret, request.channel.secretFile) = try session.secret(inFile: secretFile)
    } else if self.mayHaveSecret || self.secretFile != nil {
      request.secret = try self.secret(session)
    }
    let channel = try await session.ask(request)
    let name = Printable.text(channel.name)
    try await session.show(
      channel,
      [
        session.language(
          "Added \(name). Try it: kith channels test \(name)", "\(name) を追加しました。試すには: kith channels test \(name)")
      ])
  }

  /// Looks for the program where kithd is on this machine. A path that is not absolute is refused by kithd.
  ///
  /// - Throws: `NOT_FOUND/FILE_MISSING`.
  private func check(_ program: String, _ session: Session) throws(Failure) {
    guard session.client.isLocal, !self.unchecked, program.hasPrefix("/") else { return }
    var status = stat()
    // What this user may not look at, kithd may.
    let isThere = stat(program, &status) == 0 ? status.st_mode & S_IFMT == S_IFREG : errno == EACCES
    guard !isThere else { return }
    let path = Printable.text(program)
    throw Failure(
      .notFound, "FILE_MISSING",
      session.language(
        "There is no program \(path). Check the path, or add --unchecked if it comes later or only a worker has it.",
        "\(path) というプログラムがありません。パスを確認するか、あとで入れる場合やワーカーにだけある場合は --unchecked を付けてください。")
    ).worded
  }

  private var channel: Channel {
    var channel = Channel()
    if let ntfy {
      channel.ntfy.topic = ntfy
      channel.ntfy.address = self.server
      channel.ntfy.username = self.username
      channel.ntfy.priority = self.priority
      channel.ntfy.tags = self.tag
    } else if let mail {
      channel.mail.host = mail
      channel.mail.port = self.port
      channel.mail.security = self.security
      channel.mail.username = self.username
      channel.mail.from = self.from
      channel.mail.to = self.to
    } else if let line {
      channel.line.to = line
      channel.line.address = self.lineServer
    } else if let webhook {
      channel.webhook.address = webhook
    } else if let command {
      channel.command.program = command
      channel.command.arguments = self.argument
    }
    return channel
  }

  private var mayHaveSecret: Bool {
    !self.noSecret && self.command == nil && (self.mail == nil || !self.username.isEmpty)
  }

  /// Asks for the secret. No answer is an error only if the channel needs a secret.
  private func secret(_ session: Session) throws(Failure) -> String {
    let prompt = session.language("Password or token of \(self.name): ", "\(self.name) のパスワードまたはトークン: ")
    guard self.line != nil || self.mail != nil || !self.username.isEmpty || self.secretFile != nil else {
      return (try? session.console.askSecret(prompt, kind: "secret", session.language)) ?? ""
    }
    return try session.console.askSecret(prompt, kind: "secret", file: self.secretFile, session.language)
  }
}
