internal import ArgumentParser
internal import KithMessages

struct ContactProblemsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "problems", abstract: "List cards that could not be read, or only after repair.",
    discussion: "Example: kith contacts problems --source home")

  @OptionGroup var global: GlobalOptions

  @Option(help: "Only cards of this source.")
  var source = ""

  func run(_ session: Session) async throws {
    var request = ListProblemsRequest()
    request.source = self.source
    request.limit = 500
    var all = ListProblemsReply()
    repeat {
      let page = try await session.ask(request)
      all.problems += page.problems
      request.cursor = page.nextCursor
    } while !request.cursor.isEmpty
    try session.show(all, Self.lines(all.problems, session))
  }

  private static func lines(_ problems: [Problem], _ session: Session) -> [String] {
    guard !problems.isEmpty else { return ["No problems found."] }
    var table = Table(("SOURCE", .left), ("CARD", .left), ("WHAT", .left), ("RESULT", .left), ("SEEN", .left))
    for problem in problems {
      let place = problem.line > 0 ? "\(problem.sourceIdentifier):\(problem.line)" : problem.sourceIdentifier
      table.add(
        problem.source, place, problem.message.isEmpty ? problem.kind : problem.message,
        problem.skipped ? "skipped" : "repaired", RelativeTime.words(problem.firstSeenAt, now: session.now))
    }
    return table.lines(session.console.style)
  }
}
