internal import EventLoop
import Glibc

/// Named places in the code at which a test can kill the process, to prove that no data is lost there.
///
/// With `KITH_FAULT_POINT=name:n` in the environment the process sends itself SIGKILL when it passes the point `name`
/// for the n-th time. Without the variable a point costs one comparison.
///
/// ```swift
/// FaultPoint.batchCommitted.pass()
/// ```
public enum FaultPoint: String, Sendable, CaseIterable {
  /// A pass is stored as begun.
  case passStarted = "pass_started"
  /// A source was listed; nothing is stored yet.
  case listed = "listed"
  /// A batch of cards was read, but not stored yet.
  case batchRead = "batch_read"
  /// A batch of cards is stored.
  case batchCommitted = "batch_committed"
  /// Cards have their new names; their content is not read yet.
  case cardsMoved = "cards_moved"
  /// The deletions of a pass are decided, but not carried out yet.
  case deletionsDecided = "deletions_decided"
  /// A pass is stored as ended.
  case passCommitted = "pass_committed"
  /// Changes are stored as in flight, but not sent yet.
  case monicaPushBegun = "monica.push.begun"
  /// Monica has answered a change; the outcome is not stored yet.
  case monicaPushSent = "monica.push.sent"
  /// The outcome of a change is stored.
  case monicaPushStored = "monica.push.stored"
  /// A page was read from Monica, but not stored yet.
  case monicaPageRead = "monica.pull.page"
  /// A page of Monica, or a change that follows from it, is stored.
  case monicaPageStored = "monica.pull.stored"

  /// A spoken entry is stored; it has no sound yet.
  case careBegun = "care_begun"
  /// A piece of sound is on disk, but not acknowledged.
  case careAppended = "care_appended"
  /// The sound is complete and renamed; the store is not updated yet.
  case careFinished = "care_finished"
  /// The sound is queued for transcription.
  case careQueued = "care_queued"
  /// The transcript has arrived, but is not stored.
  case careTranscribed = "care_transcribed"
  /// The transcript is stored; the sound still exists.
  case careStored = "care_stored"
  /// The sound is unlinked; the store is not updated yet.
  case careUnlinked = "care_unlinked"

  /// A message is stored as in flight, but not sent yet.
  case deliveryBegun = "delivery_begun"
  /// A message was sent; the outcome is not stored yet.
  case deliverySent = "delivery_sent"
  /// The outcome of a message is stored.
  case deliveryStored = "delivery_stored"

  /// The lease of a job is stored, but the job is not sent to the worker yet.
  case jobGranted = "job_granted"
  /// A worker has received a job and not started it.
  case jobTaken = "job_taken"
  /// A worker has passed a batch to its socket; it may not be on the wire yet.
  case jobBatchSent = "job_batch_sent"
  /// A batch is stored, but not acknowledged to its worker.
  case jobBatchStored = "job_batch_stored"
  /// A worker has finished a job and not reported it.
  case jobRun = "job_run"
  /// A worker has passed the end of a job to its socket; it may not be on the wire yet.
  case jobEndSent = "job_end_sent"
  /// The hub has received the end of a job, but not stored it.
  case jobEndTaken = "job_end_taken"
  /// The end of a job is stored; neither the worker nor the caller has been told.
  case jobEndStored = "job_end_stored"

  /// A change of a device is stored; it does not count for commands yet, and the caller was not told.
  case deviceStored = "device_stored"

  /// A backup is written and checked; it has no name yet.
  case backupChecked = "backup_checked"
  /// A backup has its name; it is not stored that there is one.
  case backupNamed = "backup_named"
  /// A backup is stored; earlier ones that are no longer kept are still there.
  case backupStored = "backup_stored"
  /// A restore is marked; no file is moved yet.
  case restoreMarked = "restore_marked"
  /// A restore has moved another file.
  case restoreMoved = "restore_moved"
  /// The files of a backup are in place; the mark is still there.
  case restoreExchanged = "restore_exchanged"
  /// Another file of before is back in place.
  case restoreUndone = "restore_undone"

  private static let armed = Countdown(getenv("KITH_FAULT_POINT").map { String(cString: $0) })

  /// Kills the process if this pass of the point is the chosen one.
  public func pass() {
    guard let countdown = Self.armed, countdown.reachesZero(at: self) else { return }
    kill(getpid(), SIGKILL)
  }

  /// Counts the remaining passes of one point.
  private final class Countdown: Sendable {
    private let point: FaultPoint
    private let remaining: Lock<Int>

    init?(_ text: String?) {
      let parts = text?.split(separator: ":") ?? []
      guard parts.count == 2, let point = FaultPoint(rawValue: String(parts[0])), let count = Int(parts[1]) else {
        return nil
      }
      self.point = point
      self.remaining = Lock(count)
    }

    func reachesZero(at point: FaultPoint) -> Bool {
      guard point == self.point else { return false }
      return self.remaining.withLock { remaining in
        remaining -= 1
        return remaining == 0
      }
    }
  }
}
