public import KithMessages
public import SwiftProtobuf

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

  /// An update that was made from a state of the record that is no longer its state.
  ///
  /// - Parameters:
  ///   - what: The record, as a sentence begins: "This note".
  ///   - stamp: The record's `updated_at` now.
  ///   - fields: What the update would change, each with what the record says now.
  public static func changedMeanwhile(
    _ what: String, at stamp: Google_Protobuf_Timestamp, now fields: [(name: String, text: String)]
  ) -> Failure {
    // The header of an answer has 4 KiB, and a character may take 12 bytes of JSON.
    let room = 160 / max(1, fields.count)
    var details = ["updated_at": (try? stamp.jsonString().filter { $0 != "\"" }) ?? ""]
    for field in fields { details[field.name] = String(field.text.unicodeScalars.prefix(room)) }
    return Failure(
      .aborted, "CHANGED_MEANWHILE",
      "\(what) was changed since it was shown. Look at it as it is now, then change it again.", details: details)
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

extension Result where Failure == Bus.Failure {
  /// Keeps how work ended, for a caller that may not need it.
  public init(of work: () async throws(Bus.Failure) -> Success) async {
    do throws(Bus.Failure) { self = .success(try await work()) } catch { self = .failure(error) }
  }
}

extension Failure: CustomStringConvertible {
  /// Code, reason and message.
  public var description: String { "\(self.code)/\(self.reason): \(self.message)" }
}
