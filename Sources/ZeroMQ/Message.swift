internal import CZeroMQ

/// One frame of a message. It frees its bytes when it is destroyed.
///
/// Received bytes stay in libzmq's buffer: reading does not copy.
///
/// ```swift
/// let frame = try Message([1, 2, 3])
/// print(frame.count, frame.bytes)
/// ```
@safe public struct Message: ~Copyable {
  var raw: zmq_msg_t

  /// Creates an empty frame.
  public init() {
    raw = zmq_msg_t()
    // Initialises the value and has no way to fail (zmq_msg_init(3)).
    unsafe zmq_msg_init(&raw)
  }

  /// Creates a frame of `count` bytes that `initialize` fills in place.
  ///
  /// - Parameters:
  ///   - count: The size of the frame in bytes.
  ///   - initialize: Must write the whole buffer, which is uninitialised.
  /// - Throws: `ZMQError` if there is no memory.
  public init(count: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) -> Void) throws(ZMQError) {
    raw = zmq_msg_t()
    // Initialises the value; the result is checked.
    guard unsafe zmq_msg_init_size(&raw, count) == 0 else {
      // An empty message, so that `deinit` can close it.
      unsafe zmq_msg_init(&raw)
      throw ZMQError("zmq_msg_init_size")
    }
    // The message owns `count` bytes there, and is not moved before the closure returns.
    unsafe initialize(UnsafeMutableRawBufferPointer(start: zmq_msg_data(&raw), count: count))
  }

  /// Creates a frame with a copy of `bytes`.
  ///
  /// - Throws: `ZMQError` if there is no memory.
  public init(_ bytes: [UInt8]) throws(ZMQError) {
    // Both are `bytes.count` long.
    unsafe try self.init(count: bytes.count) { buffer in
      unsafe buffer.copyBytes(from: bytes)
    }
  }

  /// Takes over an initialised message.
  init(adopting raw: zmq_msg_t) {
    self.raw = raw
  }

  deinit {
    var raw = raw
    // The copy is the only one that is closed: `self` ends here.
    unsafe zmq_msg_close(&raw)
  }

  /// Bytes of the frame.
  public var count: Int {
    // Reads the header, which the copy has too.
    unsafe withUnsafePointer(to: raw) { unsafe zmq_msg_size($0) }
  }

  /// Whether another frame of the same message follows.
  public var hasMore: Bool {
    // As above.
    unsafe withUnsafePointer(to: raw) { unsafe zmq_msg_more($0) } != 0
  }

  /// Reads the bytes in place.
  ///
  /// - Parameter body: Must not keep the buffer.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // A short frame lies within the copy, a long one in memory that `self` keeps: both outlive the call.
    var copy = raw
    return try unsafe withUnsafeMutablePointer(to: &copy) { (pointer) throws(Failure) in
      try unsafe body(UnsafeRawBufferPointer(start: zmq_msg_data(pointer), count: zmq_msg_size(pointer)))
    }
  }

  /// A copy of the bytes.
  public var bytes: [UInt8] {
    // The array copies them.
    unsafe withUnsafeBytes { unsafe Array($0) }
  }

  /// A property that libzmq attached to a received frame: `User-Id`, `Peer-Address`, `Socket-Type`, `__fd`. zmq_msg_gets(3).
  ///
  /// - Important: On a ROUTER read it from the last frame: libzmq 4.3.4 may leave the routing id without properties.
  public func property(_ name: String) -> String? {
    // The string belongs to the message, which outlives the copying.
    unsafe withUnsafePointer(to: raw) { raw in
      guard let value = unsafe zmq_msg_gets(raw, name) else { return nil }
      return unsafe String(cString: value)
    }
  }
}
