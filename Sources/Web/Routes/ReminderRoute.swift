internal import Bus
internal import Digest
internal import EventLoop
internal import Hummingbird
internal import KithMessages
internal import WebRules

/// `/remind/LINK`: a button of a message about a reminder was pressed.
struct ReminderRoute: Sendable {
  let parts: DoorParts

  /// Has the hub do what a link says. It decides whether the link is one of its own; here only guesses are counted.
  func follow(_ link: String, _ admitted: Admission.Admitted) async throws(Refusal) -> Response {
    try self.parts.addresses.withLock { addresses throws(Refusal) in
      try addresses.check(admitted.caller.address, now: .now)
    }
    var request = FollowReminderLinkRequest()
    request.link = link
    let reply: FollowReminderLinkReply
    do throws(Failure) {
      // A press that is sent again, because its answer was lost, is the same command.
      let key = Hex.encode(SHA256.digest(Array(link.utf8)))
      reply = try await self.parts.link.call(request, CallContext(idempotencyKey: key, timeout: .seconds(20))).reply
    } catch {
      if error.reason == "LINK_UNKNOWN" {
        self.parts.addresses.withLock { $0.countUnknown(from: admitted.caller.address, now: .now) }
      }
      throw Refusal(error)
    }
    var response = Response.bytes("{\"state\":\(JSONText.quoted(reply.state))}".utf8, "application/json")
    // The page of an ntfy server sends it, too, and shows whether that went well.
    response.set("Access-Control-Allow-Origin", "*")
    response.set("Cross-Origin-Resource-Policy", "cross-origin")
    return response
  }
}
