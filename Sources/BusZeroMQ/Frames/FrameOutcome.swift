public import Bus
internal import KithMessages

/// The result of decoding a message.
///
/// ```swift
/// switch RequestFrame.decode(frames) {
/// case .accepted(let request): print(request.service)
/// case .rejected(let rejection): print(rejection.failure.message)
/// case .foreign: break
/// }
/// ```
public enum FrameOutcome<Frame: Sendable>: Sendable {
  /// A valid message.
  case accepted(Frame)
  /// A message of this plane that is invalid.
  case rejected(FrameRejection)
  /// A message of another protocol; it is dropped without an answer.
  case foreign
}

/// Why a message was rejected, with the parts of it that an answer repeats.
///
/// ```swift
/// if case .rejected(let rejection) = RequestFrame.decode(frames) { try send(rejection.answer.encoded()) }
/// ```
public struct FrameRejection: Sendable, Hashable {
  /// The class of the fault.
  public enum Cause: Sendable, Hashable {
    /// Another major version.
    case wrongMajor
    /// A frame is missing, unreadable or unknown.
    case malformed
    /// A frame or the message is too large.
    case oversize
  }

  /// The class of the fault.
  public var cause: Cause
  /// The failure that is sent to the sender.
  public var failure: Failure
  /// The method; empty if it could not be read.
  public var service: String
  /// The encoding of the answer; JSON if the sender's encoding is unknown.
  public var encoding: Encoding
  /// The request id; empty if it could not be read.
  public var requestID: String

  init(
    _ cause: Cause, _ failure: Failure, service: String = "", encoding: Encoding = .json, requestID: String = ""
  ) {
    self.cause = cause
    self.failure = failure
    self.service = service
    self.encoding = encoding
    self.requestID = requestID
  }

  /// The FINAL with the failure.
  public var answer: ReplyFrame {
    ReplyFrame.final(failure: self.failure, to: self.requestID, service: self.service, encoding: self.encoding)
  }

  static func wrongMajor(_ tag: WireTag) -> FrameRejection {
    let known = String(decoding: tag.bytes, as: UTF8.self)
    return FrameRejection(
      .wrongMajor,
      Failure(
        .unimplemented, "VERSION_UNSUPPORTED",
        "This version of the protocol is not supported; \(known) is. Update kith and kithd to the same version.",
        details: ["versions": known]))
  }

  static func malformed(
    _ why: String, service: String = "", encoding: Encoding = .json, requestID: String = ""
  ) -> FrameRejection {
    FrameRejection(
      .malformed, Failure(.invalidArgument, "MALFORMED", why), service: service, encoding: encoding,
      requestID: requestID)
  }

  static func oversize(
    _ what: String, _ count: Int, limit: Int, service: String = "", encoding: Encoding = .json,
    requestID: String = ""
  ) -> FrameRejection {
    FrameRejection(
      .oversize,
      Failure(
        .invalidArgument, "BODY_TOO_LARGE",
        "The size of the \(what) is \(count); at most \(limit) is allowed. Send larger data as a blob."),
      service: service, encoding: encoding, requestID: requestID)
  }
}
