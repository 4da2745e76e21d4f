public import KithMessages

/// A job as it is kept: a command on its way to a worker, and what came of it.
public struct JobRecord: Sendable, Hashable {
  /// Where a job stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It waits for a worker.
    case queued
    /// A worker has it.
    case leased
    /// Its reply is stored.
    case done
    /// The service refused or failed.
    case failed
    /// Five workers were lost over it, so nobody gets it before a person says so.
    case dead
    /// It may happen once only, and its worker was lost: nobody knows whether it has.
    case unknown
    /// Nobody wants it any more.
    case cancelled

    /// Whether a worker may still bring its end.
    public var isOpen: Bool { self == .queued || self == .leased }
  }

  /// The same over all attempts.
  public let id: String
  /// Names what was asked and by whom: a caller that comes back under it gets the same job.
  public let key: String
  /// Whether somebody may come back under the key after a restart of the hub, so that the reply is kept.
  public let isKept: Bool
  /// The method's name.
  public let service: String
  /// The command in protobuf encoding.
  public let command: [UInt8]
  /// What belongs to the command and is fetched by the worker.
  public let inputs: [BlobRef]
  /// When it was made, nanoseconds since 1970.
  public let createdAt: Int64

  /// Where it stands.
  public var state = State.queued
  /// How often it was leased.
  public var attempt: UInt32 = 0
  /// How many attempts ended without a word.
  public var losses: UInt32 = 0
  /// Who has it or had it last.
  public var worker = ""
  /// The process that has it.
  public var instance = ""
  /// The lease that is out, or was last: it alone may bring batches.
  public var leaseID = ""
  /// Where another worker can go on.
  public var checkpoint: [UInt8] = []
  /// Batches whose effect is stored.
  public var batches: UInt32 = 0
  /// Why it ended without a reply.
  public var status = Status()
  /// The reply in protobuf encoding, where it is kept.
  public var reply: [UInt8] = []
  /// The last change, nanoseconds since 1970.
  public var updatedAt: Int64

  /// Makes a job that waits.
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

  /// The key of what is asked for under a name, whoever asks.
  public static func key(_ method: Method, named name: String) -> String { "\(method.name)/\(name)" }

  /// The service without its method: `kith.v1.Transcriber`.
  public var serviceName: String { String(self.service.prefix { $0 != "/" }) }

  /// The failure that stands for an end without a reply; nil where there is none.
  public var failure: Failure? {
    switch self.state {
    case .queued, .leased, .done: nil
    case .failed: Failure(status: self.status)
    case .cancelled: .cancelled
    case .dead:
      Failure(
        .aborted, "JOB_DEAD",
        "\(self.losses) workers were lost over this job, so it rests. Look at it with `kith jobs show \(self.id)`. A transcription "
          + "is tried again with `kith jobs retry \(self.id)`.")
    case .unknown:
      Failure(
        .aborted, "OUTCOME_UNKNOWN",
        "The worker was lost while it ran \(self.service). Check the result before you send it again.")
    }
  }
}

/// Where jobs are kept. A change is on the disk before any worker or caller hears of it.
public protocol JobStore: Sendable {
  /// Keeps a new job, or finds the one that was made under the same key.
  ///
  /// A job that was cancelled is left behind: its key belongs to the new one.
  func open(_ draft: JobRecord) async throws(Failure) -> JobRecord

  /// Commits changes in their order, with their events. What has ended stays as it is, but for an unknown outcome that becomes
  /// known.
  func apply(_ changes: [JobRecord]) async throws(Failure)

  /// The jobs that were open, or of unknown outcome, when the last process ended; the oldest first.
  func unended() async throws(Failure) -> [JobRecord]

  /// Tells everybody once that a service is placed on workers and none serves it, or that one does again.
  func announce(_ service: String, isServed: Bool) async
}
