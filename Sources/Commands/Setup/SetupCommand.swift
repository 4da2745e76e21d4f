internal import ArgumentParser
internal import Bus
internal import KithMessages

/// Asks the few questions of a new household. Every answer has a command of its own, too.
struct SetupCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set up a household by a few questions.",
    discussion: """
      Can be run again: it shows what is set, and changes only what you answer. Nothing is changed before the last question.
      Example: kith setup
      Example: kith setup --yes
      """)

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Ask nothing: each answer is what its question has in brackets. Needs no terminal.")
  var yes = false

  func run(_ session: Session) async throws {
    guard self.yes || session.console.isTerminal else { throw Self.noTerminal }
    let household = try await Household(session)
    let questions = SetupQuestions(session: session, household: household, isAsking: !self.yes)
    if !self.yes {
      session.console.tell(
        session.language(
          "Enter takes what is in brackets. Ctrl-C ends without any change.",
          "Enter で [ ] の内容になります。Ctrl-C でいつでもやめられ、何も変わりません。"))
    }
    let answers = try questions.ask()
    guard !answers.isEmpty else {
      return session.console.tell(session.language("Nothing to change.", "変更はありません。"))
    }
    try questions.confirm()
    // What was confirmed is carried out as a whole.
    let watch = Interrupt.catching {}
    defer { watch.end() }
    try await answers.carryOut(session)
    session.console.tell(session.language("Done. To check everything: kith doctor", "終わりました。全体の確認: kith doctor"))
  }

  /// Thrown without a terminal, before anything is asked.
  private static var noTerminal: Failure {
    Failure(
      .failedPrecondition, "NO_TERMINAL",
      "kith setup asks questions, so it needs a terminal. Each answer has a command of its own: kith contacts source add, "
        + "kith monica login, kith care settings, kith remind daily, kith channels add, kith backup.")
  }
}

/// What is set already.
struct Household {
  let care: CareSettings
  let sources: [Source]
  let monica: MonicaStatus
  let channels: [Channel]
  let daily: DailyReminder

  /// Asks kithd.
  ///
  /// - Throws: The failure of a request.
  init(_ session: Session) async throws(Failure) {
    self.care = try await session.ask(CareSettingsRequest())
    self.sources = try await session.ask(ListSourcesRequest()).sources
    self.monica = try await session.ask(MonicaStatusRequest())
    self.channels = try await session.ask(ListChannelsRequest()).channels
    self.daily = try await session.ask(ReminderStatusRequest()).daily
  }
}
