internal import Bus
internal import EventLoop
internal import KithMessages
internal import Logging

/// Gives a backup to those that get each one besides the folder: the worker that keeps it too, and the household's own program.
struct BackupHandover: Sendable {
  /// The waits before another try: a worker at another house may be away for a night.
  static let backoff = Backoff(first: 60_000_000_000, longest: 4 * 3_600_000_000_000)

  /// To the worker; nil if the plan has none.
  let archive: (any Bus.Port)?
  let plan: BackupPlan
  let folder: BackupFolder
  /// Files are read there.
  let disk: ThreadExecutor
  let logger: Logger

  /// Gives it to those that it awaits.
  ///
  /// - Returns: The backup, with those that have not taken it, and why.
  func run(_ backup: MadeBackup) async -> MadeBackup {
    let worker = backup.awaitsWorker ? await self.send(backup) : nil
    let program = backup.awaitsProgram ? await self.hand(backup) : nil
    var handed = backup
    (handed.awaitsWorker, handed.awaitsProgram) = (worker != nil, program != nil)
    let refusals = [worker, program].compactMap(\.self)
    handed.fault = refusals.map(\.sentence).joined(separator: " ")
    handed.clearError()
    if !refusals.isEmpty {
      handed.error =
        Failure(
          .unavailable, "BACKUP_NOT_TAKEN", handed.fault,
          details: refusals.reduce(into: [:]) { $0.merge($1.details) { known, _ in known } }
        ).status
    }
    return handed
  }

  /// Why one of them did not take a backup.
  private struct Refusal {
    /// For people.
    let sentence: String
    /// For the sentence in another language.
    let details: [String: String]
  }

  /// - Returns: Why the worker did not take it; nil if it did, or if none is configured any more.
  private func send(_ backup: MadeBackup) async -> Refusal? {
    guard let archive, let worker = self.plan.worker else { return nil }
    let (sender, path) = (ArchiveSender(port: archive, plan: self.plan), self.folder.path(of: backup.name))
    do throws(Failure) {
      try await withTaskExecutorPreference(self.disk) { () async throws(Failure) in try await sender.send(backup, path)
      }
      return nil
    } catch {
      let why = Task.isCancelled ? Failure(.unavailable, "SHUTTING_DOWN", "kithd was stopped meanwhile.") : error
      return Refusal(
        sentence: "The worker \(worker) did not take the backup: \(why.message)",
        details: ["worker": "\(worker)", "worker_reason": why.reason].merging(why.status.details) { own, _ in own })
    }
  }

  /// - Returns: Why the program did not take it; nil if it did. What it said is in the log alone: it may name what is private.
  private func hand(_ backup: MadeBackup) async -> Refusal? {
    guard let program = self.plan.command.first else { return nil }
    let child = ChildProcess(
      program, self.plan.command.dropFirst() + [self.folder.path(of: backup.name)], directory: "/",
      limits: ChildProcess.Limits(time: .seconds(3000), memory: nil, fileSize: nil, isOutputCut: true))
    let (cause, why): (String, String)
    do throws(ChildProcess.Fault) {
      let outcome = try await child.run()
      guard outcome.ending != .exited(0) else { return nil }
      self.logger.error("the program of [backup] failed", metadata: ["said": "\(outcome.complaint)"])
      (cause, why) =
        switch outcome.ending {
        case .exited(let code): ("ended", "it ended with \(code), and its words are in the log of kithd.")
        case .signalled(let signal): ("ended", "it was ended by signal \(signal).")
        }
    } catch {
      (cause, why) =
        switch error {
        case .cancelled: ("stopped", "kithd was stopped meanwhile.")
        case .outOfTime: ("out_of_time", "it took longer than 50 minutes.")
        default: ("not_run", "it could not be run. Check its path and its permissions.")
        }
    }
    return Refusal(
      sentence: "\(program) did not take the backup: \(why)", details: ["program": program, "program_why": cause])
  }
}
