internal import Assistants
internal import Bus
internal import EventLoop
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import Logging
internal import NIOCore
internal import WebRules

/// Answers every request: lets it in or not, hands it to its route, and adds what all answers have.
struct WebDoor: HTTPResponder {
  typealias Context = WebContext

  private let parts: DoorParts
  private let admission: Admission
  private let logger: Logger

  init(_ parts: DoorParts, _ admission: Admission, logger: Logger) {
    self.parts = parts
    self.admission = admission
    self.logger = logger
  }

  @concurrent func respond(to request: Request, context: WebContext) async throws -> Response {
    let head = RequestHead(request, context)
    var word = "refused"
    var response: Response
    do throws(Refusal) {
      let admitted = try self.admission.admit(head)
      word = admitted.target.word
      response = try await self.answer(request, head, admitted, context)
      self.renewCookie(of: admitted, in: &response)
    } catch {
      response = .refusal(error, to: head)
      if head.hasLargeBody { context.closeSoon(&response) }
    }
    SecurityHeaders.add(to: &response)
    self.parts.metrics.answered(word, status: response.status.code)
    return head.verb == "HEAD" ? response.createHeadResponse() : response
  }

  private func answer(
    _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Response {
    let hold = try await self.hold(head, admitted, context)
    defer { withExtendedLifetime(hold) {} }
    let response = try await self.route(request, head, admitted, hold, context)
    // An answer in lines begins before the hub has said whether it knows the token.
    if let credential = admitted.credential, admitted.target.usesToken, response.status.code < 400,
      response.headers[.contentType] != ConnectRoute.lines
    {
      self.parts.limits.withLock { $0.accept(credential.digest) }
    }
    return response
  }

  private func route(
    _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ hold: Hold?, _ context: WebContext
  ) async throws(Refusal) -> Response {
    switch admitted.target {
    case .method(let method):
      return try await ConnectRoute(parts: self.parts).answer(method, request, head, admitted, hold, context)
    case .events: return try await EventsRoute(parts: self.parts).answer(request, head, admitted, context)
    case .blob(let name):
      return try await BlobRoute(parts: self.parts).answer(name, request, head, admitted, hold, context)
    case .voice: return try await VoiceRoute(parts: self.parts).answer(request, head, admitted, context)
    case .pair:
      let pairing = PairingRoutes(parts: self.parts, logger: self.logger)
      return head.isSafe ? pairing.page(head, admitted) : try await pairing.pair(request, head, admitted, context)
    case .leave:
      return try await PairingRoutes(parts: self.parts, logger: self.logger).leave(request, head, admitted, context)
    case .page(let address): return await PageRoutes(parts: self.parts).page(address, head, admitted)
    case .form(let method):
      return try await PageRoutes(parts: self.parts).send(method, request, head, admitted, context)
    case .assistant: return try await AssistantRoute(parts: self.parts).answer(request, head, admitted, context)
    case .reminderLink(let link): return try await ReminderRoute(parts: self.parts).follow(link, admitted)
    case .health: return StateRoutes(parts: self.parts).health()
    case .findings: return try await StateRoutes(parts: self.parts).findings(head, admitted)
    case .metrics: return try await StateRoutes(parts: self.parts).metrics(admitted)
    case .description: return try FileRoute(path: "openapi.json").answer(head)
    case .authority(let form): return try StateRoutes(parts: self.parts).authority(form, head)
    case .file(let path): return try FileRoute(path: path).answer(head)
    }
  }

  /// Takes a place among the requests of a device. Streams have places of their own.
  private func hold(
    _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Hold? {
    guard let credential = admitted.credential, admitted.target.usesToken else { return nil }
    // A device that the hub knows is let in, whatever else comes from its address.
    if !self.parts.devices.isKnown(credential.digest) {
      try self.parts.addresses.withLock { addresses throws(Refusal) in
        try addresses.check(admitted.caller.address, now: .now)
      }
    }
    if credential.isCookie || admitted.target == .assistant, admitted.caller.way == .plain {
      try await self.requireViewer(credential, admitted)
    }
    guard admitted.target != .events else { return nil }
    let hold = try self.parts.holdRequest(credential.digest, isWrite: admitted.target.isWrite(head.verb))
    // A hundred answers could wait on one connection of HTTP/2: each has its place until it was taken.
    if context.channel.isStream { context.channel.closeFuture.whenComplete { _ in withExtendedLifetime(hold) {} } }
    return hold
  }

  /// Over a connection that everybody can read, only the cookie of a viewer counts, and only an assistant that may just read.
  private func requireViewer(_ credential: Credential, _ admitted: Admission.Admitted) async throws(Refusal) {
    let device: KnownDevices.Device
    do throws(Failure) {
      device = try await self.parts.devices.find(credential)
    } catch {
      throw self.parts.refusal(error, admitted)
    }
    guard device.role != "viewer", admitted.target != .leave else { return }
    throw Refusal(
      403,
      Failure(
        .permissionDenied, "ENCRYPTION_NEEDED",
        """
        This connection is not encrypted, so only devices that may just read are served over it; \(device.name) is \
        \(device.role). Use https, or have it paired as a viewer: kith web setup
        """))
  }

  private func renewCookie(of admitted: Admission.Admitted, in response: inout Response) {
    guard let credential = admitted.credential, admitted.target.usesToken, response.status.code < 400,
      case .cookie(let day) = credential.place,
      SessionCookie.isDue(setOn: day, today: Today.day), response.headers[.setCookie] == nil
    else { return }
    response.setCookie(SessionCookie.set(credential.token, day: Today.day, admitted.caller.way))
  }
}

/// `/mcp`: the tools of assistants, one message of the Model Context Protocol a request.
private struct AssistantRoute: Sendable {
  let parts: DoorParts

  /// Answers a message.
  func answer(
    _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Response {
    _ = try ContentType.check(head, "application/json") { $0 == .json }
    let body = try await BodyReader.collect(request, head, context, limit: AssistantServer.largestMessage)
    guard let credential = admitted.credential else { throw Refusal(401, Token.unknown) }
    let device: KnownDevices.Device
    do throws(Failure) {
      device = try await self.parts.devices.find(credential)
    } catch {
      throw self.parts.refusal(error, admitted)
    }
    let server = AssistantServer(DevicePort(link: self.parts.link, token: credential.token)) {
      Assistant(name: device.name, role: Role(rawValue: device.role) ?? .viewer)
    }
    let fields = RoutingFields(
      version: head.field("mcp-protocol-version"), method: head.field("mcp-method"), name: head.field("mcp-name"),
      key: try head.field("idempotency-key").map { field throws(Refusal) in try IdempotencyKey(field).text })
    let answer = await server.answer(body, fields)
    guard let body = answer.body else { return Response(status: .accepted) }
    return .bytes(body, "application/json", status: .init(code: answer.status))
  }
}

/// `/remind/LINK`: a button of a message about a reminder was pressed.
private struct ReminderRoute: Sendable {
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
      // Each press is a command of its own: after an undo the reminder is open again, and the next press must record. The hub records
      // nothing twice, however often a link is pressed.
      let context = CallContext(idempotencyKey: UUIDv7.make().text, timeout: .seconds(20))
      reply = try await self.parts.link.call(request, context).reply
    } catch {
      if error.reason == "LINK_UNKNOWN" {
        self.parts.addresses.withLock { $0.countUnknown(from: admitted.caller.address, now: .now) }
      }
      throw Refusal(error)
    }
    let before = reply.answeredBefore ? ",\"answeredBefore\":true" : ""
    var response = Response.bytes("{\"state\":\(JSONText.quoted(reply.state))\(before)}".utf8, "application/json")
    // The page of an ntfy server sends it, too, and shows whether that went well.
    response.set("Access-Control-Allow-Origin", "*")
    response.set("Cross-Origin-Resource-Policy", "cross-origin")
    return response
  }
}
