public import Bus
public import KithMessages
internal import SwiftProtobuf

/// A command on the control plane.
///
/// ```swift
/// var header = RequestHeader()
/// header.requestID = UUIDv7.make().text
/// let body = try Encoding.pb.encode(PingRequest())
/// let frames = try RequestFrame(service: "kith.v1.System/Ping", header: header, body: body).encoded()
/// ```
public struct RequestFrame: Sendable, Hashable {
  /// The method's name on the wire.
  public var service: String
  /// The encoding of header, body and answer.
  public var encoding: Encoding
  /// The id, timeout and options of the call.
  public var header: RequestHeader
  /// The command in this encoding.
  public var body: [UInt8]
  /// Attachments, at most four.
  public var attachments: [[UInt8]]

  /// Makes a request.
  public init(
    service: String, encoding: Encoding = .pb, header: RequestHeader, body: [UInt8], attachments: [[UInt8]] = []
  ) {
    self.service = service
    self.encoding = encoding
    self.header = header
    self.body = body
    self.attachments = attachments
  }

  /// Encodes the frames after the routing id and the delimiter.
  ///
  /// - Throws: `INVALID_ARGUMENT/BODY_TOO_LARGE`.
  public func encoded() throws(Failure) -> [[UInt8]] {
    try ControlLayout.encode(
      .request, service: self.service, encoding: self.encoding, header: self.header, body: self.body,
      attachments: self.attachments)
  }

  /// Decodes the frames after the routing id and the delimiter.
  public static func decode(_ frames: [[UInt8]]) -> FrameOutcome<RequestFrame> {
    let envelope: ControlLayout.Envelope
    switch ControlLayout.open(frames) {
    case .accepted(let opened): envelope = opened
    case .rejected(let rejection): return .rejected(Self.naming(rejection, frames))
    case .foreign: return .foreign
    }
    let (service, encoding) = (envelope.service, envelope.encoding)
    guard envelope.kind == .request else {
      return .rejected(
        FrameRejection(
          .malformed, Failure(.unimplemented, "KIND_UNKNOWN", "A client sends requests only."), service: service,
          encoding: encoding))
    }
    let header: RequestHeader
    do throws(Failure) {
      header = try encoding.decode(RequestHeader.self, from: frames[4])
    } catch {
      return .rejected(Self.unreadable(error, frames[4], service, encoding))
    }
    guard !header.requestID.isEmpty else {
      return .rejected(
        FrameRejection(
          .malformed,
          Failure(
            .invalidArgument, "REQUEST_ID_MISSING",
            "The header needs a request_id of 1 to \(WireLimits.requestID) bytes, the same on every resend."),
          service: service, encoding: encoding))
    }
    guard header.requestID.utf8.count <= WireLimits.requestID else {
      return .rejected(
        FrameRejection(
          .malformed,
          Failure(
            .invalidArgument, "REQUEST_ID_TOO_LONG",
            "The request_id has \(header.requestID.utf8.count) bytes; it may have \(WireLimits.requestID)."),
          service: service, encoding: encoding))
    }
    guard header.idempotencyKey.utf8.count <= WireLimits.idempotencyKey else {
      return .rejected(
        FrameRejection(
          .malformed,
          .invalid(field: "idempotency_key", "It may have \(WireLimits.idempotencyKey) bytes."), service: service,
          encoding: encoding, requestID: header.requestID))
    }
    // As in all texts. GRDB would bind an id only up to its NUL, and the store would not find the command again.
    for (field, text) in [("request_id", header.requestID), ("idempotency_key", header.idempotencyKey)]
    where text.utf8.contains(0) {
      let failure = Failure.invalid(field: field, "must not have the character U+0000.")
      return .rejected(
        FrameRejection(
          .malformed, failure, service: service, encoding: encoding, requestID: header.requestID))
    }
    return .accepted(
      RequestFrame(
        service: service, encoding: encoding, header: header, body: frames[5],
        attachments: ControlLayout.attachments(frames)))
  }

  /// Explains why a header cannot be read, and names its deadline if that is invalid.
  private static func unreadable(
    _ failure: Failure, _ header: [UInt8], _ service: String, _ encoding: Encoding
  ) -> FrameRejection {
    guard failure.reason == "MALFORMED" else {
      // The other fields of a protobuf header can be read.
      let requestID = (try? RequestHeader(serializedBytes: header.span.bytes))?.requestID ?? ""
      return FrameRejection(
        .malformed, failure, service: service, encoding: encoding,
        requestID: requestID.utf8.count <= WireLimits.requestID ? requestID : "")
    }
    // The JSON decoder names the kind of the malformed value, but not its field.
    let time =
      failure.message.contains("malformedTimestamp")
      ? " Its deadline is no time such as 2026-01-02T03:04:05Z." : ""
    return .malformed(
      "The header is not a kith.v1.RequestHeader in \(encoding.rawValue).\(time)", service: service, encoding: encoding)
  }

  /// Adds the request id if the header is small enough to be read, so that the client can match the answer to its call.
  private static func naming(_ rejection: FrameRejection, _ frames: [[UInt8]]) -> FrameRejection {
    guard frames.count >= WireLimits.fixedFrames, frames[4].count <= WireLimits.header,
      let header = ControlLayout.header(RequestHeader.self, frames, rejection.encoding)
    else { return rejection }
    var rejection = rejection
    if header.requestID.utf8.count <= WireLimits.requestID { rejection.requestID = header.requestID }
    return rejection
  }
}
