internal import CZeroMQ
internal import Glibc

/// What became of a message that was to be sent.
public enum SendResult: Hashable, Sendable {
  /// libzmq has taken it.
  case sent
  /// The queue is full, or nobody is connected: nothing was taken. The message is unchanged.
  case wouldBlock
  /// A mandatory ROUTER has no such peer (any more): nothing was taken. The message is unchanged.
  case unreachable
  /// The peer went away between two frames. The message is gone.
  case lost
}

/// What a receive has brought.
public enum ReceiveResult: Hashable, Sendable {
  /// A whole message is in the frames.
  case received
  /// Nothing is waiting.
  case empty
  /// A message of `frameCount` frames was too long, and was thrown away; `connection` as of a ``MultipartMessage``.
  case oversized(frameCount: Int, connection: Int32? = nil)
}

/// Whether a call may wait.
public enum Waiting: Sendable {
  /// Returns at once. The only way on an event loop.
  case never
  /// Waits, for the socket's `sendTimeout` or `receiveTimeout` if there is one.
  case allowed
}

extension Socket {
  /// Sends all frames as one message, and leaves `message` empty when they are sent.
  ///
  /// A message is sent whole or not at all: a peer that goes away in the middle leaves no half behind.
  ///
  /// - Returns: ``SendResult/wouldBlock`` also where a limit of ``ConnectionTraffic`` is reached, on a metered socket.
  /// - Throws: `ZMQError`, `terminated` among others. A full queue and a gone peer are results.
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
      // The frame is initialised and belongs to `message`; libzmq leaves it empty when it takes the content.
      while unsafe zmq_msg_send(message.storage + index, handle, index < last ? flags | ZMQ_SNDMORE : flags) == -1 {
        let code = ZMQError.Code.last
        if code == .interrupted { continue }
        guard code == .wouldBlock || code == .hostUnreachable else { throw ZMQError(code: code, "zmq_msg_send") }
        guard index > 0 else { return code == .wouldBlock ? .wouldBlock : .unreachable }
        // The pipe died in mid-message. libzmq throws the rest away up to the last frame, so it has to see that one.
        result = .lost
        break
      }
    }
    message.removeAll()
    return result
  }

  /// Sends a message of one frame, copied.
  ///
  /// - Throws: `ZMQError`, `terminated` among others.
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
  /// - Throws: `ZMQError`, `terminated` among others.
  public mutating func send(_ bytes: [UInt8], waiting: Waiting = .never) throws(ZMQError) -> SendResult {
    // `span` keeps the array for the call.
    let span = bytes.span
    return try unsafe span.withUnsafeBytes { (buffer) throws(ZMQError) -> SendResult in
      try unsafe send(buffer, waiting: waiting)
    }
  }

  /// Receives a message of any number of frames into `message`, in place of what it held.
  ///
  /// Memory is bounded: frames beyond `message.capacity` are read one after another into the same place and dropped, as
  /// is then the whole message.
  ///
  /// - Throws: `ZMQError`, `terminated` among others.
  public mutating func receive(
    _ message: inout MultipartMessage, waiting: Waiting = .never
  ) throws(ZMQError) -> ReceiveResult {
    // Freed below instead of here, because libzmq frees what a frame held when it receives into it.
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
        // libzmq has taken every command before it says so: the next one will be heard of.
        unsafe state.pointee.mustBeAsked = false
        meter?.drained(closings: closings)
        return .empty
      }
      frameCount += 1
      // As many bytes as it says.
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

  /// Receives messages until none is waiting or `limit` is reached, and gives each to `body`.
  ///
  /// The limit keeps a busy socket from starving the others of its loop; what is left is reported in the next turn.
  ///
  /// - Parameters:
  ///   - message: Storage for the frames; empty afterwards.
  ///   - limit: Messages at most.
  ///   - body: Gets this socket, to answer on, and each whole message, or learns of one that was too long. It may take or
  ///     change the frames, and must not reach the socket by another way: this call has exclusive access to it.
  /// - Throws: `ZMQError` from libzmq, and nothing else.
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
