internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// The frames that requests and replies share: tag, kind, service, content type, header, body, attachments.
enum ControlLayout {
  private static let kinds = [
    [], [ControlKind.request.rawValue], [ControlKind.partial.rawValue], [ControlKind.final.rawValue],
  ]

  static func encode(
    _ kind: ControlKind, service: String, encoding: Encoding, header: some SwiftProtobuf.Message, body: [UInt8],
    attachments: [[UInt8]]
  ) throws(Failure) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    frames.reserveCapacity(WireLimits.fixedFrames + attachments.count)
    frames.append(WireTag.control.bytes)
    frames.append(self.kinds[Int(kind.rawValue)])
    frames.append(Array(service.utf8))
    frames.append(encoding.frame)
    frames.append(try encoding.encode(header))
    frames.append(body)
    // One by one, because appending a collection would reallocate the array despite the reserved capacity.
    for attachment in attachments { frames.append(attachment) }
    if let rejection = self.oversize(frames, attachment: WireLimits.attachment) { throw rejection.failure }
    return frames
  }

  /// The content of the frames before the header.
  struct Envelope {
    let kind: ControlKind
    let service: String
    let encoding: Encoding
  }

  static func open(_ frames: [[UInt8]]) -> FrameOutcome<Envelope> {
    guard let tag = frames.first else { return .foreign }
    switch WireTag.control.compare(tag) {
    case .same: break
    case .otherMajor: return .rejected(.wrongMajor(.control))
    case .foreign: return .foreign
    }
    guard frames.count >= WireLimits.fixedFrames else {
      return .rejected(.malformed("The message has \(frames.count) frames; it needs \(WireLimits.fixedFrames)."))
    }
    guard let encoding = Encoding(frame: frames[3]) else {
      return .rejected(
        FrameRejection(
          .malformed,
          Failure(
            .invalidArgument, "CONTENT_TYPE_UNSUPPORTED", "The fourth frame names the type of content: pb or json.")))
    }
    guard let service = self.service(frames[2]) else {
      return .rejected(
        .malformed("The third frame is not the name of a method, such as kith.v1.System/Ping.", encoding: encoding))
    }
    guard frames[1].count == 1, let kind = ControlKind(rawValue: frames[1][0]) else {
      return .rejected(
        FrameRejection(
          .malformed, Failure(.unimplemented, "KIND_UNKNOWN", "The second frame is not a kind of message known here."),
          service: service, encoding: encoding))
    }
    if var rejection = self.oversize(frames, attachment: WireLimits.acceptedAttachment) {
      rejection.service = service
      rejection.encoding = encoding
      return .rejected(rejection)
    }
    return .accepted(Envelope(kind: kind, service: service, encoding: encoding))
  }

  /// Reads the name of a method; nil if it is too long or not UTF-8.
  static func service(_ frame: [UInt8]) -> String? {
    guard frame.count <= WireLimits.service, let text = try? UTF8Span(validating: frame.span) else { return nil }
    return String(copying: text)
  }

  /// The frames after the body.
  static func attachments(_ frames: [[UInt8]]) -> [[UInt8]] {
    // Most messages have no attachments, and a slice costs as much as reading a header.
    frames.count > WireLimits.fixedFrames ? Array(frames[WireLimits.fixedFrames...]) : []
  }

  /// Reads a header; nil if it is malformed.
  static func header<Header: SwiftProtobuf.Message>(
    _ type: Header.Type, _ frames: [[UInt8]], _ encoding: Encoding
  ) -> Header? {
    try? encoding.decode(type, from: frames[4])
  }

  private static func oversize(_ frames: [[UInt8]], attachment limit: Int) -> FrameRejection? {
    guard frames.count <= WireLimits.frames else {
      return .oversize("message in frames", frames.count, limit: WireLimits.frames)
    }
    guard frames[4].count <= WireLimits.header else {
      return .oversize("header in bytes", frames[4].count, limit: WireLimits.header)
    }
    guard frames[5].count <= WireLimits.body else {
      return .oversize("body in bytes", frames[5].count, limit: WireLimits.body)
    }
    for attachment in frames.dropFirst(WireLimits.fixedFrames) where attachment.count > limit {
      return .oversize("attachment in bytes", attachment.count, limit: limit)
    }
    return nil
  }
}

extension Encoding {
  private static let pbFrame = Array("pb".utf8)
  private static let jsonFrame = Array("json".utf8)

  /// The frame of this encoding.
  var frame: [UInt8] {
    switch self {
    case .pb: Self.pbFrame
    case .json: Self.jsonFrame
    }
  }

  /// Reads the frame of an encoding.
  init?(frame: [UInt8]) {
    switch frame {
    case Self.pbFrame: self = .pb
    case Self.jsonFrame: self = .json
    default: return nil
    }
  }
}
