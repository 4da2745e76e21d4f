internal import CZeroMQ
internal import Glibc

/// The result of sending a message.
///
/// ```swift
/// if try socket.send(&message) == .wouldBlock { watch.setInterest([.readable, .writable]) }
/// ```
public enum SendResult: Hashable, Sendable {
  /// libzmq has accepted the message.
  case sent
  /// The queue is full or no peer is connected. The message is unchanged.
  case wouldBlock
  /// A mandatory ROUTER has no such peer. The message is unchanged.
  case unreachable
  /// The peer disconnected between two frames. The message is lost.
  case lost
}

/// The result of receiving a message.
///
/// ```swift
/// switch try socket.receive(&message) {
/// case .received: print(message.string(at: 0))
/// case .empty: break
/// case .oversized(let frameCount, _): print("a message of \(frameCount) frames was dropped")
/// }
/// ```
public enum ReceiveResult: Hashable, Sendable {
  /// The frames hold a whole message.
  case received
  /// No message is waiting.
  case empty
  /// A message of `frameCount` frames was too long and was dropped; `connection` as in ``MultipartMessage/connection``.
  case oversized(frameCount: Int, connection: Int32? = nil)
}

/// Whether a call may block.
///
/// ```swift
/// try socket.set(.sendTimeout, .seconds(1))
/// _ = try socket.send([1, 2, 3], waiting: .allowed)
/// ```
public enum Waiting: Sendable {
  /// Returns at once. Always use this on an event loop.
  case never
  /// Blocks, at most for the socket's `sendTimeout` or `receiveTimeout`.
  case allowed
}

extension Socket {
  /// Sends all frames as one message, and empties `message` if it was sent.
  ///
  /// A message is sent whole or not at all, also if the peer disconnects in the middle.
  ///
  /// - Returns: ``SendResult/wouldBlock`` also if a metered socket reaches a limit of ``ConnectionTraffic``.
  /// - Throws: `ZMQError`, such as `terminated`. A full queue and a missing peer are results, not errors.
  public mutating func send(
    _ message: inout MultipartMessage, waiting: Waiting = .never
  ) throws(ZMQError) -> SendResult {
    precondition(message.count > 0, "a message has at least one frame")
    guard let meter, meter.isRouter else { return try unmetered(&message, waiting) }
    let peer = message.bytes(at: 0)
    var size = MessageSize()
    for index in 1..<message.count { size.add(message.byteCount(at: index)) }
    guard meter.offer(to: peer, size) else { return .wouldBlock }
    let result = try unmetered(&message, waiting)
    if result != .sent { meter.withdraw(to: peer, size) }
    return result
  }

  private mutating func unmetered(
    _ message: inout MultipartMessage, _ waiting: Waiting
  ) throws(ZMQError) -> SendResult {
    let last = message.count - 1
    let flags = waiting == .never ? ZMQ_DONTWAIT : 0
    var result = SendResult.sent
    for index in 0...last {
      // The frame is initialised and belongs to `message`; libzmq empties it when it accepts the content.
      while unsafe zmq_msg_send(message.storage + index, handle, index < last ? flags | ZMQ_SNDMORE : flags) == -1 {
        let code = ZMQError.Code.last
        if code == .interrupted { continue }
        guard code == .wouldBlock || code == .hostUnreachable else { throw ZMQError(code: code, "zmq_msg_send") }
        guard index > 0 else { return code == .wouldBlock ? .wouldBlock : .unreachable }
        // The pipe ended within the message. libzmq drops the rest up to the last frame, so that frame has to be sent.
        result = .lost
        break
      }
    }
    message.removeAll()
    return result
  }

  /// Sends a message of one frame, copied.
  ///
  /// - Throws: `ZMQError`, such as `terminated`.
  public mutating func send(_ bytes: UnsafeRawBufferPointer, waiting: Waiting = .never) throws(ZMQError) -> SendResult {
    // The buffer outlives the call, which copies it.
    while unsafe zmq_send(handle, bytes.baseAddress, bytes.count, waiting == .never ? ZMQ_DONTWAIT : 0) == -1 {
      switch ZMQError.Code.last {
      case .interrupted: continue
      case .wouldBlock: return .wouldBlock
      case .hostUnreachable: return .unreachable
      case let code: throw ZMQError(code: code, "zmq_send")
      }
    }
    return .sent
  }

  /// Sends a message of one frame, copied.
  ///
  /// - Throws: `ZMQError`, such as `terminated`.
  public mutating func send(_ bytes: [UInt8], waiting: Waiting = .never) throws(ZMQError) -> SendResult {
    // `span` keeps the array for the call.
    let span = bytes.span
    return try unsafe span.withUnsafeBytes { (buffer) throws(ZMQError) -> SendResult in
      try unsafe send(buffer, waiting: waiting)
    }
  }

  /// Receives a message into `message`, replacing its content.
  ///
  /// Memory is bounded: a message with more than `message.capacity` frames is read frame by frame into the same storage
  /// and dropped.
  ///
  /// - Throws: `ZMQError`, such as `terminated`.
  public mutating func receive(
    _ message: inout MultipartMessage, waiting: Waiting = .never
  ) throws(ZMQError) -> ReceiveResult {
    // Freed below and not here, because libzmq frees a frame's old content when it receives into the frame.
    let held = message.count
    message.count = 0
    let flags = waiting == .never ? ZMQ_DONTWAIT : 0
    var frameCount = 0
    var size = MessageSize()
    while true {
      let index = min(frameCount, message.capacity - 1)
      // Within the allocation, and initialised.
      let frame = unsafe message.storage + index
      let closings = ConnectionMeter.closings
      guard unsafe zmq_msg_recv(frame, handle, flags) != -1 else {
        let code = ZMQError.Code.last
        if code == .interrupted { continue }
        message.count = max(held, min(frameCount, message.capacity))
        message.removeAll()
        guard code == .wouldBlock else { throw ZMQError(code: code, "zmq_msg_recv") }
        // libzmq has processed every command before EAGAIN, so the descriptor will report the next one.
        unsafe state.pointee.mustBeAsked = false
        meter?.drained(closings: closings)
        return .empty
      }
      frameCount += 1
      // The frame has as many bytes as its size says.
      if let meter {
        unsafe meter.count(
          UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame)), at: frameCount, in: &size)
      }
      if unsafe zmq_msg_more(frame) == 0 { break }
    }
    message.count = min(frameCount, message.capacity)
    meter?.took(message, size)
    let connection = frameCount > message.capacity ? message.connection : nil
    message.count = max(held, min(frameCount, message.capacity))
    message.truncate(to: frameCount > message.capacity ? 0 : frameCount)
    return frameCount > message.capacity ? .oversized(frameCount: frameCount, connection: connection) : .received
  }

  /// Receives messages until none is waiting or `limit` is reached, and passes each to `body`.
  ///
  /// The limit prevents a busy socket from starving the others of its event loop, which reports the rest in its next turn.
  ///
  /// - Parameters:
  ///   - message: Storage for the frames; empty afterwards.
  ///   - limit: Messages at most.
  ///   - body: Receives this socket, each message, and whether the message was complete. It may take or change the frames.
  ///     It must reach the socket only through its argument: this call has exclusive access to it.
  /// - Throws: `ZMQError` from libzmq.
  public mutating func receive(
    into message: inout MultipartMessage, limit: Int = 64,
    _ body: (inout Socket, inout MultipartMessage, ReceiveResult) -> Void
  ) throws(ZMQError) {
    for _ in 0..<limit {
      let result = try receive(&message)
      if result == .empty { return }
      body(&self, &message, result)
    }
    message.removeAll()
  }
}
