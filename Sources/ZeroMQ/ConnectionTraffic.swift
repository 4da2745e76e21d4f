internal import CTraffic
internal import CZeroMQ

/// Limits the bytes that libzmq holds for the connections that this process has accepted. docs/decisions/0031.
///
/// libzmq limits queues only by the number of messages, and does not limit an unfinished message. `CTraffic.h` explains
/// how bytes are counted instead, on all accepted connections; ``Socket/startMeter(of:mostUnread:)`` counts what a socket
/// reads and sends.
///
/// ```swift
/// ConnectionTraffic.limit(
///   .init(received: 4 << 20, receivedInAll: 16 << 20, unsent: 1 << 20, unsentInAll: 8 << 20))
/// ```
public enum ConnectionTraffic {
  /// The limits, in bytes.
  public struct Limits: Sendable, Hashable {
    /// Unread bytes of one connection; above it the connection is closed.
    public var received: Int
    /// Unread bytes of all connections; above it the connection is closed that has held many bytes for longest.
    public var receivedInAll: Int
    /// Unsent bytes of one connection; above it a send would block.
    public var unsent: Int
    /// Unsent bytes of all connections; above it messages are sent only to owners without unsent bytes.
    public var unsentInAll: Int

    /// Makes limits.
    public init(received: Int, receivedInAll: Int, unsent: Int, unsentInAll: Int) {
      self.received = received
      self.receivedInAll = receivedInAll
      self.unsent = unsent
      self.unsentInAll = unsentInAll
    }
  }

  /// Totals of all connections.
  public struct Totals: Sendable, Hashable {
    /// The number of bytes received and not read.
    public let unread: UInt64
    /// The number of bytes accepted for sending and not sent.
    public let unsent: UInt64
    /// The number of connections that were cut.
    public let cut: UInt64
  }

  /// The totals of this process.
  public static var totals: Totals {
    let totals = kith_traffic_totals()
    return Totals(unread: totals.received, unsent: totals.unsent, cut: totals.cut)
  }

  /// Sets the limits of this process, which has none before. Call it before a socket is bound.
  public static func limit(_ limits: Limits) {
    kith_traffic_limit(
      kith_traffic_limits(
        received: UInt64(limits.received), received_in_all: UInt64(limits.receivedInAll),
        unsent: UInt64(limits.unsent), unsent_in_all: UInt64(limits.unsentInAll)))
  }

  /// Sets the owner of a connection. All connections of one owner may use a quarter of the unread and of the unsent bytes.
  public static func setOwner(of connection: Int32, to owner: String) {
    kith_traffic_owner(connection, Self.number(owner))
  }

  /// Whether an owner uses at most its quarter, including its closed connections.
  public static func hasRoom(for owner: String) -> Bool { kith_traffic_has_room(Self.number(owner)) }

  private static func number(_ owner: String) -> UInt64 { UInt64(truncatingIfNeeded: owner.hashValue) | 1 }

  /// Closes an accepted connection, as if its peer had disconnected.
  ///
  /// - Returns: false if there is no connection with this descriptor.
  @discardableResult
  public static func cut(_ connection: Int32) -> Bool { kith_traffic_cut(connection) }
}

/// Maps the peers of a ROUTER to their connections, to count their outgoing bytes.
struct ConnectionMeter {
  /// Whether the socket is a ROUTER, whose first frames are routing ids. What an XPUB sends is not for one connection.
  let isRouter: Bool
  private let plane: Int32
  private var connections: [[UInt8]: Int32] = [:]

  /// - Parameter mostUnread: The most unread bytes of a connection; 0 = only the general limits.
  init(isRouter: Bool, mostUnread: Int) {
    self.isRouter = isRouter
    self.plane = kith_traffic_plane(mostUnread)
  }

  /// Counts the bytes of a received frame on the wire; the routing id of a ROUTER was not on the wire. A subscription may
  /// have been sent as a message, of the same length, or as a command with a name in place of the first byte (RFC 37).
  ///
  /// - Parameter number: The number of the frame in its message, from 1.
  func count(_ frame: UnsafeRawBufferPointer, at number: Int, in size: inout MessageSize) {
    guard number == 1 else { return size.add(frame.count) }
    guard !self.isRouter else { return }
    let name: StaticString =
      switch unsafe frame.first {
      case 0: "CANCEL"
      case 1: "SUBSCRIBE"
      default: ""
      }
    size.add(frame.count, name: name.utf8CodeUnitCount)
  }

  /// Assigns the listeners that `body` creates, and their connections, to this socket.
  func binding<Result>(_ body: () -> Result) -> Result {
    kith_traffic_bind(self.plane)
    defer { kith_traffic_bind(0) }
    return body()
  }

  /// Counts a message that was read; `size` includes dropped frames.
  mutating func took(_ message: borrowing MultipartMessage, _ size: MessageSize) {
    guard let connection = message.connection else { return }
    kith_traffic_taken(connection, size.counted)
    guard self.isRouter else { return }
    let peer = message.bytes(at: 0)
    if self.connections[peer] != connection { self.connections[peer] = connection }
  }

  /// Counts a message to a peer. Returns false, and counts nothing, if a limit would be exceeded.
  func offer(to peer: [UInt8], _ size: MessageSize) -> Bool {
    self.connections[peer].map { kith_traffic_offer($0, size.counted) } ?? true
  }

  /// Uncounts a message that was not sent.
  func withdraw(to peer: [UInt8], _ size: MessageSize) {
    if let connection = self.connections[peer] { kith_traffic_withdraw(connection, size.counted) }
  }

  /// The number of closed connections of this process. Read it before receiving.
  static var closings: UInt64 { kith_traffic_closings() }

  /// Records that no message was waiting: everything from connections that were closed before the receive has been read.
  func drained(closings: UInt64) { kith_traffic_drained(self.plane, closings) }

  /// Removes a connection.
  mutating func forget(_ connection: Int32) {
    self.connections = self.connections.filter { $0.value != connection }
  }
}

/// The size of a message on the wire.
struct MessageSize {
  private(set) var counted = kith_traffic_message()

  /// Adds a frame. ZMTP encodes a length up to 255 in one byte, a larger one in eight; CURVE adds 33 bytes.
  ///
  /// - Parameter name: Further bytes that the frame may have had on the wire.
  mutating func add(_ bytes: Int, name: Int = 0) {
    self.counted.bytes += bytes
    self.counted.names += name
    self.counted.frames += 1
    if bytes > 255 { self.counted.long_frames += 1 }
    if bytes > 255 - 33 { self.counted.long_encrypted_frames += 1 }
  }
}

extension MultipartMessage {
  /// The descriptor of the message's connection, which may have ended since; nil for a message that libzmq made up.
  /// zmq_msg_get(3).
  public var connection: Int32? {
    guard count > 0 else { return nil }
    // Within the frames. The last one, because libzmq 4.3.4 may leave a ROUTER's routing id without properties.
    let descriptor = unsafe zmq_msg_get(slot(count - 1), ZMQ_SRCFD)
    return descriptor < 0 ? nil : descriptor
  }
}
