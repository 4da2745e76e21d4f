internal import ArgumentParser
internal import Bus

/// Leave to do what cannot be undone.
struct Confirmation: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
  var yes = false

  /// Asks a person who looks at a terminal; a script has said what it wants.
  ///
  /// - Throws: `CANCELLED/CANCELLED_BY_USER` when the person does not want it.
  func ask(_ question: String, _ session: Session) throws(Failure) {
    guard !self.yes, session.console.isTerminal else { return }
    try session.console.confirm(question)
  }
}
