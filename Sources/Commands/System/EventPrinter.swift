internal import Bus
internal import KithMessages

/// Prints the elements of a subscription: JSON for programs, lines for people, a moving bar for who looks at a terminal.
///
/// The snapshot that a stream begins with is the present state, not something that happened: people see it, programs do
/// not, and it does not count. After a resync it stands for the events that were missed, and is printed for both.
struct EventPrinter: Sendable {
  private let session: Session
  /// Events printed.
  private(set) var count = 0
  /// Streams whose first snapshot is behind them.
  private var begun: Set<String>
  private var isDrawing = false

  /// - Parameter resumed: Streams that go on from a saved position.
  init(session: Session, resumed: Set<String>) {
    self.session = session
    self.begun = resumed
  }

  mutating func print(_ element: StreamElement) throws {
    switch element {
    case .event(let event):
      self.count += 1
      try self.print(event)
    case .snapshot(let event):
      if !self.session.isJSON || self.begun.contains(event.header.stream) { try self.print(event) }
    case .position(let position):
      self.begun.insert(position.stream)
    case .resync(let stream, let cause):
      self.finishDrawing()
      self.session.console.printError("kith: \(Printable.text(stream)): \(Self.words(cause))")
    }
  }

  /// Leaves the cursor at the beginning of a line.
  mutating func end() { self.finishDrawing() }

  private mutating func print(_ event: LoggedEvent) throws {
    guard !self.session.isJSON else { return self.session.console.print(try Session.json(event)) }
    let line = EventLine(event, session: self.session)
    if line.isProgress, self.session.console.isTerminal {
      self.session.console.redraw(line.text)
      self.isDrawing = true
    } else {
      if self.isDrawing { self.session.console.redraw("") }
      self.isDrawing = false
      self.session.console.print(line.text)
    }
  }

  private mutating func finishDrawing() {
    guard self.isDrawing else { return }
    self.session.console.print("")
    self.isDrawing = false
  }

  private static func words(_ cause: StreamElement.Cause) -> String {
    switch cause {
    case .compacted: "older events are no longer kept. The present state follows."
    case .newEpoch: "the event log was created again. The present state follows."
    case .hubBehind: "kithd runs on an older copy of its data. The state of that copy follows."
    case .tooSlow: "too slow for every event. The present state follows, every ten seconds."
    }
  }
}
