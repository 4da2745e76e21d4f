internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Calls with people.",
    discussion: """
      People are named by id, or by a name that only one of them has. `kith call SERVICE/METHOD JSON` sends any method of the hub.
      Example: kith call log ann --duration 25 --emotion happy --note 'About the garden'
      """,
    subcommands: [
      LogCallCommand.self, QuickCallCommand.self, StartCallCommand.self, StopCallCommand.self, ListCallsCommand.self,
      ShowRecordCommand<Call>.self, EditRecordCommand<CallArguments>.self, DeleteCallsCommand.self,
      TagCallsCommand.self, RestoreRecordCommand<Call>.self, SearchCallsCommand.self, CallTimelineCommand.self,
      CallStatsCommand.self,
      SuggestCallsCommand.self, ExportCallsCommand.self, ImportCallsCommand.self, ShareCallsCommand.self,
      VoiceCallCommand.self, CallTemplateCommand.self, CallAttachmentCommand.self,
      SendMethodCommand.self,
    ], defaultSubcommand: SendMethodCommand.self)

  @OptionGroup var global: GlobalOptions
}

struct ListCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List calls, newest first.",
    discussion: "Example: kith call list --person ann --from 2026-11-01 --emotion happy")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var filter: CallFilterOptions

  @OptionGroup var page: PageOptions

  @Flag(help: "Also deleted ones.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ListCallsRequest()
    request.filter = try await self.filter.filter(session)
    request.includeDeleted = self.deleted
    try await session.show(page: try await self.page.ask(request, session), showsOwner: true)
  }
}

struct DeleteCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete calls: all named ones, or none if one fails.",
    discussion: "Example: kith call delete \(IDText.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The calls: ids as lists show them, parts of them, or last.")
  var targets: [RecordID<Call>]

  func run(_ session: Session) async throws {
    let ids = try await self.targets.ids(session)
    guard let first = ids.first, ids.count > 1 else {
      var request = DeleteCallRequest()
      request.id = ids.first ?? ""
      return try await session.showDeleted(try await session.ask(request), restoring: true)
    }
    var request = BulkDeleteCallsRequest()
    request.ids = ids
    let reply = try await session.ask(request)
    try await session.show(
      reply,
      [
        session.language(
          "Deleted \(Count.of(reply.ids.count, "call")).", "電話を\(reply.ids.count)件削除しました。"),
        session.language("To restore one:", "1件を元に戻すには:")
          + " kith call restore \(Printable.text(session.ids[reply.ids.first ?? first]))",
      ])
  }
}

struct TagCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Add tags to calls: to all named ones, or to none if one fails.",
    discussion: "Example: kith call tag \(IDText.example) --tag family")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The calls: ids as lists show them, parts of them, or last.")
  var targets: [RecordID<Call>]

  @Option(help: "A tag of one word; may be repeated.")
  var tag: [String]

  func run(_ session: Session) async throws {
    var request = BulkTagCallsRequest()
    request.ids = try await self.targets.ids(session)
    request.tags = self.tag
    let reply = try await session.ask(request)
    try await session.show(
      reply,
      [
        session.language(
          "Tagged \(Count.of(reply.ids.count, "call")).", "\(reply.ids.count)件にタグを付けました。")
      ])
  }
}

struct CallTimelineCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline", abstract: "Show calls with everybody: today, yesterday, this week, earlier.",
    discussion: "Example: kith call timeline")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = CallTimelineRequest()
    request.timeZone = session.zone.name
    let reply = try await self.page.ask(request, session)
    let calls = reply.groups.flatMap(\.calls)
    let names = await PersonNames.of(calls, session)
    try await session.show(
      reply, Self.lines(reply.groups, names, session) + PageOptions.more(reply.nextCursor, session.language))
  }

  /// One table for all groups, so that their columns align, with the titles of the groups between the rows.
  private static func lines(_ groups: [CallGroup], _ names: PersonNames, _ session: Session) -> [String] {
    let table = RecordTable(groups.flatMap(\.calls), names, showsOwner: true)
    guard groups.contains(where: { !$0.calls.isEmpty }) else { return table.lines(session) }
    let parts = table.table(session).parts(session)
    var (lines, rows, title) = ([parts.heading], parts.rows[...], "")
    for group in groups where !group.calls.isEmpty {
      // A group that began on the page before goes on.
      if group.title != title { lines += ["", session.console.style.bold(Self.title(group.title, session.language))] }
      title = group.title
      lines += rows.prefix(group.calls.count).joined()
      rows = rows.dropFirst(group.calls.count)
    }
    return lines + parts.leftOut
  }

  private static func title(_ name: String, _ say: Language) -> String {
    switch name {
    case "today": say("Today", "今日")
    case "yesterday": say("Yesterday", "昨日")
    case "this_week": say("This week", "今週")
    case "earlier": say("Earlier", "それ以前")
    default: Printable.text(name)
    }
  }
}

struct CallAttachmentCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachment", abstract: "Write a voice note or photo of a call to a file.",
    discussion: "Example: kith call attachment \(IDText.example) -o note.m4a")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<Call>

  @Option(help: "Its number, as `kith call show` counts them.")
  var number = 1

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  func run(_ session: Session) async throws {
    var request = GetCallRequest()
    request.id = try await self.target.id(session)
    let attachments = try await session.ask(request).attachments
    guard attachments.indices.contains(self.number - 1) else {
      throw Failure(
        .notFound, "ATTACHMENT_MISSING",
        session.language(
          "This call has \(Count.of(attachments.count, "attachment")). To count them: kith call show \(self.target.text)",
          "この電話の添付は\(attachments.count)件です。番号を見るには: kith call show \(self.target.text)")
      ).worded
    }
    try await session.save(attachments[self.number - 1], to: self.output)
  }
}

struct ExportCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write calls to a file: a table, JSON or a report.",
    discussion: "Example: kith call export --format pdf --from 2026-01-01 --to 2026-11-30 -o calls.pdf")

  @OptionGroup var global: GlobalOptions

  @Option(help: "csv, json or pdf.")
  var format = CallExportFormat.csv

  @OptionGroup var filter: CallFilterOptions

  @Option(help: "Only the call with this id; may be repeated. Not for a report.")
  var id: [RecordID<Call>] = []

  @Option(
    name: .shortAndLong,
    help: "\(OutputFile.help.abstract) Default: calls-DAY.FORMAT, here.",
    completion: .file())
  var output: String?

  func run(_ session: Session) async throws {
    var request = ExportCallsRequest()
    request.format = self.format.rawValue
    request.filter = try await self.filter.filter(session)
    request.ids = try await self.id.ids(session)
    request.timeZone = session.zone.name
    request.language = session.language.rawValue
    let blob = try await session.ask(request, drawing: session.language("export", "書き出し"))
    let output = self.output ?? "calls-\(session.zone.day(of: session.now)).\(self.format.rawValue)"
    try await session.save(blob, to: output)
  }
}

struct ShareCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Send a report of calls over a channel: counts, and a line for each call.",
    discussion: """
      It is sent in the background; `kith channels deliveries` shows the result. `kith call export --format pdf` writes one to print.
      Example: kith call share --during 'last month' --channel family
      """)

  static let columns = DeliveryTable.columns

  @OptionGroup var global: GlobalOptions

  @OptionGroup var filter: CallFilterOptions

  @Option(
    name: .customLong("channel"), help: "A channel to send it over; may be repeated.", completion: Completion.channels)
  var channels: [String]

  func run(_ session: Session) async throws {
    var request = ShareCallsRequest()
    request.filter = try await self.filter.filter(session)
    request.timeZone = session.zone.name
    request.language = session.language.rawValue
    request.channels = self.channels
    let reply = try await session.ask(request)
    try await session.show(reply, DeliveryTable(reply.deliveries).lines(session))
  }
}
