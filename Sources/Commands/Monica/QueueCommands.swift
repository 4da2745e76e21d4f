internal import ArgumentParser
internal import Bus
internal import KithMessages

struct QueueCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "List changes that wait for the server, that it refused, or that conflict.",
    discussion: "Example: kith monica queue --state failed")

  @OptionGroup var global: GlobalOptions

  @Option(help: "Only this state.")
  var state: QueueState?

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = QueueRequest()
    request.state = self.state?.rawValue ?? ""
    let reply = try await self.page.ask(request, session)
    try await session.show(
      reply, QueueTable(reply.entries).lines(session) + PageOptions.more(reply.nextCursor, session.language))
  }
}

/// The state of a change that is not on the server yet.
enum QueueState: String, ExpressibleByArgument, CaseIterable, Worded {
  case pending, syncing, failed, conflict

  /// Accepts the words that lists print, in both languages.
  init?(argument: String) { self.init(rawValue: Self.name(typed: argument)) }

  /// In the language of the locale.
  static var allValueStrings: [String] { Self.allCases.map { $0.words(.ofLocale) } }

  func words(_ say: Language) -> String { SyncState(rawValue: self.rawValue)?.words(say) ?? self.rawValue }
}

struct RetryQueueCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Retry refused or waiting changes now.",
    discussion: "Example: kith monica retry")

  static let columns = QueueTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The ids, as `kith monica queue` lists them. Default: all that failed or wait.")
  var ids: [RecordID<QueueEntry>] = []

  func run(_ session: Session) async throws {
    var request = RetryQueueRequest()
    request.ids = try await self.ids.ids(session)
    try await session.show(try await session.ask(request), verb: session.language("Retrying", "再送"))
  }
}

struct ClearQueueCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Discard changes that wait for the server.",
    discussion: """
      The records return to the server's version; those that the server never had are deleted.
      Example: kith monica clear \(IDText.example)
      """)

  static let columns = QueueTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The ids, as `kith monica queue` lists them.")
  var ids: [RecordID<QueueEntry>] = []

  @Flag(help: "Discard all waiting changes.")
  var all = false

  @OptionGroup var confirmation: Confirmation

  func validate() throws {
    guard self.ids.isEmpty == self.all else {
      throw ValidationError("Give the ids of the changes to discard, or --all.")
    }
  }

  func run(_ session: Session) async throws {
    let count = self.ids.count
    try self.confirmation.ask(
      session.language(
        "Discard \(self.all ? "all changes" : Count.of(count, "change")) that Monica does not have yet?",
        "Monica に未送信の変更を\(self.all ? "すべて" : "\(count)件")破棄しますか?"), session)
    var request = ClearQueueRequest()
    request.ids = try await self.ids.ids(session)
    request.all = self.all
    try await session.show(try await session.ask(request), verb: session.language("Discarded", "破棄"))
  }
}

/// Changes that are not on the server yet, as table rows.
struct QueueTable {
  static let columns = [
    Column("STATE", "状態"), Column("CHANGE", "変更"), Column("PERSON", "人", wraps: true), Column("QUEUED", "登録", drops: 3),
    Column("TRIED", "回数", .right, drops: 2), Column("NEXT", "次回", drops: 1), Column("WHY", "理由", wraps: true),
    Column("ID"),
  ]

  private let entries: [QueueEntry]

  init(_ entries: [QueueEntry]) { self.entries = entries }

  func lines(_ session: Session) -> [String] {
    guard !self.entries.isEmpty else { return [session.language("No changes found.", "変更はありません。")] }
    var table = Table(Self.columns, hidesEmpty: true)
    for entry in self.entries {
      table.add(
        SyncState(rawValue: entry.state)?.words(session.language) ?? entry.state, entry.what(session.language),
        entry.personName, session.ago(entry.queuedAt),
        entry.attempts == 0 ? "" : Count.grouped(Int(entry.attempts)),
        entry.hasNextAttemptAt ? session.next(entry.nextAttemptAt) : "",
        entry.why(session.language), session.ids[entry.id])
    }
    return table.lines(session)
  }
}

extension QueueEntry {
  /// `create note`, `メモを作成`.
  func what(_ say: Language) -> String {
    let operations = ["create": "を作成", "update": "を変更", "delete": "を削除"]
    let noun = EventSubject.kinds.first { $0.idKind == self.kind }?.idNoun(say) ?? self.kind
    return say("\(self.operation) \(noun)", noun + (operations[self.operation] ?? " \(self.operation)"))
  }

  /// Why the change is not on the server; empty if it is on its way, or waits for another change.
  func why(_ say: Language) -> String {
    // What it waits for is of now; its error may be older.
    guard self.hasWaitsFor else { return self.hasError ? Failure(status: self.error).read(in: say).message : "" }
    let name = self.waitsFor.personName
    return switch SyncState(rawValue: self.waitsFor.state) {
    case .conflict:
      say(
        "The server does not have \(name) any more. Decide on that first: kith monica conflicts",
        "サーバーに\(name)がありません。先にそれを決めてください: kith monica conflicts")
    case .failed:
      say(
        "The server refuses \(name). Correct that first: kith monica queue",
        "サーバーが\(name)を受け付けません。先にそれを直してください: kith monica queue")
    default: say("It waits until \(name) is on the server.", "\(name)の送信を待っています。")
    }
  }

  /// What the change is, and why it is not on the server.
  func reasonLine(_ session: Session) -> String {
    let say = session.language
    let whose = self.personName.isEmpty ? "" : say(" of \(self.personName)", " (\(self.personName))")
    let reason = self.why(say)
    let why =
      !reason.isEmpty
      ? reason
      : self.attempts > 0
        ? say("It is being sent.", "送信中です。")
        : say("It waits for another change, such as that of a person or tag that it names.", "先に送る変更 (人やタグなど) を待っています。")
    return Printable.text("\(self.what(say))\(whose): \(why)")
  }
}

extension Session {
  /// Prints the changes that a command retried or discarded.
  func show(_ reply: QueueChangeReply, verb: String) async throws(Failure) {
    let count = reply.entries.count
    try await self.show(
      reply,
      [self.language("\(verb) \(Count.of(count, "change")).", "\(verb): 変更\(count)件")]
        + (reply.entries.isEmpty ? [] : QueueTable(reply.entries).lines(self)))
  }
}
