public import KithMessages

/// Why a command did not succeed: what happened, to what, and what to do next.
///
/// Programs look at ``code`` and ``reason``; people read ``message``. The codes are those of `google.rpc`, the reasons
/// those of `docs/protocol.md`.
public struct Failure: Error, Sendable, Hashable {
  /// The same, as it travels.
  public var status: Status

  /// Makes a failure of a status that came over the wire.
  public init(status: Status) { self.status = status }

  /// Makes a failure.
  ///
  /// - Parameters:
  ///   - code: The class of failure.
  ///   - reason: A stable name in UPPER_SNAKE.
  ///   - message: One or two sentences for a person.
  ///   - retryAfterMilliseconds: When the same request may be sent again; 0 = not said.
  ///   - details: Field names or other names, each with what is wrong with it.
  public init(
    _ code: Code, _ reason: String, _ message: String, retryAfterMilliseconds: UInt32 = 0,
    details: [String: String] = [:]
  ) {
    self.status = Status()
    self.status.code = code
    self.status.reason = reason
    self.status.message = message
    self.status.retryAfterMs = retryAfterMilliseconds
    self.status.details = details
  }

  /// The class of failure.
  public var code: Code { self.status.code }
  /// The stable name.
  public var reason: String { self.status.reason }
  /// The sentence for a person.
  public var message: String { self.status.message }

  /// Whether the same request may succeed later without anything being repaired by hand.
  public var isTransient: Bool {
    switch self.code {
    case .unavailable, .resourceExhausted, .deadlineExceeded: true
    default: false
    }
  }

  /// A field of a request that cannot be accepted.
  ///
  /// - Parameters:
  ///   - field: The field's name as in `proto/`.
  ///   - why: What is wrong and what would be right.
  public static func invalid(field: String, _ why: String) -> Failure {
    Failure(.invalidArgument, "FIELD_INVALID", "\(field): \(why)", details: [field: why])
  }

  /// Something that was named but is not there.
  public static func unknownRecord(_ what: String, _ message: String) -> Failure {
    Failure(.notFound, "RECORD_UNKNOWN", message, details: ["record": String(what.unicodeScalars.prefix(64))])
  }

  /// A fault of ours. The log has the cause under the same id.
  public static func bug(_ logID: String) -> Failure {
    Failure(
      .internal, "BUG", "Something went wrong inside kithd (log id \(logID)). Please report it with the log.",
      details: ["log_id": logID])
  }

  /// The work was given up because its caller, or a person, asked for that.
  public static let cancelled = Failure(.cancelled, "CANCELLED_BY_USER", "The command was cancelled.")
}

extension Failure: CustomStringConvertible {
  /// Code, reason and message.
  public var description: String { "\(self.code)/\(self.reason): \(self.message)" }
}
