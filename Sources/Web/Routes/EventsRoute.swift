internal import Bus
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import KithMessages
internal import NIOCore
internal import ServiceLifecycle
internal import WebRules

/// `GET /events`: events as they happen, as server-sent events (WHATWG HTML, 9.2).
struct EventsRoute: Sendable {
  let parts: DoorParts

  /// Answers with a stream that lasts until its reader leaves, its device is revoked, or the door closes.
  func answer(
    _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Response {
    guard let credential = admitted.credential else { throw Refusal(401, Token.unknown) }
    let streams = try Self.streams(head.query["streams"])
    let since = try Self.since(head)
    let hold = try self.parts.holdStream(credential.digest)
    let name: String
    do throws(Failure) {
      name = try await self.parts.devices.find(credential, isFresh: true).name
      guard self.parts.fan.isStarted else {
        throw Failure(
          .unavailable, "HUB_AWAY", "The hub does not answer at the moment. Try again soon.",
          retryAfterMilliseconds: 2000)
      }
    } catch {
      throw self.parts.refusal(error, admitted)
    }
    let fan = self.parts.fan
    let (id, wakes) = fan.join(streams: streams, since: since, credential, name: name)
    let member = Hold { fan.leave(id) }
    // Asked again as a member: a device that was revoked between the first question and here would follow events unseen.
    do throws(Failure) {
      _ = try await self.parts.devices.find(credential, isFresh: true)
    } catch {
      throw self.parts.refusal(error, admitted)
    }
    let body = ResponseBody { writer in
      defer { withExtendedLifetime((hold, member)) {} }
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        try await withGracefulShutdownHandler {
          try await self.send(id, wakes, &writer)
        } onGracefulShutdown: {
          fan.end()
        }
      }
      try await writer.finish(nil)
    }
    var response = Response(
      status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"], body: body)
    response.set("X-Accel-Buffering", "no")
    // While it is sent, only the end of the connection is read: no request could follow.
    context.announceEnd(in: &response)
    return response
  }

  @concurrent
  private func send(
    _ id: EventBoard.ReaderID, _ wakes: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
  ) async throws {
    let fan = self.parts.fan
    // The time after which a browser connects again.
    try await writer.write(ByteBuffer(string: ": kith\nretry: 2000\n\n"))
    for await _ in wakes {
      var text = ""
      var gap: (stream: String, epoch: String, after: UInt64)?
      for item in fan.take(id) {
        switch item {
        case .gap(let stream, let epoch, let after): gap = (stream, epoch, after)
        case .end:
          if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
          return
        default: text += item.text
        }
      }
      if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
      if let gap { await fan.fetch(id, gap.stream, epoch: gap.epoch, after: gap.after) }
    }
  }

  private static func streams(_ text: String?) throws(Refusal) -> [String] {
    let names = (text ?? "").split(separator: ",").map(String.init)
    guard !names.isEmpty else { return EventBoard.streams }
    for name in names where !EventBoard.streams.contains(name) {
      throw Refusal(
        400,
        .invalid(field: "streams", "has to be some of \(EventBoard.streams.joined(separator: ", ")), with commas."))
    }
    return names
  }

  private static func since(_ head: RequestHead) throws(Refusal) -> EventVector? {
    guard let text = head.field("last-event-id") ?? head.query["since"], !text.isEmpty else { return nil }
    guard let vector = EventVector(text) else {
      throw Refusal(400, .invalid(field: "since", "is not the id of an event of this stream."))
    }
    return vector
  }
}

extension EventReader.Item {
  /// The text of a server-sent event.
  fileprivate var text: String {
    switch self {
    case .position(let id): "event: position\nid: \(id)\ndata: {}\n\n"
    case .event(let id, let json): "id: \(id)\ndata: \(json)\n\n"
    case .resync(let id, let stream, let reason):
      "event: resync\nid: \(id)\ndata: {\"stream\":\"\(stream)\",\"reason\":\"\(reason)\"}\n\n"
    case .hub(let isUp): "event: hub\ndata: {\"state\":\"\(isUp ? "back" : "away")\"}\n\n"
    case .comment: ":\n\n"
    case .gap, .end: ""
    }
  }
}
