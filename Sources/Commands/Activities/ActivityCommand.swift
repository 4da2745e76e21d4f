internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages

struct ActivityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activity", abstract: "Things done with people.",
    discussion: "Example: kith activity add ann Went to the museum --with bob --on yesterday",
    subcommands: [
      AddRecordCommand<NewActivityArguments>.self, ListRecordsCommand<ActivityFilter>.self,
      ShowRecordCommand<Activity>.self,
      EditRecordCommand<ActivityArguments>.self, DeleteRecordCommand<Activity>.self,
      RestoreRecordCommand<Activity>.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ActivityArguments: RecordArguments {
  @Argument(help: "What was done, in a few words.")
  var summary: [String] = []

  @Option(parsing: .unconditional, help: "A description.")
  var description: String?

  @Option(help: DayArgument.help)
  var on: DayArgument?

  @Option(help: "The kind of activity, one that `kith monica catalog activity_type` lists.")
  var type: String?

  func fill(_ changes: inout Changes<Activity>, _ session: Session) throws(Failure) {
    changes.set(\.summary, "summary", words: self.summary)
    changes.set(\.description_p, "description", self.description)
    changes.set(\.happenedOn, "happened_on", self.on?.text(session))
    changes.set(\.type, "type", self.type)
  }
}

/// A new activity with its participants. Its day is today unless --on names another.
struct NewActivityArguments: RecordArguments {
  @Argument(help: AnyoneReference.help)
  var person: AnyoneReference

  @OptionGroup var activity: ActivityArguments

  @Option(help: "Another participant; may be repeated.")
  var with: [AnyoneReference] = []

  func fill(_ changes: inout Changes<Activity>, _ session: Session) async throws(Failure) {
    var participants: [String] = []
    for person in [self.person] + self.with { participants.append(try await person.id(session)) }
    changes.set(\.participants, "participants", participants)
    changes.set(\.happenedOn, "happened_on", DayArgument.today.text(session))
    try self.activity.fill(&changes, session)
  }
}

struct ActivityFilter: RecordFilter {
  typealias Record = Activity

  static let example = "ann --during 'last month'"

  @OptionGroup var span: DaySpanOptions

  func fill(_ request: inout ListActivitiesRequest, _ session: Session) throws(Failure) {
    (request.fromDay, request.toDay) = self.span.days(session, in: session.zone)
  }
}

extension Activity: ListedRecord, RestorableRecord {
  typealias Creation = CreateActivityRequest
  typealias Change = UpdateActivityRequest
  typealias Deletion = DeleteActivityRequest
  typealias Lookup = GetActivityRequest
  typealias Restoration = RestoreActivityRequest
  typealias Listing = ListActivitiesRequest

  static let noun = Noun(
    command: "activity", singular: "activity", plural: "activities", japanese: "できごと",
    newExample: "ann Went to the museum --with bob",
    changeExample: "--on 2026-11-20")
  static let headings: [Column] = [
    Column("WHEN", "いつ"), Column("ACTIVITY", "内容", wraps: true), Column("TYPE", "種類", drops: 1),
    Column("WITH", "一緒に", drops: 2, wraps: true),
  ]
  static let isListedByPerson = false

  var namedPeople: [String] { self.participants }
  var knownNames: [String: String] {
    let pairs = zip(self.participants, self.participantNames).filter { !$0.1.isEmpty }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  func headline(_ names: PersonNames, _ say: Language) -> String { self.summary }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("With", "一緒に"), self.with(names)), (say("When", "いつ"), session.date(self.happenedOn)),
      (say("Type", "種類"), CommonName.words(.activityType, self.type, say)),
    ]
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] { Printable.lines(self.description_p) }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [
      session.ago(day: self.happenedOn), Printable.shortened(self.summary, to: 60),
      CommonName.words(.activityType, self.type, session.language), self.with(names),
    ]
  }

  private func with(_ names: PersonNames) -> String { self.participants.map { names[$0] }.joined(separator: ", ") }
}
