internal import Assistants
internal import Bus
internal import Hummingbird
internal import KithMessages
internal import WebRules

/// `/mcp`: the tools of assistants, one message of the Model Context Protocol a request.
struct AssistantRoute: Sendable {
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
      version: head.field("mcp-protocol-version"), method: head.field("mcp-method"), name: head.field("mcp-name"))
    let answer = await server.answer(body, fields)
    guard let body = answer.body else { return Response(status: .accepted) }
    return .bytes(body, "application/json", status: .init(code: answer.status))
  }
}
