internal import CZeroMQ
public import EventLoop

extension Socket {
  /// The endpoint of the last bind, with the port that the system chose. zmq_getsockopt(3), ZMQ_LAST_ENDPOINT.
  ///
  /// - Throws: `ZMQError` when the context is terminated.
  public mutating func lastEndpoint() throws(ZMQError) -> String {
    var buffer = [CChar](repeating: 0, count: 1024)
    var count = buffer.count
    // `count` is the room in the buffer, and then what libzmq has written with the final NUL.
    guard unsafe zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &buffer, &count) == 0 else {
      throw ZMQError("zmq_getsockopt", "ZMQ_LAST_ENDPOINT")
    }
    return String(decoding: buffer.prefix(max(0, count - 1)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// What the socket can do without waiting. zmq_getsockopt(3), ZMQ_EVENTS.
  ///
  /// - Throws: `ZMQError` when the context is terminated.
  public mutating func readiness() throws(ZMQError) -> Readiness {
    let events = try integer(ZMQ_EVENTS)
    return Readiness(zmq: events)
  }

  private func integer(_ option: Int32) throws(ZMQError) -> Int32 {
    var value: Int32 = 0
    var count = MemoryLayout<Int32>.size
    // `count` is the size of `value`.
    guard unsafe zmq_getsockopt(handle, option, &value, &count) == 0 else {
      throw ZMQError("zmq_getsockopt", "option \(option)")
    }
    return value
  }
}

extension Readiness {
  /// The flags of zmq_poll(3) and ZMQ_EVENTS.
  init(zmq events: Int32) {
    self = []
    if events & ZMQ_POLLIN != 0 { insert(.readable) }
    if events & ZMQ_POLLOUT != 0 { insert(.writable) }
    if events & ZMQ_POLLERR != 0 { insert(.failed) }
  }
}
