/// The limits of messages, connections and memory on the wire. docs/protocol.md, 2.
///
/// ```swift
/// let isToken = !text.isEmpty && text.utf8.count <= WireLimits.token
/// ```
public enum WireLimits {
  /// Frames of a message, without the routing id and the delimiter.
  public static let frames = 10
  /// Frames before the attachments of a control message.
  public static let fixedFrames = 6
  /// Attachments of a control message.
  public static let attachments = Self.frames - Self.fixedFrames
  /// Bytes of a header.
  public static let header = 4 << 10
  /// Bytes of a body.
  public static let body = 256 << 10
  /// Bytes of an attachment that is sent.
  public static let attachment = 256 << 10
  /// Bytes of an attachment that is accepted.
  public static let acceptedAttachment = 512 << 10
  /// Bytes of any frame; libzmq closes the connection of a peer that sends more.
  public static let frame = 1 << 20
  /// Bytes of a service name.
  public static let service = 128
  /// Bytes of a request id.
  public static let requestID = 64
  /// Bytes of an idempotency key.
  public static let idempotencyKey = 64
  /// Bytes of a device's token.
  public static let token = 128
  /// Bytes of a topic.
  public static let topic = 64
  /// Connections of the control plane.
  public static let controlConnections = 64
  /// Connections of the events plane; twice as many, because its peers cost the hub only what is sent to them.
  public static let eventConnections = 128
  /// Connections of the work plane.
  public static let workConnections = 64
  /// Connections to each plane that one key, or one other user of this machine, may have by default.
  public static let connectionsPerKey = 16
  /// Slots of a worker.
  public static let credit: UInt32 = 16
  /// Bytes of a checkpoint.
  public static let checkpoint = 2 << 10
  /// Bytes that one FETCH may request.
  public static let window: UInt32 = 2 << 20
  /// Connections to each plane that are reserved for this machine.
  public static let localConnections = 8
  /// Topics that a connection may subscribe to; one more, or one that is too long, closes it.
  public static let subscriptions = 64
  /// Bytes of any frame to the events plane, including handshakes.
  public static let subscriptionFrame = 2 << 10
  /// Bytes of subscriptions that a connection may send before the hub reads them.
  public static let unreadSubscriptions = 8 << 10
  /// Events of a page of Replay or Snapshot.
  public static let page: UInt32 = 500
}
