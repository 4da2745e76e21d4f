internal import Glibc

/// Another program, run once, with a limit on everything: time, memory, output and the size of files.
///
/// It is the leader of a process group of its own, which is killed when the program ends, is out of time, writes too much, or
/// when the task is cancelled. It also dies when this process does. It sees no descriptor but its standard ones, and no
/// variable but those that it is given. What it starts in another session escapes.
public struct ChildProcess: Sendable {
  /// How much a program may take.
  public struct Limits: Sendable, Hashable {
    /// From its start to its end.
    public var time: Duration
    /// Bytes of address space; nil = as much as there is.
    public var memory: Int?
    /// Bytes of the largest file that it may write; nil = as much as there is.
    public var fileSize: Int?
    /// Bytes of standard output.
    public var output: Int
    /// Whether what it writes beyond that is thrown away, in place of ending it.
    public var isOutputCut: Bool
    /// How much it stands back behind others: 0 to 19.
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
    /// By itself, with a status.
    case exited(Int32)
    /// By a signal, which is nobody's doing here.
    case signalled(Int32)
  }

  /// What a program left.
  public struct Outcome: Sendable, Hashable {
    /// How it ended.
    public let ending: Ending
    /// All of its standard output, or its beginning where it is cut.
    public let output: [UInt8]
    /// The end of its standard error, at most 4 KiB.
    public let errors: [UInt8]
  }

  /// Why there is no outcome.
  public enum Fault: Error, Hashable {
    /// No such program, or it cannot be executed; with the `errno`.
    case notExecutable(Int32)
    /// A system call failed before it was started; with its name and its `errno`.
    case notStarted(call: String, code: Int32)
    /// It was killed because its time was over.
    case outOfTime
    /// It was killed because it wrote more than it may.
    case tooMuchOutput
    /// It was killed because the task was cancelled.
    case cancelled
  }

  /// The absolute path of the program.
  public var executable: String
  /// What follows its name. Anybody on the machine can read them: no secrets.
  public var arguments: [String]
  /// All of its variables.
  public var environment: [String: String]
  /// Where it works.
  public var directory: String
  /// Its standard input, which is a file.
  public var input: [UInt8]
  /// How much it may take.
  public var limits: Limits

  /// Describes a program; `run` starts it.
  ///
  /// - Parameter environment: All of its variables.
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

  /// The variables of this process that any program needs: where programs and the home directory are, language and time zone.
  public static var plainEnvironment: [String: String] {
    var variables: [String: String] = [:]
    for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ"] {
      // Copied at once; nobody in this program changes variables.
      if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
    }
    return variables
  }

  /// Runs the program to its end, on a thread of its own.
  ///
  /// - Returns: What it left, whatever its status.
  /// - Throws: `Fault` when it was not started or had to be killed.
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
