internal import Glibc

/// Runs another program once, with limits on time, memory, output and the size of files.
///
/// The program leads its own process group, which is killed when the program ends, exceeds its time or output, or when the
/// task is cancelled. It is also killed when this process ends. It gets only the standard descriptors and the given
/// environment. A process that it starts in another session is not killed.
///
/// ```swift
/// let sort = ChildProcess(
///   "/usr/bin/sort", ["-n"], directory: "/tmp", input: Array("2\n1\n".utf8), limits: .init(time: .seconds(5)))
/// let outcome = try await sort.run()
/// print(outcome.ending == .exited(0), outcome.output)
/// ```
public struct ChildProcess: Sendable {
  /// The limits of a program.
  public struct Limits: Sendable, Hashable {
    /// The time from start to end.
    public var time: Duration
    /// Bytes of address space; nil = no limit.
    public var memory: Int?
    /// Bytes of a file that it writes; nil = no limit.
    public var fileSize: Int?
    /// Bytes of standard output.
    public var output: Int
    /// Whether further output is dropped; otherwise the program is killed.
    public var isOutputCut: Bool
    /// The nice value: 0 to 19.
    public var niceness: Int32

    /// Makes limits.
    public init(
      time: Duration, memory: Int? = 1 << 30, fileSize: Int? = 64 << 20, output: Int = 1 << 20,
      isOutputCut: Bool = false, niceness: Int32 = 10
    ) {
      self.time = time
      self.memory = memory
      self.fileSize = fileSize
      self.output = output
      self.isOutputCut = isOutputCut
      self.niceness = niceness
    }
  }

  /// How a program ended.
  public enum Ending: Sendable, Hashable {
    /// It exited with this status.
    case exited(Int32)
    /// It was killed by this signal, which this process did not send.
    case signalled(Int32)
  }

  /// The result of a program.
  public struct Outcome: Sendable, Hashable {
    /// How it ended.
    public let ending: Ending
    /// Its standard output, or the beginning if the output is cut.
    public let output: [UInt8]
    /// The last 4 KiB of its standard error.
    public let errors: [UInt8]

    /// The end of its standard error in one line, for an error that names it.
    public var complaint: String {
      String(decoding: self.errors, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: " ")
    }
  }

  /// Why a program has no outcome.
  public enum Fault: Error, Hashable {
    /// It does not exist or cannot be executed; with the `errno`.
    case notExecutable(Int32)
    /// A system call failed before the start; with its name and `errno`.
    case notStarted(call: String, code: Int32)
    /// It was killed at its time limit.
    case outOfTime
    /// It was killed at its output limit.
    case tooMuchOutput
    /// It was killed because the task was cancelled.
    case cancelled
  }

  /// The absolute path of the program.
  public var executable: String
  /// The arguments after its name. Every user of the machine can read them: pass no secrets.
  public var arguments: [String]
  /// Its complete environment.
  public var environment: [String: String]
  /// Its working directory.
  public var directory: String
  /// Its standard input, passed as a file.
  public var input: [UInt8]
  /// Its limits.
  public var limits: Limits

  /// Describes a program, which `run` starts.
  ///
  /// - Parameter environment: Its complete environment.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = ChildProcess.plainEnvironment,
    directory: String, input: [UInt8] = [], limits: Limits
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.input = input
    self.limits = limits
  }

  /// The variables of this process that most programs need: PATH, HOME, language and time zone.
  public static var plainEnvironment: [String: String] {
    var variables: [String: String] = [:]
    for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ"] {
      // Copied at once; this program never changes its environment.
      if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
    }
    return variables
  }

  /// Runs the program to its end, on a separate thread.
  ///
  /// - Returns: Its outcome, for every exit status.
  /// - Throws: `Fault` if it was not started or was killed here.
  public func run() async throws(Fault) -> Outcome {
    let stop: EventDescriptor
    do throws(LoopError) {
      stop = try EventDescriptor()
    } catch {
      throw .notStarted(call: error.call, code: error.code)
    }
    return try await ThreadExecutor.run(name: "kith.child", stop: stop) { () throws(Fault) in
      var run = try ChildRun(self, stop: stop.descriptor)
      return try run.finish()
    }
  }
}
