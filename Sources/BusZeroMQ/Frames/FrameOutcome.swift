public import Bus
internal import KithMessages

/// What a received message turned out to be.
public enum FrameOutcome<Frame: Sendable>: Sendable {
  /// A message that keeps to the protocol.
  case accepted(Frame)
  /// Of this plane, but not to be used.
  case rejected(FrameRejection)
  /// Not a message of this plane: dropped without an answer.
  case foreign
}

/// Why a message is not used, with what an answer has to repeat of it.
public struct FrameRejection: Sendable, Hashable {
  /// The class of fault.
  public enum Cause: Sendable, Hashable {
    /// Another major version.
    case wrongMajor
    /// A frame is missing, unreadable or unknown.
    case malformed
    /// A frame or the message is too large.
    case oversize
  }

  /// The class of fault.
  public var cause: Cause
  /// What the sender is told.
  public var failure: Failure
  /// The method, as far as it could be read.
  public var service: String
  /// In which an answer is written; JSON where the sender's own is not known.
  public var encoding: Encoding
  /// The request, as far as it could be read.
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

  /// The FINAL that says so.
  public var answer: ReplyFrame {
    ReplyFrame.final(failure: self.failure, to: self.requestID, service: self.service, encoding: self.encoding)
  }

  static func wrongMajor(_ tag: WireTag) -> FrameRejection {
    let known = String(decoding: tag.bytes, as: UTF8.self)
    return FrameRejection(
      .wrongMajor,
      Failure(
        .unimplemented, "VERSION_UNSUPPORTED",
        "This version of the protocol is not spoken here; \(known) is. Bring kith and kithd to the same version.",
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
        "The \(what) measures \(count), and \(limit) are allowed. Send larger data as a blob."),
      service: service, encoding: encoding, requestID: requestID)
  }
}
