internal import CZeroMQ

// Safe: the storage holds `capacity` initialised messages from `init` to `deinit`, and every index is checked.
/// The frames of one message, in storage that is reused for the next message.
///
/// One value can receive, be read in place, be built and be sent: an echo sends what was received without a copy. A
/// message with more frames than `capacity` is dropped; see `Socket.receive`.
///
/// ```swift
/// var message = MultipartMessage()
/// try message.append("hello")
/// try message.append([1, 2, 3])
/// _ = try socket.send(&message)
/// ```
@safe public struct MultipartMessage: ~Copyable {
  /// The most frames.
  public let capacity: Int
  /// The number of frames.
  public internal(set) var count = 0

  let storage: UnsafeMutablePointer<zmq_msg_t>

  /// Allocates storage for `capacity` frames. libzmq allocates their bytes.
  public init(capacity: Int = 12) {
    precondition(capacity > 0, "a message has at least one frame")
    self.capacity = capacity
    unsafe storage = .allocate(capacity: capacity)
    unsafe storage.initialize(repeating: zmq_msg_t(), count: capacity)
    for index in 0..<capacity {
      // Within the allocation.
      unsafe zmq_msg_init(storage + index)
    }
  }

  deinit {
    for index in 0..<capacity {
      // Within the allocation; each is initialised and closed once.
      unsafe zmq_msg_close(storage + index)
    }
    unsafe storage.deallocate()
  }

  // MARK: - Reading

  /// The size of a frame in bytes.
  public func byteCount(at index: Int) -> Int {
    // `slot` has checked the index.
    unsafe zmq_msg_size(slot(index))
  }

  /// Reads a frame in place.
  ///
  /// - Parameters:
  ///   - index: The index of the frame; traps if it is not below `count`.
  ///   - body: Must not keep the buffer.
  public func withUnsafeBytes<Result, Failure: Error>(
    at index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The bytes belong to the frame, which cannot change during the call.
    let message = unsafe slot(index)
    return try unsafe body(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message)))
  }

  /// A copy of a frame's bytes.
  public func bytes(at index: Int) -> [UInt8] {
    // The array copies them.
    unsafe withUnsafeBytes(at: index) { unsafe Array($0) }
  }

  /// A frame as text; invalid UTF-8 is replaced.
  public func string(at index: Int) -> String {
    // The string copies them.
    unsafe withUnsafeBytes(at: index) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// A property that libzmq attached to the received message. zmq_msg_gets(3).
  ///
  /// Read from the last frame, because libzmq 4.3.4 may attach no properties to a ROUTER's routing id.
  ///
  /// - Parameter name: `User-Id`, `Peer-Address`, `Socket-Type`, or `__fd`.
  public func property(_ name: String) -> String? {
    guard count > 0 else { return nil }
    // The string belongs to the message, which outlives the copying.
    guard let value = unsafe zmq_msg_gets(slot(count - 1), name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The sender's user id from the ZAP handler; nil if there was no handler.
  public var userID: String? { property("User-Id") }

  // MARK: - Building

  /// Appends a frame of `count` bytes that `initialize` fills in place.
  ///
  /// - Throws: `ZMQError` if there is no memory.
  public mutating func append(
    count byteCount: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(ZMQError) {
    precondition(count < capacity, "a message of \(capacity) frames is full")
    // Within the allocation, and initialised: closed before it is initialised again.
    let message = unsafe storage + count
    unsafe zmq_msg_close(message)
    guard unsafe zmq_msg_init_size(message, byteCount) == 0 else {
      // Left empty, as every unused frame is.
      unsafe zmq_msg_init(message)
      throw ZMQError("zmq_msg_init_size")
    }
    count += 1
    // The message owns `byteCount` bytes there.
    unsafe initialize(UnsafeMutableRawBufferPointer(start: zmq_msg_data(message), count: byteCount))
  }

  /// Appends a copy of `bytes`.
  ///
  /// - Throws: `ZMQError` if there is no memory.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ZMQError) {
    // Both are as long as `bytes`.
    unsafe try append(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
  }

  /// Appends a copy of `bytes`.
  ///
  /// - Throws: `ZMQError` if there is no memory.
  public mutating func append(_ bytes: [UInt8]) throws(ZMQError) {
    // Both are as long as `bytes`.
    unsafe try append(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  /// Appends a copy of `bytes`.
  ///
  /// - Throws: `ZMQError` if there is no memory.
  public mutating func append(_ bytes: ArraySlice<UInt8>) throws(ZMQError) {
    // Both are as long as `bytes`.
    unsafe try append(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  /// Appends the UTF-8 of `text`.
  ///
  /// - Throws: `ZMQError` if there is no memory.
  public mutating func append(_ text: String) throws(ZMQError) {
    // Both are as long as the UTF-8.
    unsafe try append(count: text.utf8.count) { unsafe $0.copyBytes(from: text.utf8) }
  }

  /// Moves the frame at `index` of another message to the end of this one, and leaves an empty frame in its place.
  public mutating func appendFrame(at index: Int, of other: inout MultipartMessage) {
    precondition(count < capacity, "a message of \(capacity) frames is full")
    // Two different, initialised messages; libzmq moves the content (zmq_msg_move(3)).
    unsafe zmq_msg_move(storage + count, other.slot(index))
    count += 1
  }

  /// Removes all frames and keeps the storage.
  public mutating func removeAll() {
    truncate(to: 0)
  }

  /// Removes the frames after the first `newCount`.
  public mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0, "a message cannot have fewer than no frames")
    while count > newCount {
      count -= 1
      // Within the allocation; closed, then initialised again.
      unsafe zmq_msg_close(storage + count)
      unsafe zmq_msg_init(storage + count)
    }
  }

  func slot(_ index: Int) -> UnsafeMutablePointer<zmq_msg_t> {
    precondition(index >= 0 && index < count, "frame \(index) of \(count)")
    return unsafe storage + index
  }
}
