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
///
/// The hub ends a recording half an hour after its first sound, and at its own start those that are open. If less sound is there than the
/// body has, the whole body becomes another entry, which takes the place of the first.
struct VoiceRoute: Sendable {
  /// The most bytes of a recording.
  private static let largest = 32 << 20
  private static let piece = 256 << 10
  /// How often a recording may be cut off by the hub.
  private static let tries = 20

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
    let size = try BodyPace.length(of: head, limit: Self.largest)
    // One that is too large makes no entry.
    _ = try BodyPace(limit: Self.largest, length: size, now: .now)
    var cutOff: [String] = []
    for number in 0..<Self.tries {
      let upload = Upload(parts: self.parts, admitted: admitted, key: number == 0 ? key : IdempotencyKey(key, number))
      var message = try Self.message(head.query["message"], type)
      // Keys are of one device, client ids of all: two devices may choose the same key. Another entry has another id.
      if message.clientID.isEmpty || number > 0 {
        message.clientID = upload.key.part(admitted.credential?.digest ?? "")
      }
      let record = try await upload.start(message)
      switch try await upload.stage(of: record.id, size: size) {
      case .open:
        let stored = try await self.record(request, head, context, upload, record.id)
        for id in cutOff { await upload.replace(id) }
        return try Self.reply(stored)
      case .ended(let stored):
        for id in cutOff { await upload.replace(id) }
        var response = try Self.reply(stored)
        if head.hasLargeBody { context.closeSoon(&response) }
        return response
      case .cutOff: cutOff.append(record.id)
      }
    }
    throw Refusal(Self.interrupted)
  }

  /// Sends the body to a recording that is open.
  private func record(
    _ request: Request, _ head: RequestHead, _ context: WebContext, _ upload: Upload, _ id: String
  ) async throws(Refusal) -> CareRecord {
    var reader = try BodyReader(request, head, context, limit: Self.largest)
    do throws(Refusal) {
      var cutter = PieceCutter(size: Self.piece)
      while let bytes = try await reader.next() {
        for piece in cutter.take(bytes) { try await upload.append(piece, to: id) }
      }
      if let rest = cutter.rest { try await upload.append(rest, to: id) }
      return try await upload.stop(id)
    } catch {
      if error.status == 413 { await upload.discard(id) }
      // The hub ended the recording meanwhile. Sent again, all of it takes the place of this one.
      throw error.failure.reason == "NOT_RECORDING" ? Refusal(Self.interrupted) : error
    }
  }

  private static let interrupted = Failure(
    .unavailable, "RECORDING_INTERRUPTED", "kithd ended this recording before its last piece. Send it again.",
    retryAfterMilliseconds: 1000)

  private static func reply(_ record: CareRecord) throws(Refusal) -> Response {
    var reply = CareReply()
    reply.record = record
    do throws(Failure) {
      return .bytes(try Encoding.json.encode(reply), "application/json")
    } catch {
      throw Refusal(error)
    }
  }

  private static func message(_ text: String?, _ type: ContentType) throws(Refusal) -> StartVoiceRequest {
    var message: StartVoiceRequest
    do throws(Failure) {
      message = try Encoding.json.decode(StartVoiceRequest.self, from: Array((text ?? "").utf8))
    } catch {
      throw Refusal(error)
    }
    if message.mediaType.isEmpty, case .audio(let name) = type { message.mediaType = name }
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

  /// How far a recording has come that may have been sent before.
  enum Stage {
    /// It takes sound.
    case open
    /// All its sound is there.
    case ended(CareRecord)
    /// The hub ended the recording, and a part of its sound is missing.
    case cutOff
  }

  /// - Parameter size: The bytes of the whole recording; nil if the request does not say. The stored sound then counts as whole.
  func stage(of id: String, size: Int?) async throws(Refusal) -> Stage {
    let record = try await self.look(at: id)
    guard record.knownState != .recording else { return .open }
    guard let size, record.hasAudioBytes else { return .ended(record) }
    return record.audioBytes >= size ? .ended(record) : .cutOff
  }

  /// Deletes a recording that was cut off, unless a person has worked on it: this one has all its sound.
  func replace(_ id: String) async {
    guard let record = try? await self.look(at: id), record.knownState != .written, record.memo.isEmpty,
      record.versions.isEmpty, record.knownReview != .done
    else { return }
    var deletion = DeleteCareRequest()
    deletion.id = id
    _ = try? await self.send(deletion, "replace-\(id)")
  }

  /// The entry as it is now: the answer to an earlier request says how it was.
  private func look(at id: String) async throws(Refusal) -> CareRecord {
    var request = GetCareRequest()
    request.id = id
    return try await self.send(request, "look-\(UUIDv7.make().text)").record
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
