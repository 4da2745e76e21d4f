internal import Bus
internal import Fields
internal import KithMessages
internal import SwiftProtobuf

/// The timer of a call. A running call is an ordinary record, so its timer runs while kithd is down.
enum CallTimer {
  /// When a person pressed, which a phone without a network tells later; now if nothing is said, or if it lies a little ahead.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a time that cannot be.
  static func moment(
    _ said: Google_Protobuf_Timestamp?, field: String, now: Int64
  ) throws(Failure) -> Int64 {
    guard let said else { return now }
    try PastTime.check(said.nanosecondsSince1970, now: now, field: field)
    return min(said.nanosecondsSince1970, now)
  }

  /// Starts a call.
  ///
  /// - Parameters:
  ///   - running: The running calls.
  ///   - now: When it starts, nanoseconds since 1970.
  /// - Throws: `FAILED_PRECONDITION/CALL_RUNNING` if a call with this person is running already.
  static func start(_ request: StartCallRequest, running: [Call], now: Int64) throws(Failure) -> Call {
    if let other = running.first(where: { $0.personID == request.personID }) {
      throw Failure(
        .failedPrecondition, "CALL_RUNNING",
        "A call with \(other.personName) is running already. Stop it first.", details: ["record": other.id])
    }
    var call = Call()
    call.personID = request.personID
    call.calledAt = .init(nanosecondsSince1970: now)
    call.theyCalled = request.theyCalled
    call.isRunning = true
    return call
  }

  /// The running call of a request: the named one, or the only one.
  ///
  /// - Throws: `FAILED_PRECONDITION/CALL_NOT_RUNNING`; `CALL_RUNNING` with the ids in its details if several are
  ///   running.
  static func choose(_ id: String, running: [Call]) throws(Failure) -> Call {
    let chosen = id.isEmpty ? (running.count == 1 ? running.first : nil) : running.first { $0.id == id }
    if let chosen { return chosen }
    guard id.isEmpty, !running.isEmpty else {
      throw Failure(
        .failedPrecondition, "CALL_NOT_RUNNING",
        id.isEmpty ? "No call is running. Start one first, or log the call." : "The timer of this call is not running.")
    }
    let names = running.map(\.personName).joined(separator: ", ")
    throw Failure(
      .failedPrecondition, "CALL_RUNNING", "\(running.count) calls are running, with \(names). Name the one to stop.",
      details: Dictionary(running.map { ($0.id, $0.personName) }, uniquingKeysWith: { $1 }))
  }

  /// Stops a call and sets its duration, in whole minutes rounded up.
  ///
  /// If the clock was set back, the duration is one minute.
  ///
  /// - Parameter now: When it ends, nanoseconds since 1970.
  static func stop(_ call: Call, now: Int64) -> Call {
    var call = call
    call.isRunning = false
    // The start may have been edited to any year.
    let (passed, isTooMuch) = now.subtractingReportingOverflow(call.calledAt.nanosecondsSince1970)
    let (minutes, rest) = (isTooMuch ? .max : passed).quotientAndRemainder(dividingBy: 60_000_000_000)
    call.durationMinutes = UInt32(clamping: max(1, minutes + (rest > 0 ? 1 : 0)))
    return call
  }
}
