public import Bus
public import KithMessages

/// The answer of a command (FINAL), or a sign of life (PARTIAL), on the control plane.
///
/// ```swift
/// if case .accepted(let reply) = ReplyFrame.decode(frames), reply.isFinal { print(reply.header.status.code) }
/// ```
public struct ReplyFrame: Sendable, Hashable {
  /// Whether it is the answer (FINAL).
  public var isFinal: Bool
  /// The method's name, as in the request.
  public var service: String
  /// The encoding of header and body, as in the request.
  public var encoding: Encoding
  /// The id and outcome of the call.
  public var header: ReplyHeader
  /// `Accepted` in the PARTIAL with seq 0, `Progress` in later ones, the reply in a FINAL; empty after a failure.
  public var body: [UInt8]
  /// Attachments, at most four.
  public var attachments: [[UInt8]]

  /// Makes a reply.
  public init(
    isFinal: Bool, service: String, encoding: Encoding, header: ReplyHeader, body: [UInt8], attachments: [[UInt8]] = []
  ) {
    self.isFinal = isFinal
    self.service = service
    self.encoding = encoding
    self.header = header
    self.body = body
    self.attachments = attachments
  }

  /// Makes the FINAL of a command that failed.
  public static func final(
    failure: Failure, to requestID: String, service: String, encoding: Encoding
  ) -> ReplyFrame {
    var header = ReplyHeader()
    header.requestID = requestID
    header.status = failure.status
    return ReplyFrame(isFinal: true, service: service, encoding: encoding, header: header, body: [])
  }

  /// Encodes the frames after the routing id and the delimiter.
  ///
  /// - Throws: `INVALID_ARGUMENT/BODY_TOO_LARGE`.
  public func encoded() throws(Failure) -> [[UInt8]] {
    try ControlLayout.encode(
      self.isFinal ? .final : .partial, service: self.service, encoding: self.encoding, header: self.header,
      body: self.body, attachments: self.attachments)
  }

  /// Decodes the frames after the delimiter.
  ///
  /// A hub of another major version answers in JSON with the same layout; its request id is read if possible.
  public static func decode(_ frames: [[UInt8]]) -> FrameOutcome<ReplyFrame> {
    let envelope: ControlLayout.Envelope
    switch ControlLayout.open(frames) {
    case .accepted(let opened): envelope = opened
    case .rejected(var rejection):
      if rejection.cause == .wrongMajor, frames.count >= WireLimits.fixedFrames,
        let header = ControlLayout.header(ReplyHeader.self, frames, .json)
      {
        rejection.requestID = header.requestID
      }
      return .rejected(rejection)
    case .foreign: return .foreign
    }
    guard envelope.kind != .request else { return .rejected(.malformed("A hub does not send requests.")) }
    guard let header = ControlLayout.header(ReplyHeader.self, frames, envelope.encoding) else {
      return .rejected(.malformed("The header is not a kith.v1.ReplyHeader in \(envelope.encoding.rawValue)."))
    }
    return .accepted(
      ReplyFrame(
        isFinal: envelope.kind == .final, service: envelope.service, encoding: envelope.encoding, header: header,
        body: frames[5], attachments: ControlLayout.attachments(frames)))
  }
}
