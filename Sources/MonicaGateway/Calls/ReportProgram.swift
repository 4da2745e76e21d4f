internal import Bus
internal import EventLoop
internal import Glibc
internal import KithMessages

/// The program that sets reports as PDF: the typesetter and its fonts stay out of the daemon.
struct ReportProgram: Sendable {
  let path: String

  /// The one beside this program.
  static let besideThisProgram = ReportProgram(path: Self.directory() + "/kith-report")

  /// Sets a report.
  ///
  /// - Returns: The PDF, and what could not be set as it should be.
  /// - Throws: `FAILED_PRECONDITION/PROGRAM_MISSING`, `DEADLINE_EXCEEDED/RUNNING_TOO_LONG`, `INTERNAL/REPORT_FAILED`.
  func run(_ report: CallReport) async throws(Failure) -> (pdf: [UInt8], warnings: String) {
    let program = ChildProgram(path: self.path, limit: .seconds(100))
    let input = try Encoding.pb.encode(report)
    let outcome: ChildProgram.Outcome
    do throws(ChildProgram.Fault) {
      outcome = try await program.run(input)
    } catch {
      switch error {
      case .notStarted(let code):
        throw Failure(
          .failedPrecondition, "PROGRAM_MISSING",
          "PDF reports need the program \(self.path), which \(code == ENOENT ? "is not there" : "cannot be started"). "
            + "Install kith-report beside kithd, or export CSV or JSON.")
      case .exceeded:
        throw Failure(
          .deadlineExceeded, "RUNNING_TOO_LONG", "The report took too long. Ask for a shorter range of days.")
      }
    }
    guard outcome.status == 0 else {
      throw Failure(
        .internal, "REPORT_FAILED",
        "The report could not be made: \(outcome.messages.prefix(200)) (\(self.path) ended with \(outcome.status)).")
    }
    return (outcome.output, outcome.messages)
  }

  private static func directory() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return "." }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
