internal import CZeroMQ
internal import Glibc

/// A libzmq call that failed.
///
/// A full queue, an empty queue and a missing peer are results of `Socket.send` and `Socket.receive`, not errors.
///
/// ```swift
/// do throws(ZMQError) { try socket.bind(endpoint) } catch where error.code == .addressInUse { retryLater() }
/// ```
public struct ZMQError: Error, Hashable, CustomStringConvertible {
  /// The `errno` of libzmq; the manual page of each call lists its own.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int32

    /// Creates a code from its number.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    /// The calling thread's last libzmq error.
    static var last: Code { Code(rawValue: zmq_errno()) }

    /// `EAGAIN`: the call would have to wait.
    public static let wouldBlock = Code(rawValue: EAGAIN)
    /// `EHOSTUNREACH`: a mandatory ROUTER has no such peer.
    public static let hostUnreachable = Code(rawValue: EHOSTUNREACH)
    /// `ETERM`: the context is being terminated.
    public static let terminated = Code(rawValue: KITH_ETERM)
    /// `EINTR`: a signal arrived. This module retries where that is correct.
    public static let interrupted = Code(rawValue: EINTR)
    /// `EINVAL`: an option or endpoint that libzmq does not accept.
    public static let invalidArgument = Code(rawValue: EINVAL)
    /// `EADDRINUSE`: another socket is bound there.
    public static let addressInUse = Code(rawValue: EADDRINUSE)
    /// `ENOENT`: no such endpoint to unbind or disconnect.
    public static let noSuchEndpoint = Code(rawValue: ENOENT)
    /// `EMFILE`: too many sockets in the context, or too many open files.
    public static let tooManySockets = Code(rawValue: EMFILE)
    /// `EFSM`: not in the right state, such as two sends on a REQ socket.
    public static let wrongState = Code(rawValue: KITH_EFSM)
  }

  /// What went wrong.
  public let code: Code
  /// The libzmq function.
  public let call: String
  /// The object of the call, such as an endpoint; may be empty.
  public let subject: String

  /// Creates an error from the calling thread's last libzmq error.
  init(_ call: StaticString, _ subject: String = "") {
    self.init(code: .last, call, subject)
  }

  init(code: Code, _ call: StaticString, _ subject: String = "") {
    self.code = code
    self.call = call.description
    self.subject = subject
  }

  /// The call, its object, and libzmq's description of the code.
  public var description: String {
    // libzmq returns a string that is never freed.
    let reason = unsafe String(cString: zmq_strerror(code.rawValue))
    return subject.isEmpty ? "\(call) failed: \(reason)" : "\(call) failed for \(subject): \(reason)"
  }
}
