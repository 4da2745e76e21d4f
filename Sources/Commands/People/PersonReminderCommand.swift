internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages

struct PersonReminderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remind", abstract: "Reminders about people, which their pages show.",
    discussion: "Example: kith people remind add ann Send a card --on '24 december' --every 1 --unit year",
    subcommands: [
      AddRecordCommand<Owned<ReminderArguments>>.self, EditRecordCommand<ReminderArguments>.self,
      DeleteRecordCommand<PersonReminder>.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ReminderArguments: RecordArguments {
  /// The unit of a reminder's interval.
  enum Unit: String, ExpressibleByArgument, CaseIterable {
    case never, week, month, year

    var field: String { self == .never ? "one_time" : self.rawValue }
  }

  @Argument(help: "The text of the reminder.")
  var title: [String] = []

  @Option(parsing: .unconditional, help: "A description.")
  var description: String?

  @Option(help: "The first day: 2026-12-10, tomorrow, 'next monday', 'in 3 days', 来週月曜.")
  var on: DayArgument?

  @Option(help: "The interval, in weeks, months or years.")
  var every: UInt32?

  @Option(help: "The unit of the interval; never for a reminder that comes once.")
  var unit: Unit?

  func validate() throws {
    if self.every != nil, self.unit == nil { throw ValidationError("--every needs --unit week, month or year.") }
    if self.every == 0 { throw ValidationError("--every takes a number of at least 1.") }
  }

  func fill(_ changes: inout Changes<PersonReminder>, _ session: Session) throws(Failure) {
    changes.set(\.title, "title", words: self.title)
    changes.set(\.description_p, "description", self.description)
    changes.set(\.initialDate, "initial_date", self.on?.text(session, .future))
    // Without an interval, a new reminder comes once.
    let isNew = changes.record.id.isEmpty
    changes.set(\.frequency, "frequency", self.unit?.field ?? (isNew ? Unit.never.field : nil))
    changes.set(\.every, "every", self.every ?? (self.unit == nil ? nil : 1))
  }
}

extension PersonReminder: OwnedRecord {
  typealias Creation = CreatePersonReminderRequest
  typealias Change = UpdatePersonReminderRequest
  typealias Deletion = DeletePersonReminderRequest

  static let idKind = "person_reminder"
  static let noun = Noun(
    command: "people remind", singular: "reminder", plural: "reminders", japanese: "お知らせ",
    newExample: "ann Send a card --on '24 december'",
    changeExample: "--on 'next monday'")
  static let headings: [Column] = [
    Column("NEXT", "次回"), Column("REMINDER", "内容", wraps: true), Column("AGAIN", "繰り返し", drops: 1),
  ]

  func headline(_ names: PersonNames, _ say: Language) -> String { self.title }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("Person", "人"), names[self.personID]), (say("First", "最初"), session.date(self.initialDate)),
      (say("Next", "次回"), session.date(self.nextOn)),
      (say("Again", "繰り返し"), self.again(say)),
      (say("Made by", "作成"), self.isAutomatic ? say("the server, of a birthday", "サーバー (誕生日から)") : ""),
    ]
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] { Printable.lines(self.description_p) }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    let next = self.nextOn.isEmpty ? self.initialDate : self.nextOn
    return [session.ago(day: next), self.title, self.again(session.language)]
  }

  private func again(_ say: Language) -> String {
    switch self.frequency {
    case "one_time", "": ""
    default:
      say(
        "every \(self.every > 1 ? Count.of(Int(self.every), self.frequency) : self.frequency)",
        "\(max(1, self.every))\(["week": "週間", "month": "か月"][self.frequency] ?? "年")ごと")
    }
  }
}
