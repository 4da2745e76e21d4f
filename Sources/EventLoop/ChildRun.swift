internal import CLinux
internal import Glibc

/// A running program, on the thread that started it. This thread must wait for it: the program is killed with the thread.
struct ChildRun {
  private let process: pid_t
  private let limits: ChildProcess.Limits
  private let deadline: ContinuousClock.Instant
  private let stop: Int32
  private let output: Descriptor
  private let errors: Descriptor
  private var written: [UInt8] = []
  private var complaints: [UInt8] = []

  private static let keptComplaints = 4096

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - child: The program.
  ///   - stop: A descriptor that becomes readable to stop the program.
  init(_ child: ChildProcess, stop: Int32) throws(ChildProcess.Fault) {
    let input = try Descriptor(holding: child.input)
    let output = try Descriptor.pipe()
    let errors = try Descriptor.pipe()
    self.deadline = .now + child.limits.time
    // The write ends are closed with this scope, so that the pipes reach their end.
    self.process = try Self.start(child, input, output.writer, errors.writer)
    self.output = output.reader
    self.errors = errors.reader
    self.limits = child.limits
    self.stop = stop
  }

  /// Waits for the end and cleans up.
  mutating func finish() throws(ChildProcess.Fault) -> ChildProcess.Outcome {
    let fault: ChildProcess.Fault?
    do throws(ChildProcess.Fault) {
      try self.follow()
      fault = nil
    } catch {
      fault = error
    }
    let status = self.end()
    if let fault { throw fault }
    // Its last output; all other writers of the pipe are dead by now.
    try self.takeOutput()
    self.takeErrors()
    // As in wait(2): the lower seven bits are the signal.
    let signal = status & 0x7F
    return ChildProcess.Outcome(
      ending: signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal), output: self.written,
      errors: self.complaints)
  }

  /// Reads its output until it ends.
  private mutating func follow() throws(ChildProcess.Fault) {
    let descriptor = kith_pidfd(self.process)
    guard descriptor >= 0 else { throw .notStarted(call: "pidfd_open", code: errno) }
    let ended = Descriptor(descriptor)
    var items = [self.stop, ended.number, self.output.number, self.errors.number].map { pollfd($0, for: .readable) }
    while true {
      let left = self.deadline - .now
      guard left > .zero else { throw .outOfTime }
      // Rounded up, because a wait of 0 would spin. An early wake-up repeats the wait.
      let milliseconds = Int32(min(left / .milliseconds(1) + 1, 60_000))
      // The array is not touched during the call and holds `count` elements.
      guard unsafe poll(&items, nfds_t(items.count), milliseconds) > 0 else { continue }
      if items[0].revents != 0 { throw .cancelled }
      if items[2].revents != 0, try !self.takeOutput() { items[2].fd = -1 }
      if items[3].revents != 0, !self.takeErrors() { items[3].fd = -1 }
      if items[1].revents != 0 { return }
    }
  }

  /// Kills the rest of the group and reaps the process.
  ///
  /// - Returns: Its status as wait(2) gives it.
  private func end() -> Int32 {
    // Before it is reaped: until then its id cannot be reused.
    kill(-self.process, SIGKILL)
    var status: Int32 = 0
    // The status outlives the call.
    while unsafe waitpid(self.process, &status, 0) == -1, errno == EINTR {}
    return status
  }

  /// Reads available output. Returns false at the end.
  @discardableResult
  private mutating func takeOutput() throws(ChildProcess.Fault) -> Bool {
    guard let piece = self.output.read() else { return true }
    let room = self.limits.output - self.written.count
    guard piece.count <= room || self.limits.isOutputCut else { throw .tooMuchOutput }
    self.written += piece.prefix(room)
    return !piece.isEmpty
  }

  @discardableResult
  private mutating func takeErrors() -> Bool {
    guard let piece = self.errors.read() else { return true }
    self.complaints = (self.complaints + piece).suffix(Self.keptComplaints)
    return !piece.isEmpty
  }

  private static func start(
    _ child: ChildProcess, _ input: Descriptor, _ output: Descriptor, _ errors: Descriptor
  ) throws(ChildProcess.Fault) -> pid_t {
    let variables = child.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    var process: pid_t = -1
    var (step, code) = ("", Int32(0))
    // All strings and arrays outlive the call, which returns after the program was executed.
    unsafe Self.withStrings([child.executable] + child.arguments) { arguments in
      unsafe Self.withStrings(variables) { environment in
        unsafe child.executable.withCString { path in
          unsafe child.directory.withCString { directory in
            var description = unsafe kith_child(
              path: path, arguments: arguments, environment: environment, directory: directory, input: input.number,
              output: output.number, errors: errors.number, memory: UInt64(child.limits.memory ?? 0),
              file_size: UInt64(child.limits.fileSize ?? 0), niceness: child.limits.niceness)
            var failed: UnsafePointer<CChar>?
            unsafe process = kith_spawn(&description, &failed)
            code = errno
            if let failed = unsafe failed { step = unsafe String(cString: failed) }
          }
        }
      }
    }
    guard process > 0 else {
      throw step == "execve" ? .notExecutable(code) : .notStarted(call: step, code: code)
    }
    return process
  }

  /// Calls `body` with a null-terminated array of C strings.
  private static func withStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Void
  ) {
    // A string with a NUL ends there, as every C string does.
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    unsafe body(&pointers)
  }
}

/// A descriptor that is closed when it is destroyed.
private final class Descriptor {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(self.number) }

  /// Makes an in-memory file with this content, to be read from its start.
  convenience init(holding bytes: [UInt8]) throws(ChildProcess.Fault) {
    self.init(kith_memory_file())
    guard self.number >= 0 else { throw .notStarted(call: "memfd_create", code: errno) }
    var written = 0
    while written < bytes.count {
      // The array has `count` bytes, of which those from `written` on are left.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(self.number, buffer.baseAddress?.advanced(by: written), buffer.count - written, off_t(written))
      }
      guard count > 0 else { throw .notStarted(call: "write", code: errno) }
      written += count
    }
  }

  /// Makes a pipe whose reader does not block.
  static func pipe() throws(ChildProcess.Fault) -> (reader: Descriptor, writer: Descriptor) {
    var ends: [Int32] = [-1, -1]
    // The array has room for two.
    guard unsafe kith_pipe(&ends) == 0 else { throw .notStarted(call: "pipe", code: errno) }
    let pair = (Descriptor(ends[0]), Descriptor(ends[1]))
    guard fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else { throw .notStarted(call: "fcntl", code: errno) }
    return pair
  }

  /// Reads what the pipe holds: empty at the end, nil if nothing is available yet.
  func read() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      // The array has `count` bytes.
      let count = unsafe Glibc.read(self.number, &piece, piece.count)
      if count >= 0 { return Array(piece[..<count]) }
      if errno != EINTR { return errno == EAGAIN ? nil : [] }
    }
  }
}
