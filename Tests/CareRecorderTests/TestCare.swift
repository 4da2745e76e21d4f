import Bus
import EventLoop
import Foundation
import KithMessages
import Logging
import Storage
import TestKit

@testable import CareRecorder

/// A recorder with its own store, and a transcriber whose answers a test sets. The transcriber behaves like one on a
/// worker: the outcome of an attempt is returned again for the same key.
final class TestCare: Sendable {
  /// An attempt that reports its start, and ends when the test lets it.
  struct Gate: Sendable {
    let began = AsyncStream<Void>.makeStream()
    let mayEnd = AsyncStream<Void>.makeStream()
  }

  let directory: TemporaryDirectory
  static let start: Int64 = 1_795_186_800_000_000_000
  let clock = Lock<Int64>(TestCare.start)
  /// By how much the time of day was set.
  private let setting = Lock<Int64>(0)
  /// The uptime of the machine at the start of the test, and the name of this boot.
  let boot = Lock((uptime: Int64(86_400_000_000_000), name: "first"))
  /// Waits until an earlier time end at once; longer ones wait for ``letTimePass(_:)``.
  let horizon = Lock<Int64>(TestCare.start + 20 * 60_000_000_000)
  private let sleepers = Lock<[AsyncStream<Void>.Continuation]>([])
  let answers = Lock<[Result<String, Failure>]>([])
  let asked = Lock<[(request: TranscribeRequest, bytes: [UInt8])]>([])
  /// The gate for the next attempt.
  let gate = Lock<Gate?>(nil)
  private let changes = Lock<[CheckedContinuation<Void, Never>]>([])
  /// The recorder that receives events.
  private let recorder = Lock<CareRecorderActor?>(nil)

  init() throws { self.directory = try TemporaryDirectory() }

  func run<Value>(_ body: (CareRecorderActor, StorageActor) async throws -> Value) async throws -> Value {
    let storage = try StorageActor(
      directory: self.directory.path + "/state", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { [self] events in
      self.recorder.withLock { $0 }?.handle(events: events)
      for waiter in self.changes.withLock({ waiters in waiters.swapped(for: []) }) { waiter.resume() }
    }
    let port = CannedPort { command, context async throws(Failure) in
      guard let request = command as? TranscribeRequest else { throw .bug("no transcription") }
      var job = try await storage.open(Self.job(under: context.idempotencyKey))
      if job.state == .done { return try Encoding.pb.decode(TranscribeReply.self, from: job.reply) }
      if let failure = job.failure { throw failure }
      let answer = await self.attempt(request, context)
      switch answer {
      case .success(let reply):
        job.state = .done
        job.reply = try Encoding.pb.encode(reply)
      case .failure(let failure):
        // A job that no worker took ends when its caller leaves.
        let isGivenUp = ["NO_WORKER", "NO_CREDIT"].contains(failure.reason)
        job.state = isGivenUp ? .cancelled : failure.reason == "JOB_DEAD" ? .dead : .failed
        job.status = failure.status
      }
      try await storage.apply([job])
      // A cancelled caller gets no answer.
      guard !Task.isCancelled else { throw .cancelled }
      return try answer.get()
    }
    let actor = CareRecorderActor(
      storage: storage, transcriber: port, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      clock: {
        // Each reading of the clock is later than the one before.
        self.clock.withLock { $0 += 1 }
        return self.reading
      },
      sleep: { instant in await self.sleep(until: instant) })
    self.recorder.withLock { $0 = actor }
    defer { self.recorder.withLock { $0 = nil } }
    let result: Result<Value, any Error>
    do { result = .success(try await body(actor, storage)) } catch { result = .failure(error) }
    await actor.stop()
    await storage.close()
    return try result.get()
  }

  private static func job(under name: String) -> JobRecord {
    JobRecord(
      id: UUIDv7.make().text, key: JobRecord.key(TranscribeRequest.method, named: name), isKept: true,
      service: TranscribeRequest.method.name, command: [], inputs: [], createdAt: 0)
  }

  private func attempt(_ request: TranscribeRequest, _ context: CallContext) async -> Result<TranscribeReply, Failure> {
    self.asked.withLock { $0.append((request, context.attachments.first ?? [])) }
    let answer = self.answers.withLock { $0.isEmpty ? .success("said") : $0.removeFirst() }
    let gate = self.gate.withLock { gate in
      defer { gate = nil }
      return gate
    }
    if let gate {
      gate.began.continuation.finish()
      for await _ in gate.mayEnd.stream { break }
    }
    return answer.map { text in
      var reply = TranscribeReply()
      reply.text = text
      reply.engine = "test"
      reply.confidence = 0.5
      reply.audioSeconds = 2
      return reply
    }
  }

  /// Makes the next attempt wait for the test.
  func hold() -> Gate {
    let gate = Gate()
    self.gate.withLock { $0 = gate }
    return gate
  }

  /// The present times of the clocks.
  var reading: ClockReading {
    let (now, boot) = (self.clock.withLock { $0 }, self.boot.withLock { $0 })
    return ClockReading(
      wall: now + self.setting.withLock { $0 }, steady: now - Self.start + boot.uptime, boot: boot.name)
  }

  /// Sets the time of day.
  func setClock(by nanoseconds: Int64) { self.setting.withLock { $0 += nanoseconds } }

  private func sleep(until time: Int64) async {
    let instant = time - self.setting.withLock { $0 }
    let (calls, sleeper) = AsyncStream<Void>.makeStream()
    self.sleepers.withLock { $0.append(sleeper) }
    if instant > self.horizon.withLock({ $0 }) { for await _ in calls { break } }
    guard instant <= self.horizon.withLock({ $0 }) else { return }
    self.clock.withLock { $0 = max($0, instant) }
  }

  /// Ends every wait for a time within this span.
  func letTimePass(_ nanoseconds: Int64) {
    let now = self.clock.withLock { $0 }
    self.horizon.withLock { $0 = max($0, now + nanoseconds) }
    for sleeper in self.sleepers.withLock({ sleepers in sleepers.swapped(for: []) }) { sleeper.finish() }
  }

  /// Waits until the entry meets a condition, and returns it.
  func wait(
    for id: String, in storage: StorageActor, until isSo: @Sendable (CareRecord) -> Bool
  ) async throws -> CareRecord {
    while true {
      let record = try await storage.read { view throws(Failure) in try view.care.require(id) }
      if isSo(record) { return record }
      await withCheckedContinuation { waiter in
        self.changes.withLock { $0.append(waiter) }
        // An event may have been committed between the check and here.
        Task {
          let later = try? await storage.read { view throws(Failure) in try view.care.require(id) }
          guard later != record else { return }
          for waiter in self.changes.withLock({ waiters in waiters.swapped(for: []) }) { waiter.resume() }
        }
      }
    }
  }

  var sounds: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: self.directory.path + "/state/audio")) ?? []
  }
}

extension Array {
  mutating func swapped(for other: [Element]) -> [Element] {
    let old = self
    self = other
    return old
  }
}

extension CareRecorderActor {
  func speak(_ bytes: [UInt8], category: String = "meal", language: String = "") async throws -> CareRecord {
    var start = StartVoiceRequest()
    start.category = category
    start.language = language
    let id = try await self.startVoice(start, CallContext()).reply.record.id
    var append = AppendVoiceRequest()
    append.id = id
    _ = try await self.appendVoice(append, CallContext(attachments: [bytes]))
    var stop = StopVoiceRequest()
    stop.id = id
    return try await self.stopVoice(stop, CallContext()).reply.record
  }
}
