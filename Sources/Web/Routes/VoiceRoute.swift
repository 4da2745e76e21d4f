internal import Bus
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import NIOCore
internal import WebRules

/// `POST /care/voice?message={…}`: a spoken entry of care in one request.
///
/// The body becomes `Care/StartVoice`, `AppendVoice` and `StopVoice` with keys that follow from the request's `Idempotency-Key`. An upload
/// that is sent again is cut at the same places, so each of its commands is answered from the hub's memory: there is one entry.
struct VoiceRoute: Sendable {
  /// The most bytes of a recording.
  private static let largest = 32 << 20
  private static let piece = 256 << 10

  let parts: DoorParts

  /// Records the body.
  func answer(
    _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Response {
    let type = try ContentType.check(head, "audio/wav, audio/webm, audio/mp4, audio/ogg") {
      if case .audio = $0 { true } else { false }
    }
    guard let field = head.field("idempotency-key") else {
      throw Refusal(
        400,
        .invalid(field: "Idempotency-Key", "is missing: a random text, the same whenever this recording is sent again.")
      )
    }
    let key = try IdempotencyKey(field)
    var reader = try BodyReader(request, head, context, limit: Self.largest)
    let upload = Upload(parts: self.parts, admitted: admitted, key: key)
    var record = try await upload.start(try Self.message(head.query["message"], type, key))
    guard record.state == "recording" else {
      // It came to its end so long ago that the hub knows it by its client id alone.
      if head.hasLargeBody { context.closeSoon() }
      return try Self.reply(record, context)
    }
    do throws(Refusal) {
      var cutter = PieceCutter(size: Self.piece)
      while let bytes = try await reader.next() {
        for piece in cutter.take(bytes) { try await upload.append(piece, to: record.id) }
      }
      if let rest = cutter.rest { try await upload.append(rest, to: record.id) }
    } catch {
      if error.status == 413 { await upload.discard(record.id) }
      throw error
    }
    record = try await upload.stop(record.id)
    return try Self.reply(record, context)
  }

  private static func reply(_ record: CareRecord, _ context: WebContext) throws(Refusal) -> Response {
    var reply = CareReply()
    reply.record = record
    do throws(Failure) {
      return .bytes(try Encoding.json.encode(reply), "application/json", context)
    } catch {
      throw Refusal(error)
    }
  }

  private static func message(
    _ text: String?, _ type: ContentType, _ key: IdempotencyKey
  ) throws(Refusal) -> StartVoiceRequest {
    var message: StartVoiceRequest
    do throws(Failure) {
      message = try Encoding.json.decode(StartVoiceRequest.self, from: Array((text ?? "").utf8))
    } catch {
      throw Refusal(error)
    }
    if message.mediaType.isEmpty, case .audio(let name) = type { message.mediaType = name }
    if message.clientID.isEmpty { message.clientID = key.text }
    return message
  }
}

/// The commands of one recording.
private struct Upload: Sendable {
  let parts: DoorParts
  let admitted: Admission.Admitted
  let key: IdempotencyKey

  func start(_ message: StartVoiceRequest) async throws(Refusal) -> CareRecord {
    try await self.send(message, "start").record
  }

  func append(_ piece: PieceCutter.Piece, to id: String) async throws(Refusal) {
    var request = AppendVoiceRequest()
    request.id = id
    request.offset = piece.offset
    _ = try await self.send(request, "\(piece.offset)", attachments: [piece.bytes])
  }

  func stop(_ id: String) async throws(Refusal) -> CareRecord {
    var request = StopVoiceRequest()
    request.id = id
    return try await self.send(request, "stop").record
  }

  /// Ends a recording that is too large, without its sound.
  func discard(_ id: String) async {
    var request = StopVoiceRequest()
    request.id = id
    request.discard = true
    _ = try? await self.send(request, "discard")
  }

  private func send<C: Command>(
    _ command: C, _ name: String, attachments: [[UInt8]] = []
  ) async throws(Refusal) -> C.Reply {
    do throws(Failure) {
      return try await self.parts.link.call(
        command, token: self.admitted.credential?.token ?? "", key: self.key.part(name), attachments: attachments
      ).reply
    } catch {
      throw self.parts.refusal(error, self.admitted)
    }
  }
}
