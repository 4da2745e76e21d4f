internal import ArgumentParser
internal import Bus
internal import KithMessages

/// `kith jobs`: the jobs of workers.
struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs", abstract: "Show and control the jobs of workers.",
    discussion: "Example: kith jobs list",
    subcommands: [ListJobsCommand.self, ShowJobCommand.self, RetryJobCommand.self, CancelJobCommand.self],
    defaultSubcommand: ListJobsCommand.self)

  @OptionGroup var global: GlobalOptions
}

struct ListJobsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List jobs, newest first, and the connected workers.",
    discussion: "Example: kith jobs list --state dead")

  @OptionGroup var global: GlobalOptions

  @Option(help: "Only this state: queued, running, done, failed, dead, unknown, cancelled.")
  var state: String?

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = ListJobsRequest()
    request.state = JobState.name(typed: self.state ?? "")
    let reply = try await self.page.ask(request, session)
    let lines = JobTable(reply.jobs).lines(session) + PageOptions.more(reply.nextCursor, session.language)
    try await session.show(reply, lines + WorkerTable(reply.workers).lines(session))
  }
}

struct ShowJobCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one job.", discussion: "Example: kith jobs show \(IDText.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<JobInfo>

  func run(_ session: Session) async throws {
    var request = GetJobRequest()
    request.jobID = try await self.target.id(session)
    let reply = try await session.ask(request)
    try await session.show(reply, JobCard(reply.job).lines(session))
  }
}

struct RetryJobCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Retry a dead job: five workers failed while running it.",
    discussion: """
      A transcription runs after the transcriptions that wait before it.

      Example: kith jobs retry \(IDText.example)
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<JobInfo>

  func run(_ session: Session) async throws {
    var request = RetryJobRequest()
    request.jobID = try await self.target.id(session)
    let reply = try await session.ask(request)
    try await session.show(reply, JobCard(reply.job).lines(session))
  }
}

struct CancelJobCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Cancel a job. Its caller gets an error.",
    discussion: "Example: kith jobs cancel \(IDText.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<JobInfo>

  func run(_ session: Session) async throws {
    var request = CancelJobRequest()
    request.jobID = try await self.target.id(session)
    let reply = try await session.ask(request)
    try await session.show(reply, JobCard(reply.job).lines(session))
  }
}
