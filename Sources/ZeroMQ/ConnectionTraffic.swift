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
    /// For all: beyond it only a connection that has nothing unsent may be sent something.
    public var unsentInAll: Int

    /// Makes limits.
    public init(received: Int, receivedInAll: Int, unsent: Int, unsentInAll: Int) {
      self.received = received
      self.receivedInAll = receivedInAll
      self.unsent = unsent
      self.unsentInAll = unsentInAll
    }
  }

  /// What is held now.
  public struct Totals: Sendable, Hashable {
    /// Received, and not taken.
    public let received: Int
    /// Handed over, and not sent.
    public let unsent: Int
    /// Connections that were cut.
    public let cut: Int
  }

  /// Sets the limits of this process; to be called before a socket is bound. There are none before.
  public static func limit(_ limits: Limits) {
    kith_traffic_limit(
      kith_traffic_limits(
        received: UInt64(limits.received), received_in_all: UInt64(limits.receivedInAll),
        unsent: UInt64(limits.unsent), unsent_in_all: UInt64(limits.unsentInAll)))
  }

  /// What is held now.
  public static var totals: Totals {
    let totals = kith_traffic_totals()
    return Totals(received: Int(totals.received), unsent: Int(totals.unsent), cut: Int(totals.cut))
  }

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
  private var connections: [[UInt8]: Int32] = [:]

  init(isRouter: Bool) { self.isRouter = isRouter }

  /// A message was taken; what it measured, with frames that were dropped.
  mutating func took(_ message: borrowing MultipartMessage, bytes: Int, frames: Int) {
    guard let connection = message.connection else { return }
    kith_traffic_taken(connection, bytes, frames)
    guard self.isRouter else { return }
    let peer = message.bytes(at: 0)
    if self.connections[peer] != connection { self.connections[peer] = connection }
  }

  /// Whether a message to a peer is within the limits; it is counted then.
  func offer(to peer: [UInt8], bytes: Int, frames: Int) -> Bool {
    self.connections[peer].map { kith_traffic_offer($0, bytes, frames) } ?? true
  }

  /// A message that was offered did not go.
  func withdraw(to peer: [UInt8], bytes: Int, frames: Int) {
    if let connection = self.connections[peer] { kith_traffic_withdraw(connection, bytes, frames) }
  }

  /// Everything that had come was taken.
  func drained() { kith_traffic_drained() }

  /// A connection has ended.
  mutating func forget(_ connection: Int32) {
    self.connections = self.connections.filter { $0.value != connection }
  }
}

extension MultipartMessage {
  /// The descriptor of the connection by which the message came; nil when it came by none that still is. zmq_msg_get(3).
  public var connection: Int32? {
    guard count > 0 else { return nil }
    // Within the frames. The last one, because libzmq 4.3.4 may leave a ROUTER's routing id without properties.
    let descriptor = unsafe zmq_msg_get(slot(count - 1), ZMQ_SRCFD)
    return descriptor < 0 ? nil : descriptor
  }
}
