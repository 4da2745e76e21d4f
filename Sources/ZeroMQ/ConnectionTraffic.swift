internal import CTraffic
internal import CZeroMQ

/// What libzmq holds of the connections that this process has accepted, in bytes. docs/decisions/0031.
///
/// libzmq bounds queues in messages, and a message that has not ended by nothing. See `CTraffic.h` for how bytes are
/// counted instead, on all connections that are accepted; ``Socket/meter()`` has a socket say what it takes and sends.
public enum ConnectionTraffic {
  /// What may be held at most, in bytes.
  public struct Limits: Sendable, Hashable {
    /// Received by one connection and not taken: beyond it the connection is cut.
    public var received: Int
    /// Received by all: beyond it the connection is cut that has held much for longest.
    public var receivedInAll: Int
    /// For one connection, and not sent: beyond it a send finds a full queue.
    public var unsent: Int
    /// For all: beyond it only an owner that has nothing unsent may be sent something.
    public var unsentInAll: Int

    /// Makes limits.
    public init(received: Int, receivedInAll: Int, unsent: Int, unsentInAll: Int) {
      self.received = received
      self.receivedInAll = receivedInAll
      self.unsent = unsent
      self.unsentInAll = unsentInAll
    }
  }

  /// Sets the limits of this process; to be called before a socket is bound. There are none before.
  public static func limit(_ limits: Limits) {
    kith_traffic_limit(
      kith_traffic_limits(
        received: UInt64(limits.received), received_in_all: UInt64(limits.receivedInAll),
        unsent: UInt64(limits.unsent), unsent_in_all: UInt64(limits.unsentInAll)))
  }

  /// Takes up whose a connection is. All connections of an owner together may have a quarter of what may be held, and of what may be unsent.
  public static func setOwner(of connection: Int32, to owner: String) {
    kith_traffic_owner(connection, Self.number(owner))
  }

  /// Whether an owner holds no more than its quarter, also by connections that have ended.
  public static func hasRoom(for owner: String) -> Bool { kith_traffic_has_room(Self.number(owner)) }

  private static func number(_ owner: String) -> UInt64 { UInt64(truncatingIfNeeded: owner.hashValue) | 1 }

  /// Ends a connection that was accepted, as if its peer had gone.
  ///
  /// - Returns: False when there is none under that descriptor.
  @discardableResult
  public static func cut(_ connection: Int32) -> Bool { kith_traffic_cut(connection) }
}

/// By which connection each peer of a ROUTER comes, so that what is sent to it is counted there.
struct ConnectionMeter {
  /// Whether first frames are routing ids: of an XPUB they are not, and what it sends is not for one connection.
  let isRouter: Bool
  private let plane: Int32
  private var connections: [[UInt8]: Int32] = [:]

  /// - Parameter mostUnread: Bytes that a connection may have sent and the program has not taken; 0 = as of any plane.
  init(isRouter: Bool, mostUnread: Int) {
    self.isRouter = isRouter
    self.plane = kith_traffic_plane(mostUnread)
  }

  /// Counts a frame that was received as it travelled, which the routing id of a ROUTER did not. A subscription may have come as a
  /// message, which is as long, or as a command, with a name in place of the first byte (ZeroMQ RFC 37).
  ///
  /// - Parameter number: Of the frame in its message, from 1.
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

  /// Has connections belong to this socket that come in by listeners which `body` makes.
  func binding<Result>(_ body: () -> Result) -> Result {
    kith_traffic_bind(self.plane)
    defer { kith_traffic_bind(0) }
    return body()
  }

  /// A message was taken; what it measured, with frames that were dropped.
  mutating func took(_ message: borrowing MultipartMessage, _ size: MessageSize) {
    guard let connection = message.connection else { return }
    kith_traffic_taken(connection, size.counted)
    guard self.isRouter else { return }
    let peer = message.bytes(at: 0)
    if self.connections[peer] != connection { self.connections[peer] = connection }
  }

  /// Whether a message to a peer is within the limits; it is counted then.
  func offer(to peer: [UInt8], _ size: MessageSize) -> Bool {
    self.connections[peer].map { kith_traffic_offer($0, size.counted) } ?? true
  }

  /// A message that was offered did not go.
  func withdraw(to peer: [UInt8], _ size: MessageSize) {
    if let connection = self.connections[peer] { kith_traffic_withdraw(connection, size.counted) }
  }

  /// How many connections of this process have ended; to be read before a message is looked for.
  static var closings: UInt64 { kith_traffic_closings() }

  /// No message was there: everything was taken that had come by connections which ended before the look.
  func drained(closings: UInt64) { kith_traffic_drained(self.plane, closings) }

  /// A connection has ended.
  mutating func forget(_ connection: Int32) {
    self.connections = self.connections.filter { $0.value != connection }
  }
}

/// What the frames of a message measure that travel.
struct MessageSize {
  private(set) var counted = kith_traffic_message()

  /// Counts one frame more. ZMTP writes the length of one with up to 255 bytes in one byte, that of others in eight, and CURVE adds 33.
  ///
  /// - Parameter name: Bytes that it may have had beyond those.
  mutating func add(_ bytes: Int, name: Int = 0) {
    self.counted.bytes += bytes
    self.counted.names += name
    self.counted.frames += 1
    if bytes > 255 { self.counted.long_frames += 1 }
    if bytes > 255 - 33 { self.counted.long_encrypted_frames += 1 }
  }
}

extension MultipartMessage {
  /// The descriptor of the connection by which the message came, which may have ended since; nil for a message that libzmq made up.
  /// zmq_msg_get(3).
  public var connection: Int32? {
    guard count > 0 else { return nil }
    // Within the frames. The last one, because libzmq 4.3.4 may leave a ROUTER's routing id without properties.
    let descriptor = unsafe zmq_msg_get(slot(count - 1), ZMQ_SRCFD)
    return descriptor < 0 ? nil : descriptor
  }
}
