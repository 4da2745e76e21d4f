internal import NIOCore
internal import NIOTLS
internal import WebRules

/// Closes an encrypted connection that is without a stream of HTTP for too long: because its handshake does not end, because the head of
/// a request of HTTP/2 does not, or because its client says nothing.
final class ConnectionAlarm: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private var idle = IdleTime(now: .now)
  private var deadline: Deadline?

  /// That of a connection, or of the connection that a stream of HTTP/2 is part of; nil = it is not encrypted.
  static func of(_ channel: any Channel) -> ConnectionAlarm? {
    let connection = channel.isStream ? channel.parent : channel
    return try? connection?.pipeline.syncOperations.handler(type: ConnectionAlarm.self)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    self.deadline = Deadline(on: channel.eventLoop) { channel.close(promise: nil) }
    self.deadline?.time = self.idle.deadline
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.deadline?.cancel()
    self.deadline = nil
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? TLSUserEvent, case .handshakeCompleted = event { self.change { $0.shakeHands(now: .now) } }
    context.fireUserInboundEventTriggered(event)
  }

  /// Counts a stream; ``endStream()`` follows.
  func beginStream() { self.change { $0.begin() } }

  /// Counts the end of a stream.
  func endStream() { self.change { $0.end(now: .now) } }

  private func change(_ change: (inout IdleTime) -> Void) {
    change(&self.idle)
    self.deadline?.time = self.idle.deadline
  }
}
