public import KithMessages

/// A stored job: a command for a worker, and its outcome.
///
/// ```swift
/// for job in try await jobs.unended() where job.state == .queued { print(job.id, job.service, job.attempt) }
/// ```
public struct JobRecord: Sendable, Hashable {
  /// The id, the same for all attempts.
  public let id: String
  /// Identifies the request: a caller that returns with the same key gets the same job.
  public let key: String
  /// Whether a caller may return with the key after a restart of the hub, so that the reply is stored.
  public let isKept: Bool
  /// The method's name.
  public let service: String
  /// The command in protobuf.
  public let command: [UInt8]
  /// The blobs of the command that the worker fetches.
  public let inputs: [BlobRef]
  /// The creation time, in nanoseconds since 1970.
  public let createdAt: Int64

  /// The state.
  public var state = JobState.queued
  /// The number of leases so far.
  public var attempt: UInt32 = 0
  /// The number of attempts whose worker was lost.
  public var losses: UInt32 = 0
  /// The name of the current or last worker.
  public var worker = ""
  /// The process of that worker.
  public var instance = ""
  /// The current or last lease; only this lease may deliver batches.
  public var leaseID = ""
  /// From where another worker continues.
  public var checkpoint: [UInt8] = []
  /// The number of batches whose effect is stored.
  public var batches: UInt32 = 0
  /// The error, if it ended without a reply.
  public var status = Status()
  /// The reply in protobuf, if it is kept.
  public var reply: [UInt8] = []
  /// The time of the last change, in nanoseconds since 1970.
  public var updatedAt: Int64

  /// Makes a queued job.
  public init(
    id: String, key: String, isKept: Bool, service: String, command: [UInt8], inputs: [BlobRef], createdAt: Int64
  ) {
    self.id = id
    self.key = key
    self.isKept = isKept
    self.service = service
    self.command = command
    self.inputs = inputs
    self.createdAt = createdAt
    self.updatedAt = createdAt
  }

  /// The key of a named request, independent of the caller.
  public static func key(_ method: Method, named name: String) -> String { "\(method.name)/\(name)" }

  /// The service without its method: `kith.v1.Transcriber`.
  public var serviceName: String { String(self.service.prefix { $0 != "/" }) }

  /// The failure of a job that ended without a reply; nil otherwise.
  public var failure: Failure? {
    switch self.state {
    case .queued, .leased, .done: nil
    case .failed: Failure(status: self.status)
    case .cancelled: .cancelled
    case .dead:
      Failure(
        .aborted, "JOB_DEAD",
        "\(self.losses) workers failed while running this job, so it is not retried. Look at it with "
          + "`kith jobs show \(self.id)`. Retry a transcription with `kith jobs retry \(self.id)`.")
    case .unknown:
      Failure(
        .aborted, "OUTCOME_UNKNOWN",
        "The worker was lost while it ran \(self.service). Check the result before you send it again.")
    }
  }
}

/// Stores jobs. A change is on disk before a worker or caller is told of it.
///
/// ```swift
/// var job = try await jobs.open(draft)  // the existing job if there is one with this key
/// job.state = .cancelled
/// try await jobs.apply([job])
/// ```
public protocol JobStore: Sendable {
  /// Stores a new job, or returns the existing job with the same key.
  ///
  /// A cancelled job is not returned: its key passes to the new job.
  func open(_ draft: JobRecord) async throws(Failure) -> JobRecord

  /// Commits changes in order, with their events. A job that has ended does not change, except from an unknown outcome to
  /// a known one.
  func apply(_ changes: [JobRecord]) async throws(Failure)

  /// The jobs that were open or of unknown outcome when the last process ended, oldest first.
  func unended() async throws(Failure) -> [JobRecord]

  /// Publishes once that no worker serves a placed service, or that a worker serves it again.
  func announce(_ service: String, isServed: Bool) async
}

extension JobState {
  /// Whether a worker may still report its end.
  public var isOpen: Bool { self == .queued || self == .leased }
}
