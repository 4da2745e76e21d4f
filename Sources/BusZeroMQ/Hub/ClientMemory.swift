public import ZeroMQ

/// The memory that the hub may use for its clients, and its parts. docs/protocol.md, 9.
///
/// ```swift
/// ConnectionTraffic.limit(ClientMemory(bytes: 128 << 20).traffic)
/// ```
public struct ClientMemory: Sendable, Hashable {
  /// The total.
  public let bytes: Int

  /// Divides the total into parts.
  ///
  /// - Parameter bytes: At least 32 MiB, so that the largest message fits each part.
  public init(bytes: Int = 64 << 20) { self.bytes = bytes }

  /// The limits of libzmq's buffers. 4 MiB unread for each connection is more than a correct client ever sends ahead.
  public var traffic: ConnectionTraffic.Limits {
    ConnectionTraffic.Limits(
      received: 4 << 20, receivedInAll: self.bytes / 5, unsent: 1 << 20, unsentInAll: self.bytes / 8)
  }

  /// Bodies and attachments of commands in flight.
  var requests: Int { self.bytes / 5 }

  /// Answers for peers that do not read.
  var parked: Int { self.bytes / 16 }
}
