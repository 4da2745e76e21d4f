internal import NIOCore
internal import WebRules

/// Closes a stream of HTTP, which is a connection of HTTP/1.1 or a stream of HTTP/2, whose reader takes nothing for too long.
///
/// A reader of HTTP/2 may refuse the bytes of a stream while its connection goes on, so each stream has an alarm of its own.
final class StreamAlarm: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = NIOAny

  private var pace = ReaderPace()
  private var deadline: Deadline?
  private var connection: ConnectionAlarm?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    self.deadline = Deadline(on: channel.eventLoop) { channel.close(promise: nil) }
    self.connection = ConnectionAlarm.of(channel)
    self.connection?.beginStream()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.deadline?.cancel()
    self.deadline = nil
    self.connection?.endStream()
    self.connection = nil
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let taken = context.eventLoop.makePromise(of: Void.self)
    if let promise { taken.futureResult.cascade(to: promise) }
    self.change { $0.send(now: .now) }
    taken.futureResult.assumeIsolated().whenComplete { _ in self.change { $0.take(now: .now) } }
    context.write(data, promise: taken)
  }

  private func change(_ change: (inout ReaderPace) -> Void) {
    change(&self.pace)
    self.deadline?.time = self.pace.deadline
  }
}
