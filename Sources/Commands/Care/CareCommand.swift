internal import ArgumentParser
internal import CivilTime
internal import KithMessages

struct CareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "care", abstract: "The record of home care, spoken or typed.",
    discussion: "Example: kith care voice --category meal --seconds 20",
    subcommands: [
      RecordCareCommand.self, VoiceCareCommand.self, ListCareCommand.self, ShowCareCommand.self, EditCareCommand.self,
      ConfirmCareCommand.self, DeleteCareCommand.self, RestoreCareCommand.self, SearchCareCommand.self,
      PlayCareCommand.self, AudioCareCommand.self, RetryCareCommand.self, SummaryCareCommand.self,
      ShareCareCommand.self, ReportCareCommand.self, ExportCareCommand.self,
      CareSettingsCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct RecordCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record an entry with a memo.",
    discussion: "Example: kith care record medication two tablets after breakfast")

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: "medication, meal, toileting, medical_visit or free_memo; 服薬, 食事, 排泄, 通院, 自由メモ.",
    completion: .list(CareCategory.allCases.map { $0.words(.ofLocale) }))
  var category: String

  @Argument(help: "What was done or seen.")
  var memo: [String] = []

  @OptionGroup var moment: MomentOption

  @Option(help: "The name of the person who records. Default: as configured.")
  var recorder = ""

  func run(_ session: Session) async throws {
    var request = RecordCareRequest()
    request.category = CareCategory.name(typed: self.category)
    request.recorder = self.recorder
    if let time = try self.moment.moment(session) { request.occurredAt = time }
    request.memo = try self.words(session)
    let reply = try await session.ask(request)
    try await session.show(reply, CareCard(reply.record).lines(session))
  }

  /// The memo, which is asked for on a terminal: an entry of a person has words.
  private func words(_ session: Session) throws -> String {
    var words = self.memo.joined(separator: " ")
    // kithd refuses another category.
    guard CareCategory(rawValue: CareCategory.name(typed: self.category)) != nil else { return words }
    if words.allSatisfy(\.isWhitespace), session.console.isTerminal, !session.isJSON {
      words = session.console.ask(session.language("What was done or seen? ", "何をしましたか? ")) ?? ""
    }
    guard !words.allSatisfy(\.isWhitespace) else {
      throw ValidationError("Say what was done or seen, behind the category: kith care record meal half of the rice")
    }
    return words
  }
}

struct ListCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the entries of some days, oldest first, or the newest.",
    discussion: """
      Example: kith care list --day 2026-11-20
      Example: kith care list --during 'last week'
      """)

  @OptionGroup var global: GlobalOptions

  @OptionGroup var span: DaySpanOptions

  @Option(help: "Only this category.")
  var category = ""

  @Option(help: "Only entries with this review: none, needed or done.")
  var review = ""

  @OptionGroup var page: PageOptions

  @Flag(help: "Only deleted entries.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ListCareRequest()
    if !self.span.isEmpty {
      let (first, last) = self.span.days(session, in: try await session.careZone())
      if first == last { request.day = first } else { (request.fromDay, request.toDay) = (first, last) }
    }
    request.category = CareCategory.name(typed: self.category)
    request.review = CareReview.name(typed: self.review)
    request.includeDeleted = self.deleted
    // Days are shown whole.
    let page = self.page.showing(atMost: self.span.isEmpty ? nil : LimitOption.most)
    let reply = try await page.ask(request, session)
    try await session.show(reply, CareTable(reply).lines(session))
  }
}

struct ShowCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one entry with its earlier versions.",
    discussion: "Example: kith care show last")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  func run(_ session: Session) async throws {
    var request = GetCareRequest()
    request.id = try await self.target.id(session)
    let reply = try await session.ask(request)
    try await session.show(reply, CareCard(reply.record).lines(session))
  }
}

struct SearchCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find entries by words of transcript and memo, newest first.",
    discussion: "Example: kith care search compress")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text to search for.")
  var text: [String]

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = SearchCareRequest()
    request.text = self.text.joined(separator: " ")
    let reply = try await self.page.ask(request, session)
    try await session.show(reply, CareTable(reply).lines(session))
  }
}

struct EditCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Correct an entry. Its earlier version is kept.",
    discussion: "Example: kith care edit last --memo 'one tablet'")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  @Option(help: "The new memo; '' for none.")
  var memo: String?

  @Option(help: "The new transcript.")
  var transcript: String?

  @Option(help: "Another category.")
  var category: String?

  @OptionGroup var moment: MomentOption

  @Option(help: "The name of the person who recorded it.")
  var recorder: String?

  @Option(help: "The name of the person who corrects it.")
  var by = ""

  func run(_ session: Session) async throws {
    var request = UpdateCareRequest()
    request.record.id = try await self.target.id(session)
    request.correctedBy = self.by
    func set(_ field: String, _ value: String?, _ path: WritableKeyPath<CareRecord, String>) {
      guard let value else { return }
      request.record[keyPath: path] = value
      request.fields.append(field)
    }
    set("memo", self.memo, \.memo)
    set("transcript", self.transcript, \.transcript)
    set("category", self.category.map(CareCategory.name), \.category)
    set("recorder", self.recorder, \.recorder)
    if let time = try self.moment.moment(session) {
      request.record.occurredAt = time
      request.fields.append("occurred_at")
    }
    let reply = try await session.ask(request)
    try await session.show(reply, CareCard(reply.record).lines(session))
  }
}

struct ConfirmCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Confirm the transcript of an entry.",
    discussion: "Example: kith care confirm last --category medication")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  @Option(help: "The category, if it was recognised wrongly.")
  var category = ""

  func run(_ session: Session) async throws {
    var request = ConfirmCareRequest()
    request.id = try await self.target.id(session)
    request.category = CareCategory.name(typed: self.category)
    let reply = try await session.ask(request)
    try await session.show(reply, CareCard(reply.record).lines(session))
  }
}

struct DeleteCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an entry. `kith care restore` restores it.",
    discussion: "Example: kith care delete last")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  func run(_ session: Session) async throws {
    var request = DeleteCareRequest()
    request.id = try await self.target.id(session)
    let reply = try await session.ask(request)
    try await session.show(
      reply,
      CareCard(reply.record).lines(session) + [
        session.language("To restore it:", "元に戻すには:") + " kith care restore \(session.ids[reply.record.id])"
      ])
  }
}

struct RestoreCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a deleted entry.",
    discussion: "Example: kith care restore last")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  func run(_ session: Session) async throws {
    var request = RestoreCareRequest()
    request.id = try await self.target.deletedID(session)
    let reply = try await session.ask(request)
    try await session.show(reply, CareCard(reply.record).lines(session))
  }
}

struct ExportCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write entries to a file.",
    discussion: "Example: kith care export -o november.csv --from 2026-11-01 --to 2026-11-30")

  @OptionGroup var global: GlobalOptions

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  @Option(help: "csv or json.")
  var format = CareExportFormat.csv

  @Option(help: "The first day: 2026-11-20, yesterday, 'last month' (its first day), 先月.")
  var from: DaysArgument?

  @Option(help: "The last day; of a week or a month, its last.")
  var to: DaysArgument?

  func run(_ session: Session) async throws {
    var request = ExportCareRequest()
    request.format = self.format.rawValue
    request.fromDay = try await session.careDay(self.from?.first)
    request.toDay = try await session.careDay(self.to?.last)
    let blob = try await session.ask(request, drawing: session.language("export", "書き出し"))
    try await session.save(blob, to: self.output)
  }
}

struct ReportCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Make a report for a doctor as PDF.",
    discussion: """
      It has the plan and its changes, what was given, what was measured with pictures, and the entries. Default: the last four weeks.
      Example: kith care report -o november.pdf --from 2026-11-01 --until 2026-11-30
      """)

  @OptionGroup var global: GlobalOptions

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  @Option(help: "The first day.")
  var from: DaysArgument?

  @Option(help: "The last day.")
  var until: DaysArgument?

  func run(_ session: Session) async throws {
    var request = CareReportRequest()
    request.from = try await session.careDay(self.from?.first)
    request.until = try await session.careDay(self.until?.last)
    request.language = self.global.lang?.rawValue ?? ""
    let blob = try await session.ask(request, drawing: session.language("report", "報告書"))
    try await session.save(blob, to: self.output)
  }
}
