internal import CLinux
public import Glibc

/// One POSIX thread that runs a closure and is joined once.
struct LoopThread: Sendable {
  private let thread: pthread_t

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: Shown by `ps -L` and in profiles; the kernel keeps 15 bytes.
  ///   - body: Runs on the new thread; the thread ends when it returns.
  /// - Throws: `LoopError` if no thread can be created.
  init(name: String, _ body: @escaping @Sendable () -> Void) throws(LoopError) {
    let start = Start(name: String(decoding: name.utf8.prefix(15), as: UTF8.self), body: body)
    var thread = pthread_t()
    // The new thread releases the +1; without a thread it is released below.
    let argument = unsafe Unmanaged.passRetained(start)
    // The entry point only uses its argument, which it owns.
    let result = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          // Balances `passRetained`; the scope releases the closure before the thread ends.
          unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, argument.toOpaque())
    guard result == 0 else {
      // There is no thread to release the reference.
      unsafe argument.release()
      throw LoopError(call: "pthread_create", code: result)
    }
    self.thread = thread
  }

  /// Waits for the thread's end and frees it. Call it once, from another thread.
  func join() {
    pthread_join(thread, nil)
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }

    func run() {
      // The string outlives the call.
      _ = unsafe name.withCString { unsafe kith_name_this_thread($0) }
      body()
    }
  }
}

/// Why an event loop could not start.
///
/// ```swift
/// do throws(LoopError) { _ = try EventDescriptor() } catch { print(error.call, error.code) }
/// ```
public struct LoopError: Error, Hashable, CustomStringConvertible {
  /// The name of the system call that failed.
  public let call: String
  /// The `errno` of the call.
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
