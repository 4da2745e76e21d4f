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

  func validate() throws {
    guard self.during == nil || (self.from == nil && self.to == nil) else {
      throw ValidationError("--during names the first and the last day. Give it, or --from and --to.")
    }
  }

  /// Whether all of time is meant.
  var isEmpty: Bool { self.during == nil && self.from == nil && self.to == nil }

  /// Sets the span of a request.
  func fill(_ request: inout some TimeSpanned, _ session: Session) throws(Failure) {
    if let start = try self.start(session, in: session.zone) { request.from = start }
    if let end = try self.end(session, in: session.zone) { request.to = end }
  }

  /// The first and the last day, as requests carry them; empty if there is none.
  ///
  /// - Parameter zone: Whose days they are.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a time of day, which would be cut off.
  func days(_ session: Session, in zone: Zone) throws(Failure) -> (first: String, last: String) {
    for time in [self.from, self.to, self.during] {
      guard let time else { continue }
      guard case .day = time else {
        throw Failure(
          .invalidArgument, "FIELD_INVALID",
          session.language(
            "This list has whole days. Give a day without a time, such as 2026-11-20 or yesterday.",
            "この一覧は日単位です。2026-11-20 や 昨日 のように、時刻を付けずに日を指定してください。")
        ).worded
      }
    }
    let start = try self.start(session, in: zone).map { zone.day(of: $0).description }
    let end = try self.end(session, in: zone).map { zone.day(at: $0.nanosecondsSince1970 - 1).description }
    return (start ?? "", end ?? "")
  }

  private func start(_ session: Session, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp? {
    try (self.from ?? self.during)?.start(now: session.now, in: zone)
  }

  private func end(_ session: Session, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp? {
    try (self.to ?? self.during)?.end(now: session.now, in: zone)
  }
}
