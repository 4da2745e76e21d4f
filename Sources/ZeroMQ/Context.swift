internal import CZeroMQ
internal import EventLoop
internal import Glibc

/// A libzmq context: its I/O threads and its inproc endpoints. Usable from every thread.
///
/// End a context with `terminate`: termination waits until the last socket is closed and its messages have lingered, and
/// a deinitialiser must not block. A context that is only released stays until the process ends.
///
/// ```swift
/// let context = try Context()
/// var socket = try context.makeSocket(.dealer)
/// try socket.connect("tcp://127.0.0.1:7750")
/// ```
///
/// `@unchecked` is sound: the handle never changes, and libzmq's context calls are thread-safe (zmq(7), "Thread safety").
@safe public final class Context: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer
  private let monitors = Lock<Int>(0)

  /// Creates a context. Its threads start with its first socket.
  ///
  /// Messages are copied out of the read buffer. Otherwise each message would keep the whole buffer: 18 KiB for a frame of
  /// 40 bytes, and gigabytes for a message whose frames arrive one by one. docs/decisions/0031.
  ///
  /// - Parameters:
  ///   - ioThreads: The number of I/O threads; one moves a gigabyte a second.
  ///   - maximumSockets: The most open sockets, including internal ones such as monitors.
  /// - Throws: `ZMQError` if libzmq has no memory or descriptors, or refuses a number.
  public init(ioThreads: Int32 = 1, maximumSockets: Int32 = 1023) throws(ZMQError) {
    Self.seedIdentities
    // No preconditions; the result is checked.
    guard let handle = unsafe zmq_ctx_new() else { throw ZMQError("zmq_ctx_new") }
    // The handle is open until `terminate`.
    guard unsafe zmq_ctx_set(handle, ZMQ_IO_THREADS, ioThreads) == 0,
      unsafe zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, maximumSockets) == 0,
      unsafe zmq_ctx_set(handle, KITH_ZMQ_ZERO_COPY_RECV, 0) == 0
    else {
      let error = ZMQError("zmq_ctx_set")
      // Without sockets this does not block.
      unsafe zmq_ctx_term(handle)
      throw error
    }
    unsafe self.handle = unsafe handle
  }

  /// Seeds `rand`, once a process.
  ///
  /// libzmq numbers the anonymous peers of a ROUTER from `rand()`, which nothing else seeds, and aborts if a peer uses the
  /// next number as its routing id. A random seed makes that number unpredictable.
  private static let seedIdentities: Void = srand(UInt32.random(in: 1...UInt32.max))

  /// Creates a socket.
  ///
  /// - Throws: `ZMQError` with `tooManySockets` at the limit, `terminated` after `shutdown`.
  public func makeSocket(_ kind: SocketKind) throws(ZMQError) -> Socket {
    // The handle is open until `terminate`, which waits for all sockets.
    guard let socket = unsafe zmq_socket(handle, kind.rawValue) else { throw ZMQError("zmq_socket") }
    return try unsafe Socket(handle: socket, context: self)
  }

  /// A unique endpoint for a monitor.
  func nextMonitorEndpoint() -> String {
    let number = monitors.withLock { count in
      count += 1
      return count
    }
    return "inproc://kith.monitor.\(number)"
  }

  /// Makes every blocked and every later call on the context's sockets fail with `terminated`. zmq_ctx_shutdown(3).
  public func shutdown() {
    // Thread-safe, and harmless when repeated.
    unsafe zmq_ctx_shutdown(handle)
  }

  /// Waits until all sockets are closed and their messages have lingered, then frees the context. zmq_ctx_term(3).
  ///
  /// - Important: Call it once, after the last socket was released, on a thread that may block. Call nothing else on the
  ///   context afterwards.
  public func terminate() {
    // Repeated after EINTR, as the manual page requires.
    while unsafe zmq_ctx_term(handle) == -1, zmq_errno() == EINTR {}
  }
}
