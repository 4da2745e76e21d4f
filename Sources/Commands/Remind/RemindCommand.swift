internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

struct RemindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remind",
    abstract: "Reminders: the daily one to record care, those of the plan, and those to call a person.",
    discussion: "Example: kith remind daily 21:00",
    subcommands: [
      DailyReminderCommand.self, ReminderStatusCommand.self, CallReminderCommand.self, ListRemindersCommand.self,
      ReminderSettingsCommand.self, SnoozeReminderCommand.self, DoneReminderCommand.self, SkipReminderCommand.self,
      RemoveReminderCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct DailyReminderCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "daily", abstract: "Set the daily reminder to record care, or turn it off.",
    discussion: """
      If the time is to come today, it comes today, even if another time of today has passed; else tomorrow.
      Example: kith remind daily 21:00 --time-zone Asia/Tokyo
      Example: kith remind daily off
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The time, such as 20:00, 8pm or 午後8時; or off.")
  var time: String

  @Option(help: "Its time zone, such as Asia/Tokyo; system for the hub's.")
  var timeZone = ""

  @Flag(inversion: .prefixedNo, help: "Only on days on which nothing was recorded.")
  var onlyIfNothingRecorded: Bool?

  @Option(help: "How many minutes late it may come, at most 1440.")
  var catchUp: UInt32 = 0

  func run(_ session: Session) async throws {
    var request = SetDailyReminderRequest()
    request.enabled = !["off", "オフ"].contains(self.time.lowercased())
    if request.enabled { request.time = DayWords.time(self.time) }
    request.timeZone = self.timeZone
    if let onlyIfNothingRecorded { request.onlyIfNothingRecorded = onlyIfNothingRecorded }
    request.catchUpMinutes = self.catchUp
    let daily = try await session.ask(request)
    try await session.show(daily, [daily.words(session)])
  }
}

struct ReminderStatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the daily reminder, due reminders and coming ones.",
    discussion: "Example: kith remind status --json")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ReminderStatusRequest())
    let say = session.language
    try await session.show(
      reply,
      [reply.daily.words(session)] + reply.daily.deliveryLines(session)
        + ["", session.console.style.bold(say("Due", "期限が来たもの"))]
        + ReminderTable(reply.due, empty: say("Nothing is due.", "ありません。")).lines(session)
        + ["", session.console.style.bold(say("To come", "これから"))]
        + ReminderTable(reply.pending, empty: say("Nothing is to come.", "ありません。")).lines(session))
  }
}

struct CallReminderCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Create a reminder to call a person.",
    discussion: """
      Example: kith remind call Ann --in 10
      Example: kith remind call Ann --on 'next monday 8pm'
      """)

  static let columns = ReminderTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @Option(name: .customLong("in"), help: "Days from today; 0 = today.")
  var days: UInt32?

  @Option(
    help: "When: \"2026-12-24 18:00\", tomorrow, 'next monday 8pm', 来週月曜; a day alone is meant at 10:00.",
    transform: TimeText.pointOrDay)
  var on: TimeText?

  @Option(help: "What it is about.")
  var note = ""

  func run(_ session: Session) async throws {
    var request = AddCallReminderRequest()
    request.personID = try await self.person.id(session)
    if let days { request.inDays = days }
    if self.days == 0 { request.on = session.zone.day(of: session.now).description }
    if let on { request.on = try on.localText(session) }
    request.note = self.note
    request.timeZone = session.zone.name
    try await session.show(try await session.ask(request))
  }
}

struct ListRemindersCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List coming reminders, or past ones.",
    discussion: "Example: kith remind list --past --limit 20")

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Past reminders: done, missed or removed, newest first.")
  var past = false

  @Option(help: "Only daily, call, person, plan or double.")
  var kind = ""

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = ListRemindersRequest()
    request.past = self.past
    request.kind = ReminderKind.name(typed: self.kind)
    let reply = try await self.page.ask(request, session)
    try await session.show(
      reply,
      ReminderTable(reply.reminders, empty: session.language("No reminders.", "お知らせはありません。")).lines(session)
        + PageOptions.more(reply.nextCursor, session.language))
  }
}

/// The reminder that a command is about.
struct ReminderTarget: ParsableArguments {
  @Argument(help: IDText.help)
  var target: RecordID<Reminder>

  /// Sends a request about it, and prints the reminder as it is then.
  func send<Request: ReminderNaming>(_ request: Request, _ session: Session) async throws(Failure) {
    var request = request
    request.id = try await self.target.id(session)
    try await session.show(try await session.ask(request))
  }
}

/// A request that names a reminder.
protocol ReminderNaming: Command where Reply == Reminder {
  /// The id of the reminder.
  var id: String { get set }
}

extension SnoozeReminderRequest: ReminderNaming {}
extension DoneReminderRequest: ReminderNaming {}
extension SkipReminderRequest: ReminderNaming {}
extension RemoveReminderRequest: ReminderNaming {}

extension Session {
  /// Prints a reminder, and what others had answered of it.
  fileprivate func show(_ reminder: Reminder) async throws(Failure) {
    try await self.show(
      reminder, ReminderTable([reminder], empty: "").lines(self) + reminder.answeredBefore(self))
  }
}

struct SnoozeReminderCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Snooze a due reminder.",
    discussion: "Example: kith remind snooze daily:2026-11-20")

  static let columns = ReminderTable.columns

  @OptionGroup var global: GlobalOptions
  @OptionGroup var reminder: ReminderTarget

  @Option(help: "Minutes until it comes again. Default: 30.")
  var minutes: UInt32 = 0

  func run(_ session: Session) async throws {
    try await self.reminder.send(SnoozeReminderRequest.with { $0.minutes = self.minutes }, session)
  }
}

struct DoneReminderCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Mark a reminder as done.",
    discussion: """
      Of the plan: what it names is recorded as given now, as far as nobody answered yet.
      Example: kith remind done daily:2026-11-20
      """)

  static let columns = ReminderTable.columns

  @OptionGroup var global: GlobalOptions
  @OptionGroup var reminder: ReminderTarget

  func run(_ session: Session) async throws { try await self.reminder.send(DoneReminderRequest(), session) }
}

struct SkipReminderCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Record that what a reminder of the plan names is not given, and why.",
    discussion: "Example: kith remind skip plan:2026-11-20-0700 --reason 'feels sick'")

  static let columns = ReminderTable.columns

  @OptionGroup var global: GlobalOptions
  @OptionGroup var reminder: ReminderTarget

  @Option(help: "Why.")
  var reason = ""

  func run(_ session: Session) async throws {
    try await self.reminder.send(SkipReminderRequest.with { $0.reason = self.reason }, session)
  }
}

struct RemoveReminderCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a reminder.",
    discussion: "Example: kith remind remove daily:2026-11-20")

  static let columns = ReminderTable.columns

  @OptionGroup var global: GlobalOptions
  @OptionGroup var reminder: ReminderTarget

  func run(_ session: Session) async throws { try await self.reminder.send(RemoveReminderRequest(), session) }
}
