internal import CZeroMQ
internal import EventLoop
internal import Glibc

/// A libzmq context: its I/O threads and the space of its inproc endpoints. Usable from every thread.
///
/// A context is ended by `terminate`, never by dropping it: termination waits until the last socket is closed and its
/// messages have lingered, and a deinitialiser must not block. A context that is dropped stays until the process ends.
///
/// `@unchecked` is sound: the handle never changes, and libzmq's context calls are thread-safe (zmq(7), "Thread safety").
@safe public final class Context: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer
  private let monitors = Lock<Int>(0)

  /// Creates a context; its threads start with its first socket.
  ///
  /// Messages are copied out of what was read. Otherwise each keeps the whole buffer of the reading, 18 KiB of memory for a frame of
  /// 40 bytes, and gigabytes for a message whose frames come one by one: docs/decisions/0031.
  ///
  /// - Parameters:
  ///   - ioThreads: Threads that move bytes; one is enough for a gigabyte a second.
  ///   - maximumSockets: Sockets that may be open at once, inner ones such as monitors included.
  /// - Throws: `ZMQError` when libzmq is out of memory or descriptors, or refuses a number.
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
      // Without sockets there is nothing to wait for.
      unsafe zmq_ctx_term(handle)
      throw error
    }
    unsafe self.handle = unsafe handle
  }

  /// Seeds `rand`, once a process.
  ///
  /// libzmq numbers the anonymous peers of a ROUTER from `rand()`, which nothing else seeds, and aborts when a peer takes
  /// the next number as its own name. A random start makes that number unknown.
  private static let seedIdentities: Void = srand(UInt32.random(in: 1...UInt32.max))

  /// Opens a socket.
  ///
  /// - Throws: `ZMQError` with `tooManySockets` at the limit, `terminated` after `shutdown`.
  public func makeSocket(_ kind: SocketKind) throws(ZMQError) -> Socket {
    // The handle is open until `terminate`, which waits for all sockets.
    guard let socket = unsafe zmq_socket(handle, kind.rawValue) else { throw ZMQError("zmq_socket") }
    return try unsafe Socket(handle: socket, context: self)
  }

  /// A name for a monitor that no other has.
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

  /// Frees the context, after waiting until its sockets are closed and their messages have lingered. zmq_ctx_term(3).
  ///
  /// - Important: To be called once, after the last socket has been dropped, and not on a thread that must not block.
  ///   Nothing else may be called afterwards.
  public func terminate() {
    // Repeated as its manual page asks for, until the handle is gone.
    while unsafe zmq_ctx_term(handle) == -1, zmq_errno() == EINTR {}
  }
}
