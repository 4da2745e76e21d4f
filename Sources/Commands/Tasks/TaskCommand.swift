internal import ArgumentParser
internal import Bus
internal import KithMessages

struct TaskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "task", abstract: "Things to do, for a person or in general.",
    discussion: "Example: kith task add ann Send the photos",
    subcommands: [
      AddRecordCommand<NewTaskArguments>.self, ListRecordsCommand<NoFilter<TaskItem>>.self,
      ShowRecordCommand<TaskItem>.self,
      EditRecordCommand<TaskArguments>.self, CompleteTaskCommand.self, DeleteRecordCommand<TaskItem>.self,
      RestoreRecordCommand<TaskItem>.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct CompleteTaskCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Mark a task as done.",
    discussion: "Example: kith task done \(IDText.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<TaskItem>

  func run(_ session: Session) async throws {
    var request = UpdateTaskRequest()
    request.record.id = try await self.target.id(session)
    request.record.isCompleted = true
    request.fields = ["is_completed"]
    let task = try await session.ask(request)
    try await session.show(task, [session.language("Done:", "完了:") + " \(Printable.text(task.title))"])
  }
}

struct TaskArguments: RecordArguments {
  enum Progress: String, EnumerableFlag {
    case open, done
  }

  @Argument(help: "The title of the task.")
  var title: [String] = []

  @Option(parsing: .unconditional, help: "A description.")
  var description: String?

  @Flag(help: "Whether it is open or done.")
  var progress: Progress?

  func fill(_ changes: inout Changes<TaskItem>, _ session: Session) throws(Failure) {
    changes.set(\.title, "title", words: self.title)
    changes.set(\.description_p, "description", self.description)
    changes.set(\.isCompleted, "is_completed", self.progress.map { $0 == .done })
  }
}

/// A new task, for a person or for nobody.
struct NewTaskArguments: RecordArguments {
  private static let nobody = "-"

  @Argument(help: "The person: an id, or a name that only one person has; - for a task without a person.")
  var person: PersonReference

  @OptionGroup var task: TaskArguments

  func fill(_ changes: inout Changes<TaskItem>, _ session: Session) async throws(Failure) {
    if self.person.text != Self.nobody { changes.set(\.personID, "person_id", try await self.person.id(session)) }
    try self.task.fill(&changes, session)
  }
}

extension TaskItem: OwnedRecord, ListedRecord, RestorableRecord {
  typealias Creation = CreateTaskRequest
  typealias Change = UpdateTaskRequest
  typealias Deletion = DeleteTaskRequest
  typealias Lookup = GetTaskRequest
  typealias Restoration = RestoreTaskRequest
  typealias Listing = ListTasksRequest

  static let noun = Noun(
    command: "task", singular: "task", plural: "tasks", japanese: "タスク", newExample: "ann Send the photos",
    changeExample: "--done")
  static let headings: [Column] = [
    Column("DONE", "済"), Column("TASK", "タスク", wraps: true), Column("ADDED", "登録", drops: 1),
  ]
  static let isListedByPerson = false

  var knownNames: [String: String] { self.personName.isEmpty ? [:] : [self.personID: self.personName] }

  func headline(_ names: PersonNames, _ say: Language) -> String { self.title }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("For", "人"), names[self.personID]),
      (
        say("Done", "完了"),
        !self.isCompleted
          ? say("no", "いいえ") : self.hasCompletedAt ? session.moment(self.completedAt) : say("yes", "はい")
      ),
    ]
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] { Printable.lines(self.description_p) }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [self.isCompleted ? "✓" : "", self.title, session.ago(self.createdAt)]
  }
}
