internal import ArgumentParser
internal import KithMessages
internal import SwiftProtobuf

struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "What is to be given or done, and what was given.",
    discussion: """
      Kith keeps what you enter. It is no medical device, gives no advice and computes no dose.
      Example: kith plan
      """,
    subcommands: [
      PlanDayCommand.self, GiveCommand.self, SkipCommand.self, UndoDoseCommand.self, DoseHistoryCommand.self,
      HeardCommand.self,
      AddPlanItemCommand.self, ChangePlanItemCommand.self, ListPlanItemsCommand.self, ShowPlanItemCommand.self,
      PausePlanItemCommand.self, ResumePlanItemCommand.self, EndPlanItemCommand.self, PlanStockCommand.self,
      ExportPlanCommand.self,
    ],
    defaultSubcommand: PlanDayCommand.self)

  @OptionGroup var global: GlobalOptions
}

struct PlanDayCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "day", abstract: "Show a day of the plan: what is due, and what was given.",
    discussion: "Example: kith plan day yesterday")

  @OptionGroup var global: GlobalOptions

  @Argument(help: DayArgument.help)
  var day = DayArgument.today

  func run(_ session: Session) async throws {
    let day = try await session.careDay(self.day)
    let reply = try await session.ask(PlanDayRequest.with { $0.day = day })
    try await session.show(reply, PlanBoard(reply).lines(session))
  }
}

// MARK: - What was given

struct GiveCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "give", abstract: "Record that an item was given or done.",
    discussion: """
      If it was given already, too early or too often, kith says so and asks; what you then say is recorded.
      Example: kith plan give aspirin --at '10 min ago'
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  @OptionGroup var moment: MomentOption

  @Option(help: "The time that it was due, if not the nearest: 8:00.", transform: TimeText.point)
  var due: TimeText?

  @Option(help: "How much, if not as planned: 2, 0.5.")
  var amount = ""

  @Flag(help: "Only a part was taken.")
  var partly = false

  @Option(help: "A note.")
  var note = ""

  @Option(help: "The name of the person who records. Default: as configured.")
  var recorder = ""

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    var request = GiveRequest()
    request.itemID = try await self.item.id(session)
    if let time = try self.moment.moment(session) { request.occurredAt = time }
    if let due = try self.due?.start(now: session.now, in: try await session.careZone()) { request.due = due }
    request.amount = self.amount
    request.partly = self.partly
    request.note = self.note
    request.recorder = self.recorder
    try await self.confirmation.record(request, session)
  }
}

struct SkipCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Record that what is due is not given, and why.",
    discussion: "Example: kith plan skip aspirin --reason 'feels sick'")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  @Option(help: "Why.")
  var reason = ""

  @Option(help: "The time that it was due, if not the nearest: 8:00.", transform: TimeText.point)
  var due: TimeText?

  @Option(help: "The name of the person who records. Default: as configured.")
  var recorder = ""

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    var request = SkipRequest()
    request.itemID = try await self.item.id(session)
    if let due = try self.due?.start(now: session.now, in: try await session.careZone()) { request.due = due }
    request.reason = self.reason
    request.recorder = self.recorder
    try await self.confirmation.record(request, session)
  }
}

/// A request that is recorded unless there is a warning, which a person answers.
protocol WarnedRequest: Command where Reply == DoseReply {
  var unlessWarned: Bool { get set }

  /// Fixes what a person was asked about, whatever happens meanwhile.
  mutating func fix(_ reply: DoseReply)
}

extension GiveRequest: WarnedRequest {
  mutating func fix(_ reply: DoseReply) {
    if reply.hasDue { self.due = reply.due }
    self.occurredAt = reply.occurredAt
    self.confirm(reply.warnings)
  }
}

extension SkipRequest: WarnedRequest {
  mutating func fix(_ reply: DoseReply) {
    if reply.hasDue { self.due = reply.due }
  }
}

extension Confirmation {
  /// Records, and asks before if there is something to know.
  func record(_ given: some WarnedRequest, _ session: Session) async throws {
    var request = given
    request.unlessWarned = !self.yes
    var reply = try await session.ask(request)
    if !reply.hasDose {
      try self.ask(DoseText.question(reply, session), isGrave: true, session)
      request.unlessWarned = false
      request.fix(reply)
      reply = try await session.ask(request)
    }
    try await session.show(reply, DoseText(reply).lines(session))
  }
}

struct UndoDoseCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back what was recorded as given or skipped; it stays in the history.",
    discussion: "Example: kith plan undo last")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var id: RecordID<Dose>

  func run(_ session: Session) async throws {
    let id = try await self.id.id(session)
    let reply = try await session.ask(UndoDoseRequest.with { $0.id = id })
    try await session.show(reply, DoseText(reply).lines(session))
  }
}

struct DoseHistoryCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List what was given and skipped, the newest first.",
    discussion: "Example: kith plan history aspirin --from monday")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference?

  @Option(help: "The first day.")
  var from: DaysArgument?

  @Option(help: "The last day.")
  var until: DaysArgument?

  @Flag(help: "Also what was taken back.")
  var deleted = false

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = ListDosesRequest()
    if let item { request.itemID = try await item.id(session) }
    request.from = try await session.careDay(self.from?.first)
    request.until = try await session.careDay(self.until?.last)
    request.deleted = self.deleted
    let reply = try await self.page.ask(request, session)
    try await session.show(reply, DoseTable(reply).lines(session))
  }
}
