public import Bus
internal import Digest
internal import EventLoop
public import KithMessages
internal import SwiftProtobuf

/// Calls placeable services on workers: each call is a job and waits for its end.
///
/// A caller that uses an idempotency key and returns with the same key, also after a restart of the hub, gets the same
/// job and its result, even if its command differs: the key names an attempt, and the next attempt needs a new key. The
/// job of a caller that leaves is cancelled.
///
/// ```swift
/// let port = WorkerPort(workPlane)
/// let reply = try await port.ask(request, CallContext(idempotencyKey: attempt))
/// ```
public struct WorkerPort: Port, BatchPort {
  private let plane: WorkPlane

  /// Makes a port for the workers of a plane.
  public init(_ plane: WorkPlane) { self.plane = plane }

  /// Calls a method on a worker.
  ///
  /// - Throws: What the service throws; `UNAVAILABLE/NO_WORKER` if no worker connected in time, and
  ///   `RESOURCE_EXHAUSTED/NO_CREDIT` if no worker had a free slot; `ABORTED` with `JOB_DEAD` or `OUTCOME_UNKNOWN`;
  ///   `UNAVAILABLE/SHUTTING_DOWN` for a job with a key that continues without its caller.
  public func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    let reply = try await self.run(C.method, try Encoding.pb.encode(command), context, receive: nil)
    return Answer(try Encoding.pb.decode(C.Reply.self, from: reply))
  }

  /// Calls a method that answers in batches on a worker.
  ///
  /// - Throws: As ``call(_:_:)``; also what `receive` throws.
  public func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply {
    let reply = try await self.run(C.method, try Encoding.pb.encode(command), context) { bytes throws(Failure) in
      try await receive(try Encoding.pb.decode(C.Batch.self, from: bytes))
    }
    return try Encoding.pb.decode(C.Reply.self, from: reply)
  }

  private func run(
    _ method: Method, _ command: [UInt8], _ context: CallContext,
    receive: (@Sendable ([UInt8]) async throws(Failure) -> Void)?
  ) async throws(Failure) -> [UInt8] {
    let inputs = Dictionary(
      context.attachments.map { (Hex.encode(SHA256.digest($0)), $0) }, uniquingKeysWith: { first, _ in first })
    let draft = Self.draft(method, command, context, inputs, isInBatches: receive != nil)
    let end = ContinuousClock.now + (context.timeout ?? .milliseconds(Int64(method.timeoutMilliseconds)))
    while true {
      if let reply = try await self.attend(draft, inputs, method, context, until: end, receive: receive) {
        return reply
      }
      // The end of the job may not be stored yet.
      try await Self.pause()
    }
  }

  private static func pause() async throws(Failure) {
    do {
      try await Task.sleep(for: .milliseconds(200))
    } catch {
      throw .cancelled
    }
  }

  /// Waits for a job.
  ///
  /// - Returns: The reply; nil if the job ended before the caller was attached.
  private func attend(
    _ draft: JobRecord, _ inputs: [String: [UInt8]], _ method: Method, _ context: CallContext,
    until end: ContinuousClock.Instant, receive: (@Sendable ([UInt8]) async throws(Failure) -> Void)?
  ) async throws(Failure) -> [UInt8]? {
    let record = try await self.plane.store.open(draft)
    if record.state == .done { return record.reply }
    if let failure = record.failure { throw failure }
    let (updates, continuation) = AsyncStream<JobCaller.Update>.makeStream()
    let deadline = WallClock.nanoseconds() + Int64((end - .now) / .nanoseconds(1))
    let caller = JobCaller(
      token: UUIDv7.make().text, isInBatches: receive != nil, command: InFlightCommands.current, inputs: inputs,
      deadline: deadline, updates: continuation)
    let plane = self.plane
    plane.post { $0.attach(record, caller, isNew: record.id == draft.id) }
    do throws(Failure) {
      return try await Deadline.race(end - .now) { () async throws(Failure) in
        for await update in updates {
          switch update {
          case .progress: caller.takeProgress().map { context.progress?($0) }
          case .batch(let number, let bytes):
            try await receive?(bytes)
            plane.post { $0.taken(record.id, batch: number) }
          case .ended(let result): return try result.get()
          case .over: return nil
          }
        }
        throw .cancelled
      }
    } catch {
      switch await plane.release(record.id, caller.token) {
      case .goesOn: throw record.isKept ? WorkPlane.shuttingDown : error
      case .ended(let waitedFor, let wasGiven):
        throw error == Deadline.exceeded ? Self.late(method, waitedFor, wasGiven: wasGiven) : error
      }
    }
  }

  private static func draft(
    _ method: Method, _ command: [UInt8], _ context: CallContext, _ inputs: [String: [UInt8]], isInBatches: Bool
  ) -> JobRecord {
    let id = UUIDv7.make().text
    let isKept = !isInBatches && !context.idempotencyKey.isEmpty
    let refs = inputs.sorted { $0.key < $1.key }.map { sha256, bytes in
      var ref = BlobRef()
      ref.sha256 = sha256
      ref.size = UInt64(bytes.count)
      return ref
    }
    return JobRecord(
      id: id, key: isKept ? JobRecord.key(method, named: context.idempotencyKey) : id, isKept: isKept,
      service: method.name, command: command, inputs: refs, createdAt: WallClock.nanoseconds())
  }

  /// The failure of a caller whose time is over, by what its job waited for.
  ///
  /// A job that no worker got has certainly not run.
  static func late(_ method: Method, _ waitedFor: JobWait?, wasGiven: Bool) -> Failure {
    let service = method.name.prefix { $0 != "/" }
    switch waitedFor {
    case .worker:
      var failure = Failure(
        .unavailable, "NO_WORKER",
        "No worker serves \(service). Start one: `kithd worker --hub ENDPOINT --serve ...`.",
        retryAfterMilliseconds: 5000)
      if wasGiven { failure.status.details["outcome"] = "unknown" }
      return failure
    case .credit where !wasGiven:
      return Failure(
        .resourceExhausted, "NO_CREDIT",
        "All workers that serve \(service) were busy. Start another one, or give one more `--slots`.",
        retryAfterMilliseconds: 5000)
    case .credit, .backoff, .caller, nil: return Deadline.exceeded
    }
  }
}
