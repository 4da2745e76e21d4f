internal import EventLoop
import Glibc

/// Named places where a test can have the process killed, to show that nothing is lost there.
///
/// `KITH_FAULT_POINT=name:n` in the environment makes the process send itself SIGKILL when it passes the point `name` for the
/// n-th time. Without the variable a point costs one comparison.
public enum FaultPoint: String, Sendable, CaseIterable {
  /// A pass is in the store as begun.
  case passStarted = "pass_started"
  /// A source was listed and nothing of it is stored yet.
  case listed = "listed"
  /// A batch of cards was read and is not stored yet.
  case batchRead = "batch_read"
  /// A batch of cards is stored.
  case batchCommitted = "batch_committed"
  /// Cards have got their new names, and what they say is not read yet.
  case cardsMoved = "cards_moved"
  /// It is decided what a pass deletes, and nothing is deleted yet.
  case deletionsDecided = "deletions_decided"
  /// A pass is in the store as ended.
  case passCommitted = "pass_committed"
  /// Changes are in the store as under way and not sent yet.
  case monicaPushBegun = "monica.push.begun"
  /// Monica has answered to a change and nothing of that is stored yet.
  case monicaPushSent = "monica.push.sent"
  /// What became of a change is stored.
  case monicaPushStored = "monica.push.stored"
  /// A page of Monica's was read and is not stored yet.
  case monicaPageRead = "monica.pull.page"
  /// A page of Monica's, or what followed from it, is stored.
  case monicaPageStored = "monica.pull.stored"

  /// A spoken entry is in the store and has no sound yet.
  case careBegun = "care_begun"
  /// A piece of sound is on the disk, and nobody was told.
  case careAppended = "care_appended"
  /// The sound is whole and named so, and the store does not know.
  case careFinished = "care_finished"
  /// The sound waits to be transcribed.
  case careQueued = "care_queued"
  /// The words are there and not stored.
  case careTranscribed = "care_transcribed"
  /// The words are stored, and the sound is still there.
  case careStored = "care_stored"
  /// The sound is unlinked, and the store does not know.
  case careUnlinked = "care_unlinked"

  /// A message is in the store as under way and not sent yet.
  case deliveryBegun = "delivery_begun"
  /// A message was sent, and what became of it is not stored yet.
  case deliverySent = "delivery_sent"
  /// What became of a message is stored.
  case deliveryStored = "delivery_stored"

  /// That a worker gets a job is in the store, and nothing was sent to it.
  case jobGranted = "job_granted"
  /// A worker has got a job and not begun.
  case jobTaken = "job_taken"
  /// A worker has sent a batch, or is about to: nobody waits for the socket.
  case jobBatchSent = "job_batch_sent"
  /// That a batch is stored is in the store, and its worker does not know.
  case jobBatchStored = "job_batch_stored"
  /// A worker has done a job and not said so.
  case jobRun = "job_run"
  /// A worker has sent the end of a job, or is about to.
  case jobEndSent = "job_end_sent"
  /// The end of a job has come to the hub, and the store does not know.
  case jobEndTaken = "job_end_taken"
  /// The end of a job is in the store, and neither worker nor caller was told.
  case jobEndStored = "job_end_stored"

  private static let armed = Countdown(getenv("KITH_FAULT_POINT").map { String(cString: $0) })

  /// Marks that the point is passed.
  public func pass() {
    guard let countdown = Self.armed, countdown.reachesZero(at: self) else { return }
    kill(getpid(), SIGKILL)
  }

  /// How often a point is still to be passed.
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
