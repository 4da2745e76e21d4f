internal import Bus
internal import CivilTime
internal import Findings
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf
internal import Synchronization

/// One run of a command: the connection to kithd, and how to print.
struct Session: Sendable {
  let client: KithClient
  let console: Console
  let isJSON: Bool
  /// The present, for relative times.
  var now = Google_Protobuf_Timestamp.now()
  /// The time zone in which times are read and shown.
  var zone = Zone.system()

  /// How tables are laid out.
  var layout = TableLayout()
  /// The ids of replies, as they are shown.
  let ids = ShortIDs()

  /// The language of all that is printed.
  var language = Language.ofLocale

  /// `2 days ago` or `2日前`; `never` if the time is not set.
  func relative(_ time: Google_Protobuf_Timestamp) -> String { self.language.relative(time, now: self.now) }

  /// The time of the next attempt, in the language of the output: `in 3 days`, `in a moment`.
  func next(_ time: Google_Protobuf_Timestamp) -> String { self.language.next(time, now: self.now) }

  /// The secret in a file as a request carries it: its path for kithd on this machine, else its value.
  func secret(inFile path: String) throws(Failure) -> (value: String, path: String) {
    try self.client.secret(inFile: path)
  }

  /// Sends a request, and draws progress on a terminal; elsewhere a wait for others is told once.
  func ask<C: Command>(_ command: C, drawing label: String? = nil) async throws(Failure) -> C.Reply {
    guard let label, !self.isJSON else { return try await self.client.ask(command) }
    let (console, say) = (self.console, self.language)
    guard console.isTerminal else {
      let stage = Mutex("")
      return try await self.client.ask(
        command,
        CallContext(progress: { progress in
          // Without a stage it only says that the command goes on.
          guard !progress.stage.isEmpty else { return }
          let isNews = stage.withLock { stage in
            defer { stage = progress.stage }
            return stage != progress.stage
          }
          if isNews, let wait = say.wait(progress) { console.printError("kith: \(wait)") }
        }))
    }
    let bar = ProgressBar(label: label, style: console.style)
    defer { console.redraw("") }
    return try await self.client.ask(
      command,
      CallContext(progress: {
        console.redraw(bar.line(fraction: Double($0.fraction), note: say.wait($0) ?? say.stage($0.stage)))
      }))
  }

  /// The reply; nil if the caller's role does not allow the command, or if kithd is too old for it.
  func askIfPermitted<C: Command>(_ command: C) async throws(Failure) -> C.Reply? {
    do throws(Failure) {
      return try await self.ask(command)
    } catch {
      guard error.code == .permissionDenied || error.reason == "SERVICE_UNKNOWN" else { throw error }
      return nil
    }
  }

  /// Prints a reply: as JSON, or as lines for people.
  func show(_ reply: some SwiftProtobuf.Message, _ lines: @autoclosure () -> [String]) async throws(Failure) {
    guard !self.isJSON else { return self.console.print(try Self.json(reply)) }
    await self.ids.learn(reply, self)
    let lines = lines()
    try self.layout.check(self.language)
    self.console.page(self.layout.folded(lines))
  }

  /// `2 days ago`; empty if the time is not set.
  func ago(_ time: Google_Protobuf_Timestamp) -> String {
    time.seconds == 0 ? "" : self.relative(time)
  }

  /// When something ends: `in 3 days`, `in a moment`, `2 days ago`; empty if the time is not set.
  func end(_ time: Google_Protobuf_Timestamp) -> String {
    time.seconds <= self.now.seconds ? self.ago(time) : self.next(time)
  }

  /// `2026-11-19 08:15 (2 days ago)`; empty if the time is not set.
  func moment(_ time: Google_Protobuf_Timestamp) -> String {
    time.seconds == 0 ? "" : "\(self.zone.text(time)) (\(self.ago(time)))"
  }

  /// `2 days ago` for the day `2026-11-17`; other text unchanged.
  func ago(day: String) -> String {
    Day(day).map { self.language.relative($0, today: self.zone.day(of: self.now)) } ?? day
  }

  /// `2026-11-19 (2 days ago)`; other text unchanged.
  func date(_ day: String) -> String { Day(day) == nil ? day : "\(day) (\(self.ago(day: day)))" }

  /// A message on one line.
  static func json(_ message: some SwiftProtobuf.Message) throws(Failure) -> String {
    String(decoding: try Encoding.json.encode(message), as: UTF8.self)
  }
}

/// Findings are written as everything else that this command prints.
extension Session: FindingReader {
  func callAsFunction(_ english: String, _ japanese: String) -> String { self.language(english, japanese) }

  func time(_ stamp: Google_Protobuf_Timestamp) -> String { self.zone.text(stamp) }

  func sentence(_ failure: Failure) -> String { failure.read(in: self.language).message }
}
