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
    try await session.show(reply, QueueTable(reply.entries).lines(session) + PageOptions.more(reply.nextCursor))
  }
}

/// The state of a change that is not on the server yet.
enum QueueState: String, ExpressibleByArgument, CaseIterable {
  case pending, syncing, failed, conflict
}

struct RetryQueueCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Retry refused or waiting changes now.",
    discussion: "Example: kith monica retry")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The ids, as `kith monica queue` lists them. Default: all that failed or wait.")
  var ids: [RecordID<QueueEntry>] = []

  func run(_ session: Session) async throws {
    var request = RetryQueueRequest()
    request.ids = try await self.ids.ids(session)
    try await session.show(try await session.ask(request), verb: "Retrying")
  }
}

struct ClearQueueCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Discard changes that wait for the server.",
    discussion: """
      The records return to the server's version; those that the server never had are deleted.
      Example: kith monica clear \(IDText.example)
      """)

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
    let what = self.all ? "all changes" : Count.of(self.ids.count, "change")
    try self.confirmation.ask("Discard \(what) that Monica does not have yet?", session)
    var request = ClearQueueRequest()
    request.ids = try await self.ids.ids(session)
    request.all = self.all
    try await session.show(try await session.ask(request), verb: "Discarded")
  }
}

/// Changes that are not on the server yet, as table rows.
struct QueueTable {
  private let entries: [QueueEntry]

  init(_ entries: [QueueEntry]) { self.entries = entries }

  func lines(_ session: Session) -> [String] {
    guard !self.entries.isEmpty else { return ["No changes found."] }
    var table = Table(
      [
        Column("STATE"), Column("CHANGE"), Column("PERSON"), Column("QUEUED", drops: 3),
        Column("TRIED", .right, drops: 2), Column("NEXT", drops: 1),
        Column("WHY", wraps: true), Column("ID"),
      ], hidesEmpty: true)
    for entry in self.entries {
      table.add(
        entry.state, "\(entry.operation) \(entry.kind)", entry.personName, session.ago(entry.queuedAt),
        entry.attempts == 0 ? "" : Count.grouped(Int(entry.attempts)),
        entry.hasNextAttemptAt ? RelativeTime.next(entry.nextAttemptAt, now: session.now) : "",
        entry.error.message, session.ids[entry.id])
    }
    return table.lines(session)
  }
}

extension QueueEntry {
  /// What the change is, and why it is not on the server.
  func reasonLine(_ session: Session) -> String {
    let whose = self.personName.isEmpty ? "" : " of \(self.personName)"
    let why =
      self.hasError
      ? self.error.message
      : self.attempts > 0
        ? "It is being sent." : "It waits for another change, such as that of a person or tag that it names."
    return Printable.text("\(self.operation) \(self.kind)\(whose): \(why)")
  }
}

extension Session {
  /// Prints the changes that a command retried or discarded.
  func show(_ reply: QueueChangeReply, verb: String) async throws(Failure) {
    let count = Count.of(reply.entries.count, "change")
    try await self.show(
      reply, ["\(verb) \(count)."] + (reply.entries.isEmpty ? [] : QueueTable(reply.entries).lines(self)))
  }
}
