public import Bus
internal import EventLoop
internal import Glibc
public import KithMessages
public import Logging
public import Storage
public import SwiftProtobuf

/// The program that typesets reports as PDF: typesetter and fonts stay out of the daemon.
public struct ReportProgram: Sendable {
  let path: String

  /// The program in the folder of this program.
  public static let besideThisProgram = ReportProgram(path: ProgramFolder.path + "/kith-report")

  /// The program of a path.
  public init(path: String) { self.path = path }

  /// Typesets a report, and stages the PDF as a file.
  ///
  /// - Parameters:
  ///   - arguments: What the program is told beside the report.
  ///   - storage: The store of the file.
  /// - Throws: `FAILED_PRECONDITION/PROGRAM_MISSING`, `DEADLINE_EXCEEDED/RUNNING_TOO_LONG`, `INTERNAL/REPORT_FAILED`,
  ///   `RESOURCE_EXHAUSTED/DISK_FULL`.
  public func stage(
    _ report: some SwiftProtobuf.Message, _ arguments: [String] = [], in storage: StorageActor, logger: Logger
  ) async throws(Failure) -> BlobRef {
    let (pdf, warnings) = try await self.run(report, arguments)
    if !warnings.isEmpty {
      logger.warning("a report was not typeset correctly", metadata: ["why": "\(warnings)"])
    }
    let rest = Pieces(pdf)
    return try await storage.stage(mediaType: "application/pdf") { () async throws(Failure) in await rest.next() }
  }

  private func run(
    _ report: some SwiftProtobuf.Message, _ arguments: [String]
  ) async throws(Failure) -> (pdf: [UInt8], warnings: String) {
    let program = ChildProcess(
      self.path, arguments, directory: "/", input: try Encoding.pb.encode(report),
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
}

/// Bytes, returned piece by piece.
private actor Pieces {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.rest = bytes[...] }

  func next() -> [UInt8]? {
    guard !self.rest.isEmpty else { return nil }
    let piece = Array(self.rest.prefix(1 << 20))
    self.rest = self.rest.dropFirst(piece.count)
    return piece
  }
}
