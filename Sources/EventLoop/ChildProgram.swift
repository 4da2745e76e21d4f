internal import CLinux
internal import Dispatch
internal import Glibc

/// A program that is started, given bytes, and listened to until it ends, for so long and no longer.
///
/// It gets the environment of this process and none of its descriptors. What it is given goes through its standard input:
/// arguments are for everybody to see.
public struct ChildProgram: Sendable {
  /// How a program ended.
  public struct Outcome: Sendable {
    /// Its exit code; of one that a signal ended, 128 and the signal's number.
    public let status: Int32
    /// What it wrote to its standard output.
    public let output: [UInt8]
    /// What it wrote to its standard error, of which the first 64 KiB are kept.
    public let messages: String
  }

  /// Why a program did not end by itself.
  public enum Fault: Error, Hashable {
    /// It could not be started; with an `errno`. `ENOENT` where there is no such program.
    case notStarted(code: Int32)
    /// It took too long, or wrote too much, and was killed.
    case exceeded
  }

  /// Where it is.
  public let path: String
  /// What follows its name.
  public let arguments: [String]
  /// How long it may take.
  public let limit: Duration
  /// Bytes that it may write.
  public let outputLimit: Int

  /// Names a program; nothing is started.
  public init(path: String, arguments: [String] = [], limit: Duration, outputLimit: Int = 256 << 20) {
    self.path = path
    self.arguments = arguments
    self.limit = limit
    self.outputLimit = outputLimit
  }

  /// Runs the program once.
  ///
  /// - Parameter input: All that it reads from its standard input.
  public func run(_ input: [UInt8] = []) async throws(Fault) -> Outcome {
    let result = await withCheckedContinuation { waiter in
      // A queue of its own gets a thread for as long as it waits here, so that the shared pool has all of its own.
      DispatchQueue(label: "kith.child").async { waiter.resume(returning: self.runHere(input)) }
    }
    return try result.get()
  }

  private func runHere(_ input: [UInt8]) -> Result<Outcome, Fault> {
    let deadline = ContinuousClock.now + self.limit
    do throws(Fault) {
      let child = try RunningChild(self)
      return .success(try child.converse(input, until: deadline, outputLimit: self.outputLimit))
    } catch {
      return .failure(error)
    }
  }
}

/// A program that runs, and the ends of its streams on this side.
private struct RunningChild: ~Copyable {
  private static let messageLimit = 64 << 10

  private let process: pid_t
  /// Readable when the program has ended; negative where the system has no such thing.
  private let exit: Int32
  private let stream: Int32
  private let errors: Int32

  init(_ program: ChildProgram) throws(ChildProgram.Fault) {
    var descriptors: [Int32] = []
    var process: pid_t = 0
    var code: Int32 = 0
    var pair: [Int32] = [-1, -1]
    for _ in 0..<2 where code == 0 {
      // Two numbers go into the array, which has room for two.
      if unsafe kith_socketpair(&pair) == 0 { descriptors += pair } else { code = errno }
    }
    if code == 0 {
      // The strings are copies that live until they are freed below; the array ends with a null as execve(2) wants.
      var arguments = unsafe ([program.path] + program.arguments).map { unsafe strdup($0) } + [nil]
      code = unsafe kith_spawn(program.path, &arguments, descriptors[1], descriptors[3], &process)
      // Freed once each.
      unsafe arguments.forEach { unsafe free($0) }
    }
    for index in [1, 3] where index < descriptors.count { close(descriptors[index]) }
    guard code == 0 else {
      for index in [0, 2] where index < descriptors.count { close(descriptors[index]) }
      throw .notStarted(code: code)
    }
    self.process = process
    self.exit = kith_pidfd(process)
    self.stream = descriptors[0]
    self.errors = descriptors[2]
  }

  deinit {
    for descriptor in [self.stream, self.errors, self.exit] where descriptor >= 0 { close(descriptor) }
  }

  /// Gives and takes until the program has ended.
  func converse(
    _ input: [UInt8], until deadline: ContinuousClock.Instant, outputLimit: Int
  ) throws(ChildProgram.Fault) -> ChildProgram.Outcome {
    var (given, output, messages) = (0, [UInt8](), [UInt8]())
    var isOpen = (output: true, messages: true)
    if input.isEmpty { shutdown(self.stream, Int32(SHUT_WR)) }
    while true {
      var watched = [
        pollfd(isOpen.output ? self.stream : -1, for: given < input.count ? [.readable, .writable] : .readable),
        pollfd(isOpen.messages ? self.errors : -1, for: .readable),
        pollfd(self.exit, for: .readable),
      ]
      let left = Int32(clamping: Int64((deadline - .now) / .milliseconds(1)))
      // The array outlives the call and has three elements.
      guard left > 0, output.count <= outputLimit, unsafe poll(&watched, 3, left) != 0 else {
        kill(self.process, SIGKILL)
        _ = self.wait()
        throw .exceeded
      }
      if watched[0].revents & Int16(POLLOUT) != 0, given < input.count { self.give(input, from: &given) }
      if watched[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
        isOpen.output = self.take(self.stream, into: &output)
      }
      if watched[1].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
        var piece: [UInt8] = []
        isOpen.messages = self.take(self.errors, into: &piece)
        messages += piece.prefix(max(0, Self.messageLimit - messages.count))
      }
      // What it wrote before its end is taken first; what its own children still write is not waited for.
      let isQuiet = watched[0].revents & Int16(POLLIN) == 0 && watched[1].revents & Int16(POLLIN) == 0
      let hasEnded = self.exit < 0 ? !isOpen.output && !isOpen.messages : watched[2].revents != 0
      guard hasEnded, isQuiet else { continue }
      return ChildProgram.Outcome(
        status: self.wait(), output: output, messages: String(decoding: messages, as: UTF8.self))
    }
  }

  /// Writes what the program takes without waiting; a program that reads no more gets no more.
  private func give(_ input: [UInt8], from given: inout Int) {
    let count = unsafe input.withUnsafeBytes { bytes in
      // The piece lies inside the buffer.
      unsafe send(
        self.stream, bytes.baseAddress?.advanced(by: given), bytes.count - given,
        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    if count > 0 {
      given += count
    } else if errno != EAGAIN && errno != EINTR {
      given = input.count
    }
    if given == input.count { shutdown(self.stream, Int32(SHUT_WR)) }
  }

  /// - Returns: Whether more may come.
  private func take(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    // At most `count` bytes go into the array.
    let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
    bytes += buffer[..<count]
    return true
  }

  private func wait() -> Int32 {
    var status: Int32 = 0
    // One number is written.
    while unsafe waitpid(self.process, &status, 0) == -1 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
