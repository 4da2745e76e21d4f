internal import Bus
internal import EventLoop
internal import Glibc
internal import KithMessages

/// The program that typesets reports as PDF: typesetter and fonts stay out of the daemon.
struct ReportProgram: Sendable {
  let path: String

  /// The program in the folder of this program.
  static let besideThisProgram = ReportProgram(path: Self.directory() + "/kith-report")

  /// Typesets a report.
  ///
  /// - Returns: The PDF, and warnings about text that could not be typeset correctly.
  /// - Throws: `FAILED_PRECONDITION/PROGRAM_MISSING`, `DEADLINE_EXCEEDED/RUNNING_TOO_LONG`, `INTERNAL/REPORT_FAILED`.
  func run(_ report: CallReport) async throws(Failure) -> (pdf: [UInt8], warnings: String) {
    let program = ChildProcess(
      self.path, [], directory: "/", input: try Encoding.pb.encode(report),
      // Fonts are memory-mapped, so the size of the address space does not show the use of memory.
      limits: ChildProcess.Limits(time: .seconds(100), memory: nil, output: 64 << 20))
    let outcome: ChildProcess.Outcome
    do throws(ChildProcess.Fault) {
      outcome = try await program.run()
    } catch {
      switch error {
      case .notExecutable(let code):
        throw Failure(
          .failedPrecondition, "PROGRAM_MISSING",
          "PDF reports need the program \(self.path), which \(code == ENOENT ? "is not there" : "cannot be executed"). "
            + "Install kith-report beside kithd, or export CSV or JSON.")
      case .notStarted(let call, _):
        throw Failure(
          .unavailable, "PROGRAM_NOT_STARTED", "\(self.path) could not be started (\(call)). Try again in a moment.")
      case .outOfTime, .tooMuchOutput:
        throw Failure(
          .deadlineExceeded, "RUNNING_TOO_LONG", "The report is too long. Ask for a shorter range of days.")
      case .cancelled: throw .cancelled
      }
    }
    let messages = String(decoding: outcome.errors, as: UTF8.self)
    // EX_UNAVAILABLE of sysexits.h: a library of the program is missing.
    guard outcome.ending != .exited(69) else {
      throw Failure(.failedPrecondition, "PROGRAM_MISSING", "PDF reports cannot be made here: \(messages.prefix(200))")
    }
    guard outcome.ending == .exited(0) else {
      throw Failure(
        .internal, "REPORT_FAILED",
        "The report could not be made: \(messages.prefix(200)) (\(self.path): \(outcome.ending)).")
    }
    return (outcome.output, messages)
  }

  private static func directory() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return "." }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
