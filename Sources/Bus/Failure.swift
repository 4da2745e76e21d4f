public import KithMessages
public import SwiftProtobuf

/// Why a command failed: what happened, to what, and what to do next.
///
/// Programs use ``code`` and ``reason``; people read ``message``. The codes are those of `google.rpc`, the reasons
/// those of `docs/protocol.md`.
///
/// ```swift
/// do throws(Failure) {
///   _ = try await client.ask(request)
/// } catch where error.isTransient {
///   retryLater()
/// }
/// ```
public struct Failure: Error, Sendable, Hashable {
  /// The failure as a message of the protocol.
  public var status: Status
  /// Whether the message is in the language of its reader already, so that nobody translates it. It does not go over the wire.
  public var isInReadersLanguage = false

  /// Makes a failure from a status that was received.
  public init(status: Status) { self.status = status }

  /// Makes a failure.
  ///
  /// - Parameters:
  ///   - code: The class of the failure.
  ///   - reason: A stable name in UPPER_SNAKE.
  ///   - message: One or two sentences for a person.
  ///   - retryAfterMilliseconds: When the same request may be sent again; 0 = unknown.
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

  /// The class of the failure.
  public var code: Code { self.status.code }
  /// The stable name.
  public var reason: String { self.status.reason }
  /// The sentence for a person.
  public var message: String { self.status.message }

  /// Whether the same request may succeed later without a person's help.
  public var isTransient: Bool {
    switch self.code {
    case .unavailable, .resourceExhausted, .deadlineExceeded: true
    default: false
    }
  }

  /// A request with an invalid field.
  ///
  /// - Parameters:
  ///   - field: The field's name as in `proto/`.
  ///   - why: What is wrong, and what is valid.
  public static func invalid(field: String, _ why: String) -> Failure {
    Failure(.invalidArgument, "FIELD_INVALID", "\(field): \(why)", details: [field: why])
  }

  /// A request that names a record that does not exist.
  public static func unknownRecord(_ what: String, _ message: String) -> Failure {
    Failure(.notFound, "RECORD_UNKNOWN", message, details: ["record": String(what.unicodeScalars.prefix(64))])
  }

  /// An update based on an old state of a record.
  ///
  /// - Parameters:
  ///   - what: The record as the subject of a sentence: "This note".
  ///   - stamp: The record's current `updated_at`.
  ///   - fields: The fields that the update would change, with their current values.
  public static func changedMeanwhile(
    _ what: String, at stamp: Google_Protobuf_Timestamp, now fields: [(name: String, text: String)]
  ) -> Failure {
    // A header has 4 KiB, and a character may take 12 bytes of JSON.
    let room = 160 / max(1, fields.count)
    var details = ["updated_at": (try? stamp.jsonString().filter { $0 != "\"" }) ?? ""]
    for field in fields { details[field.name] = String(field.text.unicodeScalars.prefix(room)) }
    return Failure(
      .aborted, "CHANGED_MEANWHILE",
      "\(what) was changed since it was shown. Look at it as it is now, then change it again.", details: details)
  }

  /// A defect in kithd. The log has the cause under the same id.
  public static func bug(_ logID: String) -> Failure {
    Failure(
      .internal, "BUG", "Something went wrong inside kithd (log id \(logID)). Please report it with the log.",
      details: ["log_id": logID])
  }

  /// The work was cancelled by its caller or by a person.
  public static let cancelled = Failure(.cancelled, "CANCELLED_BY_USER", "The command was cancelled.")
}

extension Result where Failure == Bus.Failure {
  /// Runs `work` and stores its result or error.
  public init(of work: () async throws(Bus.Failure) -> Success) async {
    do throws(Bus.Failure) { self = .success(try await work()) } catch { self = .failure(error) }
  }
}

extension Failure: CustomStringConvertible {
  /// Code, reason and message.
  public var description: String { "\(self.code)/\(self.reason): \(self.message)" }
}
