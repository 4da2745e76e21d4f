public import KithMessages

/// The kind of a message of the work plane. The first six are those of MDP/Worker 0.2 (rfc.zeromq.org/spec/18).
enum WorkKind: UInt8, Sendable, Hashable {
  case ready = 0x01
  case job = 0x02
  case partial = 0x03
  case final = 0x04
  case heartbeat = 0x05
  case disconnect = 0x06
  case welcome = 0x10
  case credit = 0x11
  case lease = 0x12
  case ack = 0x13
  case cancel = 0x14
  case fetch = 0x15
  case chunk = 0x16
  case drain = 0x17
  case chunkAck = 0x18
}

/// A message of the work plane. The bytes beside a header are the body (a command, a batch or a reply), or the
/// attachment of a chunk.
///
/// ```swift
/// if case .accepted(let frame) = WorkFrame.decode(frames), case .job(let job, let command) = frame.message {
///   print(frame.service, job.jobID, command.count)
/// }
/// ```
public enum WorkMessage: Sendable, Hashable {
  /// From a worker: it is connected and serves these methods.
  case ready(Ready)
  /// From the hub: a command to run.
  case job(Job, [UInt8])
  /// From a worker: progress, or a batch.
  case partial(Partial, [UInt8])
  /// From a worker: the end of a job.
  case final(WorkResult, [UInt8])
  /// From both: the session is alive.
  case heartbeat(Heartbeat)
  /// From both: the session is over.
  case disconnect(Disconnect)
  /// From the hub: the session begins.
  case welcome(Welcome)
  /// From a worker: more free slots.
  case credit(Credit)
  /// From the hub: leases renewed or lost, batches stored.
  case lease(LeaseUpdate)
  /// From the hub: the result is on disk.
  case ack(Ack)
  /// From the hub: stop a job.
  case cancel(Cancel)
  /// From a worker: requests a part of an input.
  case fetch(Fetch)
  /// From both: a part of a blob.
  case chunk(Chunk, [UInt8])
  /// From both: no more jobs for this worker.
  case drain(Drain)
  /// From the hub: a part was received.
  case chunkAck(ChunkAck)

  /// Its kind.
  var kind: WorkKind {
    switch self {
    case .ready: .ready
    case .job: .job
    case .partial: .partial
    case .final: .final
    case .heartbeat: .heartbeat
    case .disconnect: .disconnect
    case .welcome: .welcome
    case .credit: .credit
    case .lease: .lease
    case .ack: .ack
    case .cancel: .cancel
    case .fetch: .fetch
    case .chunk: .chunk
    case .drain: .drain
    case .chunkAck: .chunkAck
    }
  }
}
