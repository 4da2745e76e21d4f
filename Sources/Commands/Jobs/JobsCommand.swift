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

  @Option(help: "Only this state: queued, leased, done, failed, dead, unknown, cancelled.")
  var state: String?

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = ListJobsRequest()
    self.page.fill(&request)
    request.state = self.state ?? ""
    let reply = try await session.ask(request)
    let lines = JobTable(reply.jobs).lines(session) + PageOptions.more(reply.nextCursor)
    try session.show(reply, lines + WorkerTable(reply.workers).lines(session))
  }
}

struct ShowJobCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one job.", discussion: "Example: kith jobs show \(RecordID.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The id, as `kith jobs list` shows it.")
  var id: String

  func run(_ session: Session) async throws {
    var request = GetJobRequest()
    request.jobID = self.id
    let reply = try await session.ask(request)
    try session.show(reply, JobCard(reply.job).lines(session))
  }
}

struct RetryJobCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Retry a dead job: five workers failed while running it.",
    discussion: """
      A transcription runs after the transcriptions that wait before it.

      Example: kith jobs retry \(RecordID.example)
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The id, as `kith jobs list` shows it.")
  var id: String

  func run(_ session: Session) async throws {
    var request = RetryJobRequest()
    request.jobID = self.id
    let reply = try await session.ask(request)
    try session.show(reply, JobCard(reply.job).lines(session))
  }
}

struct CancelJobCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Cancel a job. Its caller gets an error.",
    discussion: "Example: kith jobs cancel \(RecordID.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The id, as `kith jobs list` shows it.")
  var id: String

  func run(_ session: Session) async throws {
    var request = CancelJobRequest()
    request.jobID = self.id
    let reply = try await session.ask(request)
    try session.show(reply, JobCard(reply.job).lines(session))
  }
}
