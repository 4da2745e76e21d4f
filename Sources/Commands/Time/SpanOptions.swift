internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// A request about a span of time.
protocol TimeSpanned {
  var from: Google_Protobuf_Timestamp { get set }
  /// The end, exclusive.
  var to: Google_Protobuf_Timestamp { get set }
}

extension CallFilter: TimeSpanned {}
extension ListNotesRequest: TimeSpanned {}
extension ListConversationsRequest: TimeSpanned {}

/// The span of time of a list.
struct SpanOptions: ParsableArguments {
  @Option(
    name: [.long, .customLong("day")], help: "Only on these days: today, 'last week', 'last month', 先週, 2026-11-20.",
    transform: TimeText.pointOrDay)
  var during: TimeText?

  @Option(help: "Only from this day or time on.", transform: TimeText.pointOrDay)
  var from: TimeText?

  @Option(help: "Only up to the end of this day, or up to this time.", transform: TimeText.pointOrDay)
  var to: TimeText?

  func validate() throws { try Self.check(self.during, self.from, self.to) }

  /// - Throws: `ValidationError` if both ways to name a span are given.
  fileprivate static func check<Time>(_ during: Time?, _ from: Time?, _ to: Time?) throws {
    guard during == nil || (from == nil && to == nil) else {
      throw ValidationError("--during names the first and the last day. Give it, or --from and --to.")
    }
  }

  /// Sets the span of a request.
  func fill(_ request: inout some TimeSpanned, _ session: Session) throws(Failure) {
    if let start = try self.start(session, in: session.zone) { request.from = start }
    if let end = try self.end(session, in: session.zone) { request.to = end }
  }

  private func start(_ session: Session, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp? {
    try (self.from ?? self.during)?.start(now: session.now, in: zone)
  }

  private func end(_ session: Session, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp? {
    try (self.to ?? self.during)?.end(now: session.now, in: zone)
  }
}

/// The days of a list that has whole days.
struct DaySpanOptions: ParsableArguments {
  @Option(
    name: [.long, .customLong("day")], help: "Only on these days: today, 'last week', 'last month', 先週, 2026-11-20.",
    transform: Self.wholeDays)
  var during: DaysArgument?

  @Option(help: "Only from this day on.", transform: Self.wholeDays)
  var from: DaysArgument?

  @Option(help: "Only up to the end of this day.", transform: Self.wholeDays)
  var to: DaysArgument?

  func validate() throws { try SpanOptions.check(self.during, self.from, self.to) }

  /// Whether all days are meant.
  var isEmpty: Bool { self.during == nil && self.from == nil && self.to == nil }

  /// The first and the last day, as requests carry them; empty if there is none.
  ///
  /// - Parameter zone: Whose days they are.
  func days(_ session: Session, in zone: Zone) -> (first: String, last: String) {
    (
      (self.from ?? self.during)?.first.text(session, in: zone) ?? "",
      (self.to ?? self.during)?.last.text(session, in: zone) ?? ""
    )
  }

  /// - Throws: `ValidationError`, also for a time of day, which would be cut off.
  private static func wholeDays(_ text: String) throws -> DaysArgument {
    guard let days = DaysArgument(argument: text) else {
      throw ValidationError(
        "This list has whole days. Give a day without a time, such as 2026-11-20 or yesterday.")
    }
    return days
  }
}
