public import ZeroMQ

/// How much memory the hub may spend on its clients, and on what. docs/protocol.md, 9.
public struct ClientMemory: Sendable, Hashable {
  /// For everything together.
  public let bytes: Int

  /// Divides so many bytes.
  ///
  /// - Parameter bytes: At least 32 MiB, so that the largest messages fit each part.
  public init(bytes: Int = 64 << 20) { self.bytes = bytes }

  /// What libzmq may hold. A connection may have 4 MiB unread, which is more than a client that keeps to the protocol ever sends ahead.
  public var traffic: ConnectionTraffic.Limits {
    ConnectionTraffic.Limits(
      received: 4 << 20, receivedInAll: self.bytes / 5, unsent: 1 << 20, unsentInAll: self.bytes / 8)
  }

  /// Bodies and attachments of commands in flight.
  var requests: Int { self.bytes / 5 }

  /// Answers that wait for a peer that does not read.
  var parked: Int { self.bytes / 16 }
}
