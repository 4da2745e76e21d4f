internal import ArgumentParser
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// What an item says, as options.
struct PlanItemOptions: ParsableArguments {
  @Option(help: "medicine, meal, drink, exercise, visit or other; 薬, 食事, 飲み物, 運動, 受診, その他.")
  var kind: String?

  @Option(help: "A time of day at which it is due: 8:00, 8pm, 午後8時. More than one are separated by commas.")
  var at: String?

  @Option(help: "Only on these days of the week: mon,thu.")
  var days: String?

  @Option(help: "Hours from one time to the next, in place of times: 8.")
  var every: UInt32?

  @Option(help: "A time of day at which it comes, with --every: 7:00.")
  var first: String?

  @Flag(inversion: .prefixedNo, help: "It is given as needed, without times.")
  var needed: Bool?

  @Option(help: "Minutes that have to pass from one time to the next; sooner is too early.")
  var least: UInt32?

  @Option(help: "The most times in a day.")
  var most: UInt32?

  @Option(help: "How much each time: 2, 0.5.")
  var amount: String?

  @Option(help: "The unit of the amount: tablets, ml.")
  var unit: String?

  @Option(help: "tablet, capsule, liquid, drops, injection, inhaler, patch, ointment, powder, suppository or spray.")
  var form: String?

  @Option(help: "The first day.")
  var from: DaysArgument?

  @Option(help: "The last day.")
  var until: DaysArgument?

  @Option(help: "A note.")
  var note: String?

  @Option(help: "Minutes after which it is missed. Default: 120.")
  var missed: UInt32?

  @Flag(inversion: .prefixedNo, help: "Remind nobody of it.")
  var quiet: Bool?

  @Option(
    help: "Minutes without an answer after which people are reminded again. Default: 30; as many as --missed: never.")
  var again: UInt32?

  @Option(help: "\"Order soon\" when no more than this is left.")
  var orderAt: String?

  /// The fields that the options set.
  func changes(_ session: Session, before: PlanItem) async throws -> Changes<PlanItem> {
    var changes = Changes<PlanItem>()
    changes.set(\.kind, "kind", self.kind.map(PlanKind.name(typed:)))
    if self.at != nil || self.days != nil { changes.set(\.times, "times", self.times(before)) }
    changes.set(\.everyHours, "every_hours", self.every ?? (self.at == nil && self.needed != true ? nil : 0))
    changes.set(\.firstTime, "first_time", self.first.map(DayWords.time))
    changes.set(\.asNeeded, "as_needed", self.needed ?? (self.at == nil && self.every == nil ? nil : false))
    if self.at == nil, self.every != nil || self.needed == true { changes.set(\.times, "times", []) }
    changes.set(\.leastMinutes, "least_minutes", self.least)
    changes.set(\.mostPerDay, "most_per_day", self.most)
    changes.set(\.amount, "amount", self.amount)
    changes.set(\.unit, "unit", self.unit)
    changes.set(\.form, "form", self.form.map(PlanForm.name(typed:)))
    changes.set(\.from, "from", self.from?.first.text(session, .future))
    changes.set(\.until, "until", self.until?.last.text(session, .future))
    changes.set(\.note, "note", self.note)
    changes.set(\.missedMinutes, "missed_minutes", self.missed)
    changes.set(\.quiet, "quiet", self.quiet)
    changes.set(\.againMinutes, "again_minutes", self.again)
    changes.set(\.orderAt, "order_at", self.orderAt)
    return changes
  }

  private func times(_ before: PlanItem) -> [PlanTime] {
    self.carried(before)?.times
      ?? before.times.map { time in
        PlanTime.with {
          $0 = time
          $0.weekdays = self.weekdays ?? []
        }
      }
  }

  /// What `--at` carries over from the times of before; nil without it.
  func carried(_ before: PlanItem) -> CarriedTimes? {
    self.at.map { at in
      CarriedTimes(Self.parts(at).map(DayWords.time), before: before.times, days: self.weekdays)
    }
  }

  private var weekdays: [String]? { self.days.map { Self.parts($0).map(Weekday.name(typed:)) } }

  private static func parts(_ list: String) -> [String] {
    list.split { ",、 ".contains($0) }.map(String.init)
  }
}

struct AddPlanItemCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add an item to the plan.",
    discussion: """
      Its times count from now: a time of today that has passed comes tomorrow.
      People are reminded of it, unless it is given as needed or you say --quiet: kith remind settings --plan CHANNEL.
      Example: kith plan add aspirin --at 8:00,20:00 --amount 1 --unit tablet --stock 28 --order-at 6
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "What is given or done.")
  var name: [String]

  @OptionGroup var options: PlanItemOptions

  @Option(help: "How much is left now.")
  var stock = ""

  @OptionGroup var confirmation: Confirmation

  func validate() throws {
    guard self.options.at != nil || self.options.every != nil || self.options.needed == true else {
      throw ValidationError("Say when it is due: --at 8:00,20:00, --every 8 or --needed.")
    }
  }

  func run(_ session: Session) async throws {
    var request = AddPlanItemRequest()
    request.item = try await self.options.changes(session, before: PlanItem()).record
    request.item.name = self.name.joined(separator: " ")
    if request.item.kind.isEmpty { request.item.knownKind = .medicine }
    request.stock = self.stock
    try await self.confirmation.ask(beforeNaming: request.item.name, session)
    let reply = try await session.ask(request)
    try await session.show(reply, PlanItemCard(reply).lines(session))
  }
}

struct ChangePlanItemCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change an item; what it said before stays the plan of the time before.",
    discussion: "Example: kith plan change aspirin --at 9:00,21:00")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  @Option(help: "Another name.")
  var name: String?

  @OptionGroup var options: PlanItemOptions

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    let id = try await self.item.id(session)
    if let name { try await self.confirmation.ask(beforeNaming: name, id: id, session) }
    let before = try await session.ask(GetPlanItemRequest.with { $0.id = id })
    var changes = try await self.options.changes(session, before: before)
    changes.set(\.name, "name", self.name)
    let reply = try await session.ask(
      ChangePlanItemRequest.with {
        $0.item = changes.record
        $0.item.id = before.id
        $0.fields = changes.fields
      })
    let notes = self.options.carried(before)?.lines(session.language, unit: reply.unit) ?? []
    try await session.show(reply, PlanItemCard(reply).lines(session) + notes)
  }
}

struct ListPlanItemsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "items", abstract: "List the items of the plan.", discussion: "Example: kith plan items",
    aliases: ["list"])

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Ended items too.")
  var ended = false

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ListPlanItemsRequest.with { $0.all = self.ended })
    try await session.show(reply, PlanItemTable(reply.items).lines(session))
  }
}

/// A command that names one item, asks something of it, and shows it.
protocol OneItemCommand: HubCommand {
  associatedtype Request: Command where Request.Reply == PlanItem

  var item: PlanItemReference { get }

  /// What is asked of the item with an id.
  func request(_ id: String) -> Request
}

extension OneItemCommand {
  func run(_ session: Session) async throws {
    let reply = try await session.ask(self.request(try await self.item.id(session)))
    try await session.show(reply, PlanItemCard(reply).lines(session))
  }
}

struct ShowPlanItemCommand: OneItemCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show an item with what it said before.",
    discussion: "Example: kith plan show aspirin")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  func request(_ id: String) -> GetPlanItemRequest { .with { $0.id = id } }
}

struct PausePlanItemCommand: OneItemCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pause an item: nothing of it is due until it is resumed.",
    discussion: "Example: kith plan pause aspirin")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  func request(_ id: String) -> PausePlanItemRequest { .with { $0.id = id } }
}

struct ResumePlanItemCommand: OneItemCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume a paused or ended item.", discussion: "Example: kith plan resume aspirin")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  func request(_ id: String) -> ResumePlanItemRequest { .with { $0.id = id } }
}

struct EndPlanItemCommand: OneItemCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End an item; it is kept, with all that was given.",
    discussion: "Example: kith plan end aspirin")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  func request(_ id: String) -> EndPlanItemRequest { .with { $0.id = id } }
}

struct PlanStockCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "stock", abstract: "Say how much of an item is left, or how much came.",
    discussion: "Example: kith plan stock aspirin --added 28")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PlanItemReference.help)
  var item: PlanItemReference

  @Argument(help: "How much is left now.")
  var left = ""

  @Option(help: "How much came.")
  var added = ""

  func run(_ session: Session) async throws {
    let id = try await self.item.id(session)
    let reply = try await session.ask(
      StockPlanItemRequest.with { ($0.id, $0.left, $0.added) = (id, self.left, self.added) })
    try await session.show(reply, PlanItemCard(reply).lines(session))
  }
}
