public import Glibc

/// Why an event loop could not start.
public struct LoopError: Error, Hashable, CustomStringConvertible {
  /// The system call that was refused, as in its manual page.
  public let call: String
  /// The `errno` it gave.
  public let code: Int32

  /// Creates an error for `call` with the calling thread's `errno`, or another code.
  public init(call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  /// What failed, and what to check.
  public var description: String {
    // `strerror` returns a NUL-terminated string that is copied before anything else can run on this thread.
    let reason = unsafe String(cString: strerror(code))
    return "The event loop could not start: \(call) failed: \(reason). Check the limits on open files and threads."
  }
}
