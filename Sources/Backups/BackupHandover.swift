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
    handed.fault = [worker, program].compactMap(\.self).joined(separator: " ")
    return handed
  }

  /// - Returns: Why the worker did not take it; nil if it did, or if none is configured any more.
  private func send(_ backup: MadeBackup) async -> String? {
    guard let archive, let worker = self.plan.worker else { return nil }
    let (sender, path) = (ArchiveSender(port: archive, plan: self.plan), self.folder.path(of: backup.name))
    do throws(Failure) {
      try await withTaskExecutorPreference(self.disk) { () async throws(Failure) in try await sender.send(backup, path)
      }
      return nil
    } catch {
      let why = Task.isCancelled ? "kithd was stopped meanwhile." : error.message
      return "The worker \(worker) did not take the backup: \(why)"
    }
  }

  /// - Returns: Why the program did not take it; nil if it did. What it said is in the log alone: it may name what is private.
  private func hand(_ backup: MadeBackup) async -> String? {
    guard let program = self.plan.command.first else { return nil }
    let child = ChildProcess(
      program, self.plan.command.dropFirst() + [self.folder.path(of: backup.name)], directory: "/",
      limits: ChildProcess.Limits(time: .seconds(3000), memory: nil, fileSize: nil, isOutputCut: true))
    let why: String
    do throws(ChildProcess.Fault) {
      let outcome = try await child.run()
      guard outcome.ending != .exited(0) else { return nil }
      self.logger.error("the program of [backup] failed", metadata: ["said": "\(outcome.complaint)"])
      why =
        switch outcome.ending {
        case .exited(let code): "it ended with \(code), and its words are in the log of kithd."
        case .signalled(let signal): "it was ended by signal \(signal)."
        }
    } catch {
      why =
        switch error {
        case .cancelled: "kithd was stopped meanwhile."
        case .outOfTime: "it took longer than 50 minutes."
        default: "it could not be run. Check its path and its permissions."
        }
    }
    return "\(program) did not take the backup: \(why)"
  }
}
