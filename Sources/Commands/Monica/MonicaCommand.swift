internal import ArgumentParser
internal import Bus
internal import KithMessages

struct MonicaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monica", abstract: "The account on a Monica server, and the changes that wait for it.",
    discussion: "Example: kith monica sync",
    subcommands: [
      LoginMonicaCommand.self, MonicaStatusCommand.self, LogoutMonicaCommand.self, SwitchMonicaCommand.self,
      SyncMonicaCommand.self, QueueCommand.self, RetryQueueCommand.self, ClearQueueCommand.self, ConflictsCommand.self,
      ResolveConflictCommand.self, ForgetCommand.self, CatalogCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct LoginMonicaCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Log in with an API token; the server verifies it first.",
    discussion: """
      Create a token in Monica under Settings, API. kith asks for the token, and never takes it from the command line. A token
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
        session.language("API token of Monica: ", "Monica の API トークン: "), kind: "token", file: self.tokenFile,
        session.language)
    }
    try await session.show(beginning: try await session.ask(request))
  }
}

struct MonicaStatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the account in use and the state of its sync.",
    discussion: "Example: kith monica status")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws { try await session.show(try await session.ask(MonicaStatusRequest())) }
}

struct LogoutMonicaCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Delete the token. Records and waiting changes stay.",
    discussion: "Example: kith monica logout")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws { try await session.show(try await session.ask(LogoutRequest())) }
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
    try await session.show(beginning: try await session.ask(request))
  }
}

struct ForgetCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Delete the local copy of the server's records.",
    discussion: """
      Refused while changes wait for the server, unless --discard-pending discards them.
      Example: kith monica forget
      """)

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Discard changes that wait for the server.")
  var discardPending = false

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    let say = session.language
    let loss = self.discardPending ? say(" Changes that wait for the server are lost.", "未送信の変更は失われます。") : ""
    try self.confirmation.ask(
      say("Delete the local copy of Monica's records?", "Monica の記録の写しを削除しますか?") + loss, session)
    var request = ClearCacheRequest()
    request.discardPending = self.discardPending
    let reply = try await session.ask(request)
    let kept =
      reply.kept > 0
      ? [
        say(
          "Kept \(Count.of(Int(reply.kept), "record")) with data that Monica does not store.",
          "Monica が保存しない内容のある\(reply.kept)件は残しました。")
      ] : []
    try await session.show(
      reply, [say("Deleted \(Count.of(Int(reply.removed), "record")).", "\(reply.removed)件を削除しました。")] + kept)
  }
}

extension Session {
  /// Prints the account in use and the state of its sync.
  func show(_ status: MonicaStatus) async throws(Failure) {
    try await self.show(status, MonicaReport(status).lines(self))
  }

  /// Prints the account that is in use from now on. kithd reads it at once.
  fileprivate func show(beginning status: MonicaStatus) async throws(Failure) {
    try await self.show(status, MonicaReport(status, isBeginning: status.knownState == .loggedIn).lines(self))
  }
}

struct CatalogCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "List the names for genders and types: the server's, or those that are built in.",
    discussion: "Example: kith monica catalog relationship_type")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The catalog. Default: all.")
  var catalog: CatalogKind?

  func run(_ session: Session) async throws { try await session.showCatalog(self.catalog?.rawValue ?? "") }
}

extension Session {
  /// Prints the names of a catalog; of all catalogs if it is empty.
  func showCatalog(_ catalog: String) async throws(Failure) {
    var request = CatalogRequest()
    request.catalog = catalog
    let reply = try await self.ask(request)
    try await self.show(reply, Self.lines(reply.entries, showsCatalog: catalog.isEmpty, self))
  }

  private static func lines(_ entries: [CatalogEntry], showsCatalog: Bool, _ session: Session) -> [String] {
    guard !entries.isEmpty else {
      return [
        session.language("No names found. They come with the first sync:", "名前はありません。最初の同期で届きます:") + " kith monica sync"
      ]
    }
    let say = session.language
    let groups = ["family": "家族", "love": "恋愛", "friend": "友人", "care": "介護", "work": "仕事"]
    var table = Table(
      [
        Column("CATALOG", "種別"), Column("NAME", "名前"), Column("日本語", "英語", name: "translation"),
        Column("REVERSE", "相手から", drops: 2), Column("GROUP", "分類", drops: 1),
        Column("KIND", "種類"),
      ], hidesEmpty: true)
    for entry in entries {
      // A name that a server has in English means the household's word for it, where there is one.
      let (name, other) =
        say == .japanese && !entry.japanese.isEmpty ? (entry.japanese, entry.name) : (entry.name, entry.japanese)
      table.add(
        showsCatalog ? entry.catalog : "", name, other,
        CatalogKind(rawValue: entry.catalog).map { CommonName.words($0, entry.reverseName, say) } ?? entry.reverseName,
        say(entry.group, groups[entry.group] ?? entry.group), entry.type)
    }
    return table.lines(session)
  }
}

/// The account on a Monica server as lines.
struct MonicaReport {
  private let status: MonicaStatus
  private let isBeginning: Bool

  /// - Parameter isBeginning: Whether a pass begins now, so that the state of the last one says little.
  init(_ status: MonicaStatus, isBeginning: Bool = false) {
    self.status = status
    self.isBeginning = isBeginning
  }

  func lines(_ session: Session) -> [String] {
    guard !self.status.endpoint.isEmpty else {
      return [
        session.language("No account. Log in:", "アカウントはありません。ログインするには:")
          + " kith monica login --cloud"
      ]
    }
    let say = session.language
    let rows: [Details.Row] = [
      (say("Account", "アカウント"), self.account(say)), (say("Token", "トークン"), self.status.token),
      (say("Last read", "最後に読んだ時"), session.relative(self.status.lastPullAt)),
      (say("Others", "ほか"), self.status.instances.dropFirst().joined(separator: ", ")),
    ]
    return Details(title: self.status.endpoint, rows: rows).lines(session) + self.sync(session)
  }

  /// The state of the last pass, with the present counts.
  func sync(_ session: Session) -> [String] {
    var sync = self.status.sync
    sync.source = "monica"
    sync.live = self.status.people
    sync.pending = self.status.pending
    sync.failed = self.status.failed
    sync.conflicts = self.status.conflicts
    if self.status.hasNextAttemptAt { sync.nextAttemptAt = self.status.nextAttemptAt }
    guard self.isBeginning else { return SourceStates([sync]).lines(session) }
    let people = Count.of(Int(sync.live), "person", plural: "people")
    let begins = session.language(
      "monica: is being read now, \(people) so far. To wait for the end:",
      "monica: 今読み込んでいます(これまでに\(sync.live)人)。終わりまで待つには:")
    return ["\(begins) kith monica sync"] + SourceState(sync).advice(session)
  }

  private func account(_ say: Language) -> String {
    let endpoint = self.status.endpoint
    switch self.status.knownState {
    case .loggedIn:
      let email = self.status.userEmail.isEmpty ? "" : " (\(self.status.userEmail))"
      return say("logged in as \(self.status.userName)\(email)", "\(self.status.userName)\(email)としてログイン中")
    case .expired:
      return say("Your session expired. Please log in again:", "ログインの期限が切れました。もう一度:")
        + " kith monica login --endpoint \(endpoint)"
    case .loggedOut:
      return say("logged out. To log in again:", "ログアウト済み。もう一度ログインするには:") + " kith monica login --endpoint \(endpoint)"
    case .nothing, nil: return self.status.state
    }
  }
}
