public import Bus
internal import KithMessages
internal import Transfer

/// Delivers messages to the destination of a channel: mail, LINE, ntfy, a webhook, a browser, a program, the desktop.
///
/// It may run on another machine. It has no store, and keeps only ``ChannelConnections`` between calls.
public struct DeliveryService: Sendable {
  private let connections: ChannelConnections
  private let programs: Set<String>

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - connections: The connections to the servers.
  ///   - programs: Absolute paths of the programs that a channel may run.
  public init(connections: ChannelConnections, programs: Set<String>) {
    self.connections = connections
    self.programs = programs
  }

  /// Its methods.
  public var routes: [Route] {
    [Route(DeliverRequest.self) { request, _ throws(Failure) in try await self.deliver(request) }]
  }

  @concurrent
  private func deliver(_ request: DeliverRequest) async throws(Failure) -> DeliverReply {
    let secret = try await self.connections.secret(request)
    do throws(DeliveryFault) {
      return try await self.send(request, secret)
    } catch {
      throw error.failure(on: request.channel.name)
    }
  }

  private func send(_ request: DeliverRequest, _ secret: String?) async throws(DeliveryFault) -> DeliverReply {
    let (channel, notice) = (request.channel, request.notice)
    switch channel.kind {
    case .mail(let mail)?:
      guard mail.username.isEmpty || secret != nil else { throw .secretMissing }
      return try await MailDelivery(request: request, channel: mail)
        .send(with: self.connections.mail(channel), secret: secret)
    case .ntfy(let ntfy)?:
      guard ntfy.username.isEmpty || secret != nil else { throw .secretMissing }
      return try await self.send(NtfyMessage(id: request.id, channel: ntfy, notice: notice), channel, secret)
    case .line(let line)?:
      guard secret != nil else { throw .secretMissing }
      return try await self.send(LineMessage(id: request.id, channel: line, notice: notice), channel, secret)
    case .webhook(let webhook)?:
      guard secret != nil || !webhook.address.contains(WebhookMessage.secretMark) else { throw .secretMissing }
      return try await self.send(WebhookMessage(id: request.id, channel: webhook, notice: notice), channel, secret)
    case .push(let push)?:
      guard secret != nil else { throw .secretMissing }
      return try await self.send(
        PushMessage(channel: push, now: WallClock.nanoseconds() / 1_000_000_000), channel, secret)
    case .command(let command)?:
      guard self.programs.contains(command.program) else {
        throw .unavailable(
          "\(command.program) is not allowed here. Name it in the configuration: [channels] programs = [\"\(command.program)\"]"
        )
      }
      return try await CommandDelivery(request: request, channel: command).run()
    case .desktop?: return try await DesktopDelivery(request: request).run()
    case nil:
      throw .unavailable(
        "The channel '\(channel.name)' is of a kind that this version does not know. Update kithd and its workers.")
    }
  }

  private func send(
    _ message: some WebMessage, _ channel: Channel, _ secret: String?
  ) async throws(DeliveryFault) -> DeliverReply {
    try await message.send(with: self.connections.web(channel), secret: secret)
  }
}
