public import ZeroMQ

/// The memory that the hub may use for its clients, and its parts. docs/protocol.md, 9.
///
/// The parts are bytes of messages. With libzmq's frames around the bytes, the table's entries and what the allocator
/// keeps, a byte of a message takes two bytes of memory (docs/reliability.md): so all parts are less than half of the whole.
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
      received: 4 << 20, receivedInAll: self.bytes / 32 * 5, unsent: 1 << 20, unsentInAll: self.bytes / 10)
  }

  /// Bodies and attachments of commands in flight.
  var requests: Int { self.bytes / 8 }

  /// Answers for peers that do not read.
  var parked: Int { self.bytes / 16 }
}
