internal import EventLoop
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import WebRules

/// Bounds the connections of a server: how many there are, and how long one stays that does nothing.
///
/// ```swift
/// let server = HTTPServerBuilder { responder in ConnectionGuard(HTTP1Channel(responder: responder), connections) }
/// ```
struct ConnectionGuard<Base: ServerChildChannel>: ServerChildChannel {
  /// How long bytes may wait for a peer that reads nothing or is gone, in milliseconds: tcp(7).
  private static var userTimeout: Int { Int(ReaderPace.patience / .milliseconds(1)) }

  private let base: Base
  private let connections: Connections

  init(_ base: Base, _ connections: Connections) {
    self.base = base
    self.connections = connections
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    guard self.connections.open(channel) else {
      return channel.close().flatMap { channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
    }
    return self.base.setup(channel: channel, logger: logger).flatMapThrowing { value in
      try channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: Self.userTimeout)
      let pipeline = channel.pipeline.syncOperations
      if let handler = try? pipeline.handler(type: NIOSSLServerHandler.self) {
        try pipeline.addHandler(ConnectionAlarm(), position: .after(handler))
      }
      return value
    }
  }

  /// Answers the requests of a connection on its event loop: each change to another thread and back costs as much as a small answer.
  @concurrent func handle(value: Base.Value, logger: Logger) async {
    await withTaskExecutorPreference(ChannelExecutor(loop: value.channel.eventLoop)) {
      await self.base.handle(value: value, logger: logger)
    }
  }
}

/// Runs tasks on the thread of an event loop.
private final class ChannelExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The job is run exactly once, here, on its executor.
    self.loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// The connections that there are.
final class Connections: Sendable {
  private let limits: Lock<ConnectionLimits>
  private let changed: @Sendable (_ count: Int, _ isRefused: Bool) -> Void

  /// - Parameter changed: Told how many there are after each change, in their order.
  init(_ limits: ConnectionLimits, changed: @escaping @Sendable (_ count: Int, _ isRefused: Bool) -> Void) {
    self.limits = Lock(limits)
    self.changed = changed
  }

  /// Counts a connection until it closes. Returns false if there is no place for it.
  func open(_ channel: any Channel) -> Bool {
    let address = channel.remoteAddress?.ipAddress ?? ""
    let isOpen = self.limits.withLock { limits in
      let isOpen = limits.open(address)
      self.changed(limits.count, !isOpen)
      return isOpen
    }
    guard isOpen else { return false }
    channel.closeFuture.whenComplete { _ in
      self.limits.withLock { limits in
        limits.close(address)
        self.changed(limits.count, false)
      }
    }
    return true
  }
}
