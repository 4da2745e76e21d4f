internal import ArgumentParser
internal import Bus
internal import KithMessages

struct LogCallCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Record a call.",
    discussion: """
      The call was just now unless --at names another time.
      Example: kith call log ann --at 'yesterday 9:00' --duration 25 --emotion happy --note 'About the garden'
      """)

  @OptionGroup var global: GlobalOptions

  @OptionGroup var call: Owned<CallArguments>

  @Option(help: "A template that fills the missing fields.")
  var template = ""

  func run(_ session: Session) async throws {
    var changes = Changes<Call>()
    changes.set(\.calledAt, "called_at", session.now)
    try await self.call.fill(&changes, session)
    var request = LogCallRequest()
    request.record = changes.record
    request.template = self.template
    try await session.show(try await session.ask(request))
  }
}

struct QuickCallCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "quick", abstract: "Record a call that ended just now.", discussion: "Example: kith call quick ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: AnyoneReference.help)
  var person: AnyoneReference

  @Option(help: "How long it took, in minutes.")
  var duration: UInt32 = 0

  @Option(help: EmotionArgument.help)
  var emotion: EmotionArgument?

  func run(_ session: Session) async throws {
    var request = QuickCallRequest()
    request.personID = try await self.person.id(session)
    request.durationMinutes = self.duration
    request.emotion = self.emotion?.field ?? ""
    try await session.show(try await session.ask(request))
  }
}

struct StartCallCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start the timer of a call.",
    discussion: """
      It continues when kithd restarts. `kith call stop` stops it.
      Example: kith call start ann
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: AnyoneReference.help)
  var person: AnyoneReference

  @Flag(help: "They called.")
  var theyCalled = false

  func run(_ session: Session) async throws {
    var request = StartCallRequest()
    request.personID = try await self.person.id(session)
    request.theyCalled = self.theyCalled
    try await session.show(
      try await session.ask(request),
      after: session.language("The timer runs. To stop it: kith call stop", "通話を始めました。終えるには: kith call stop"))
  }
}

struct StopCallCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Stop the timer of a call and set its duration.",
    discussion: "Example: kith call stop --emotion excited --note 'She is moving'")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The person or the id of the call. Default: the running call.")
  var target: RunningCallReference?

  @Option(help: EmotionArgument.help)
  var emotion: EmotionArgument?

  @Option(parsing: .unconditional, help: "What it was about.")
  var note = ""

  @Option(help: "A tag of one word; may be repeated.")
  var tag: [String] = []

  func run(_ session: Session) async throws {
    var request = StopCallRequest()
    request.id = try await self.target?.id(session) ?? ""
    request.emotion = self.emotion?.field ?? ""
    request.note = self.note
    request.tags = self.tag
    try await session.show(try await session.ask(request))
  }
}

/// A call whose timer runs, by the person or by its id.
struct RunningCallReference: NameReference {
  static let help: ArgumentHelp = "The person or the id of the call."
  static let example = "ann"
  typealias Target = Call
  static var defaultCompletionKind: CompletionKind { Completion.people }

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    var request = ListCallsRequest()
    request.limit = LimitOption.most
    let running = try await session.ask(request).calls.filter(\.isRunning)
    guard !running.isEmpty else { return [] }
    let people = Set(try await session.whoIs(self.text).map(\.person.id))
    return running.filter { people.contains($0.personID) }.map {
      .init(id: $0.id, shown: "\($0.personName), \(session.ago($0.calledAt))", names: [$0.personName])
    }
  }
}
