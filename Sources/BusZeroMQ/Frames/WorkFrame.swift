public import Bus
internal import KithMessages
internal import SwiftProtobuf

/// A message of the work plane with its frames: tag, kind, service, content type, header, body, attachment.
///
/// ```swift
/// let frames = try WorkFrame(.heartbeat(Heartbeat())).encoded()
/// ```
public struct WorkFrame: Sendable, Hashable {
  /// The method of the job; empty if the message is not about a job.
  public var service: String
  /// The encoding of header and body, as the worker chose with its READY.
  public var encoding: Encoding
  /// The message.
  public var message: WorkMessage

  /// Makes a frame.
  public init(_ message: WorkMessage, service: String = "", encoding: Encoding = .pb) {
    self.service = service
    self.encoding = encoding
    self.message = message
  }

  /// Encodes the frames after the routing id.
  ///
  /// - Throws: `INVALID_ARGUMENT/BODY_TOO_LARGE`.
  public func encoded() throws(Failure) -> [[UInt8]] {
    let (header, body) = try self.parts()
    var frames = [
      WireTag.work.bytes, [self.message.kind.rawValue], Array(self.service.utf8), self.encoding.frame, header, body,
    ]
    if case .chunk(_, let data) = self.message { frames.append(data) }
    if let rejection = Self.oversize(frames) { throw rejection.failure }
    return frames
  }

  /// Decodes the frames after the routing id.
  public static func decode(_ frames: [[UInt8]]) -> FrameOutcome<WorkFrame> {
    guard let tag = frames.first else { return .foreign }
    switch WireTag.work.compare(tag) {
    case .same: break
    case .otherMajor: return .rejected(.wrongMajor(.work))
    case .foreign: return .foreign
    }
    guard frames.count >= WireLimits.fixedFrames, let encoding = Encoding(frame: frames[3]) else {
      return .rejected(.malformed("A message of the work plane has six frames, and the fourth is pb or json."))
    }
    guard let service = ControlLayout.service(frames[2]) else {
      return .rejected(.malformed("The third frame is not the name of a method.", encoding: encoding))
    }
    guard frames[1].count == 1, let kind = WorkKind(rawValue: frames[1][0]) else {
      return .rejected(
        FrameRejection(
          .malformed, Failure(.unimplemented, "KIND_UNKNOWN", "The second frame is not a kind of message known here."),
          service: service, encoding: encoding))
    }
    if var rejection = Self.oversize(frames) {
      rejection.encoding = encoding
      return .rejected(rejection)
    }
    do throws(Failure) {
      return .accepted(
        WorkFrame(try Self.message(kind, frames, encoding), service: service, encoding: encoding))
    } catch {
      return .rejected(
        .malformed("The header does not belong to its kind of message.", service: service, encoding: encoding))
    }
  }

  private func parts() throws(Failure) -> (header: [UInt8], body: [UInt8]) {
    let encoding = self.encoding
    return switch self.message {
    case .ready(let header): (try encoding.encode(header), [])
    case .job(let header, let body): (try encoding.encode(header), body)
    case .partial(let header, let body): (try encoding.encode(header), body)
    case .final(let header, let body): (try encoding.encode(header), body)
    case .heartbeat(let header): (try encoding.encode(header), [])
    case .disconnect(let header): (try encoding.encode(header), [])
    case .welcome(let header): (try encoding.encode(header), [])
    case .credit(let header): (try encoding.encode(header), [])
    case .lease(let header): (try encoding.encode(header), [])
    case .ack(let header): (try encoding.encode(header), [])
    case .cancel(let header): (try encoding.encode(header), [])
    case .fetch(let header): (try encoding.encode(header), [])
    case .chunk(let header, _): (try encoding.encode(header), [])
    case .drain(let header): (try encoding.encode(header), [])
    case .chunkAck(let header): (try encoding.encode(header), [])
    }
  }

  private static func message(
    _ kind: WorkKind, _ frames: [[UInt8]], _ encoding: Encoding
  ) throws(Failure) -> WorkMessage {
    func header<Header: SwiftProtobuf.Message>(_ type: Header.Type) throws(Failure) -> Header {
      try encoding.decode(type, from: frames[4])
    }
    let body = frames[5]
    return switch kind {
    case .ready: .ready(try header(Ready.self))
    case .job: .job(try header(Job.self), body)
    case .partial: .partial(try header(Partial.self), body)
    case .final: .final(try header(WorkResult.self), body)
    case .heartbeat: .heartbeat(try header(Heartbeat.self))
    case .disconnect: .disconnect(try header(Disconnect.self))
    case .welcome: .welcome(try header(Welcome.self))
    case .credit: .credit(try header(Credit.self))
    case .lease: .lease(try header(LeaseUpdate.self))
    case .ack: .ack(try header(Ack.self))
    case .cancel: .cancel(try header(Cancel.self))
    case .fetch: .fetch(try header(Fetch.self))
    case .chunk: .chunk(try header(Chunk.self), frames.count > WireLimits.fixedFrames ? frames[6] : [])
    case .drain: .drain(try header(Drain.self))
    case .chunkAck: .chunkAck(try header(ChunkAck.self))
    }
  }

  private static func oversize(_ frames: [[UInt8]]) -> FrameRejection? {
    guard frames.count <= WireLimits.frames else {
      return .oversize("message in frames", frames.count, limit: WireLimits.frames)
    }
    guard frames[4].count <= WireLimits.header else {
      return .oversize("header in bytes", frames[4].count, limit: WireLimits.header)
    }
    guard frames[5].count <= WireLimits.body else {
      return .oversize("body in bytes", frames[5].count, limit: WireLimits.body)
    }
    for attachment in frames.dropFirst(WireLimits.fixedFrames) where attachment.count > WireLimits.acceptedAttachment {
      return .oversize("attachment in bytes", attachment.count, limit: WireLimits.acceptedAttachment)
    }
    return nil
  }
}
