public import Bus
internal import CivilTime
internal import EventLoop
public import KithMessages
public import Logging
public import Storage

/// Records home care, spoken or typed, and loses no entry.
///
/// A spoken entry is a row before its first byte of sound, and its sound is a file until its transcript is stored.
/// Recordings are transcribed one at a time in the background. A failed one waits, with its reason, and does not delay
/// the others.
public actor CareRecorderActor {
  let storage: StorageActor
  let transcriber: any Port
  let clock: @Sendable () -> ClockReading
  let logger: Logger
  /// Waits until a time, in nanoseconds since 1970, or until it is cancelled.
  private let sleep: @Sendable (Int64) async -> Void
  private var work: Task<Void, Never>?
  private var pause: Task<Void, Never>?
  private var isStopping = false
  private var isWanted = false
  /// The running transcription.
  private var attempt: (audio: CareAudio, task: Task<TranscriptionResult, Never>)?
  /// The last reported progress of transcriptions, by entry.
  private let progress = Lock<[String: Progress]>([:])
  /// True while recordings wait because no worker transcribes.
  private let isUnserved = Lock(false)

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: The store.
  ///   - transcriber: The port to `kith.v1.Transcriber`.
  ///   - clock: Reads the clocks.
  ///   - sleep: Waits until a time of day, in nanoseconds since 1970.
  public init(
    storage: StorageActor, transcriber: any Port, logger: Logger,
    clock: @escaping @Sendable () -> ClockReading = ClockReading.now,
    sleep: @escaping @Sendable (Int64) async -> Void = { instant in
      // If the clock is set during the wait, the wait is at most a minute too long.
      let span = min(max(0, instant - WallClock.nanoseconds()), 60_000_000_000)
      try? await Task.sleep(for: .nanoseconds(span))
    }
  ) {
    self.storage = storage
    self.transcriber = transcriber
    self.logger = logger
    self.clock = clock
    self.sleep = sleep
  }

  /// The time of day, in nanoseconds since 1970.
  nonisolated func now() -> Int64 { self.clock().wall }

  /// Cleans up after the last process, and continues to transcribe.
  ///
  /// - Throws: A failure of the store.
  public func start() async throws(Failure) {
    let left = try await self.storage.read { view throws(Failure) in try view.careAudio.all() }
    for audio in left { try await self.takeUp(audio) }
    try await self.takeUpRevived()
    try await self.noteWhatWaits()
    self.wake()
  }

  /// Handles committed events: `Jobs/Retry` may have revived a dead job; workers connect and disconnect.
  public nonisolated func handle(events: [LoggedEvent]) {
    var (isRevived, isOtherwise) = (false, false)
    for event in events {
      switch event.header.stream {
      case EventStream.jobs.name:
        let job = event.event.job
        if job.knownState == .queued, job.capability == TranscribeRequest.method.name { isRevived = true }
      case EventStream.system.name where event.header.key == Self.workerKey:
        // Set here, so that the order of the commits is kept.
        self.isUnserved.withLock { $0 = event.event.system.kind == "worker.missing" }
        isOtherwise = true
      default: break
      }
    }
    guard isRevived || isOtherwise else { return }
    Task { [isRevived, isOtherwise] in
      do throws(Failure) {
        if isRevived { try await self.takeUpRevived() }
        if isOtherwise { try await self.noteWhatWaits() }
      } catch {
        self.logger.error("a recording waits for the store", metadata: ["reason": "\(error.reason)"])
      }
    }
  }

  /// The key of the events that report whether a worker transcribes.
  private static let workerKey = "worker:\(TranscribeRequest.method.name.prefix { $0 != "/" })"

  /// Why an untried recording waits; empty if a worker can transcribe it.
  var waitReason: String { self.isUnserved.withLock { $0 } ? "no_worker" : "" }

  /// Stores the present wait reason in recordings that wait for their first attempt or are in it.
  private func noteWhatWaits() async throws(Failure) {
    let reason = self.waitReason
    try await self.storage.write { transaction throws(Failure) in
      for audio in try transaction.careAudio.all() where audio.state == .waiting && audio.nextAttemptAt != nil {
        var record = try transaction.care.require(audio.record)
        guard record.knownState == .pendingTranscription, !record.hasNextAttemptAt, record.reason != reason else {
          continue
        }
        record.reason = reason
        try transaction.care.replace(record)
      }
    }
  }

  /// Cancels the transcription of an entry if its result would be dropped: a person has written the text meanwhile, or
  /// chose another language.
  ///
  /// - Parameter record: The present entry.
  func endAttempt(for record: CareRecord) {
    guard let attempt, attempt.audio.record == record.id else { return }
    if record.knownState == .written || record.language != attempt.audio.language { attempt.task.cancel() }
  }

  /// Queues recordings whose dead jobs were revived. Each continues its own job, which has the number of its attempt.
  private func takeUpRevived() async throws(Failure) {
    let (now, reason) = (self.now(), self.waitReason)
    let isAny = try await self.storage.write { transaction throws(Failure) -> Bool in
      var isAny = false
      for var audio in try transaction.careAudio.all() where audio.state == .waiting && audio.nextAttemptAt == nil {
        let key = JobRecord.key(TranscribeRequest.method, named: audio.attemptName)
        guard try transaction.jobs.kept(under: key)?.state == .queued else { continue }
        _ = try transaction.queue(&audio, now: now, waitingFor: reason)
        isAny = true
      }
      return isAny
    }
    if isAny { self.wake() }
  }

  /// Cancels the running transcription; it starts again at the next start.
  public func stop() async {
    self.isStopping = true
    self.pause?.cancel()
    self.work?.cancel()
    await self.work?.value
  }

  /// Starts to transcribe waiting recordings now.
  func wake() {
    self.isWanted = true
    self.pause?.cancel()
    guard self.work == nil, !self.isStopping else { return }
    self.work = Task { await self.transcribeAll() }
  }

  private func takeUp(_ audio: CareAudio) async throws(Failure) {
    let size = audio.state == .deleting ? nil : try await self.storage.sounds.finish(audio.name)
    switch VoiceSweep.action(for: audio, size: size) {
    case .remove: try await self.removeSound(audio)
    case .transcribe(let size): try await self.queue(audio.record, size: size)
    case .noteInterrupted: try await self.letGo(audio, reason: "interrupted")
    }
  }

  /// Adds the transcription's progress to an entry.
  nonisolated func showProgress(in record: inout CareRecord) {
    if let heard = self.progress.withLock({ $0[record.id] }) { record.progress = heard }
  }

  /// Records that a complete recording is to be transcribed now.
  private func queue(_ id: String, size: UInt64) async throws(Failure) {
    let (now, reason) = (self.now(), self.waitReason)
    try await self.storage.write { transaction throws(Failure) in
      guard var audio = try transaction.careAudio.of(id), audio.state == .recording else { return }
      _ = try transaction.queue(&audio, size: size, now: now, waitingFor: reason)
    }
  }

  /// Unlinks sound that is stored as no longer needed. Each step is idempotent.
  func removeSound(_ audio: CareAudio) async throws(Failure) {
    try await self.storage.sounds.remove(audio.name)
    FaultPoint.careUnlinked.pass()
    try await self.storage.write { transaction throws(Failure) in try transaction.careAudio.remove(audio.record) }
  }

  private func transcribeAll() async {
    while !self.isStopping {
      self.isWanted = false
      do throws(Failure) {
        try await self.sweep()
        let now = self.now()
        let due = try await self.storage.read { view throws(Failure) in
          try view.careAudio.all().filter { $0.due?.isDue(at: now) ?? false }
        }
        for audio in due where !self.isStopping { try await self.transcribe(audio) }
        guard due.isEmpty, !self.isWanted else { continue }
        guard let next = try await self.nextMoment() else { break }
        await self.wait(until: next)
      } catch {
        self.logger.error("transcription stopped", metadata: ["error": "\(error)"])
        await self.wait(until: self.now() + 60_000_000_000)
      }
    }
    self.work = nil
    // A wake-up may have come after the last check.
    if self.isWanted { self.wake() }
  }

  private func wait(until instant: Int64) async {
    guard !self.isWanted, !self.isStopping else { return }
    let pause = Task { [sleep] in await sleep(instant) }
    self.pause = pause
    await pause.value
    self.pause = nil
  }

  private func transcribe(_ audio: CareAudio) async throws(Failure) {
    let task = Task { await self.ask(audio) }
    self.attempt = (audio, task)
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    self.attempt = nil
    guard !Task.isCancelled, !self.isStopping else { return }
    if case .failed(let failure) = result {
      // The command that cancelled it has stored what happens next: nothing, or another attempt.
      guard !task.isCancelled else { return }
      self.logger.notice(
        "a recording was not transcribed",
        metadata: ["record": "\(audio.record)", "reason": "\(TranscriptionResult.reason(of: failure))"])
    }
    FaultPoint.careTranscribed.pass()
    let now = self.now()
    let stored = try await self.storage.write { transaction throws(Failure) -> CareAudio? in
      // Meanwhile a person may have written a memo, discarded the sound, or set another language.
      guard let current = try transaction.careAudio.of(audio.record), current.state == .waiting,
        current.language == audio.language
      else { return nil }
      let change = result.applied(to: try transaction.care.require(audio.record), current, now: now)
      try transaction.care.replace(change.record)
      try transaction.careAudio.put(change.audio)
      return change.audio
    }
    FaultPoint.careStored.pass()
    if let stored, stored.state == .deleting { try await self.removeSound(stored) }
  }

  /// Makes one attempt to transcribe a recording.
  private func ask(_ audio: CareAudio) async -> TranscriptionResult {
    do throws(Failure) {
      guard let bytes = try await self.storage.sounds.read(audio.name) else {
        throw Failure(.dataLoss, "SOUND_MISSING", "The recording no longer exists.")
      }
      var request = TranscribeRequest()
      request.language = audio.language
      request.audio.size = UInt64(bytes.count)
      self.logger.debug("transcribing", metadata: ["record": "\(audio.record)"])
      // The same key for the same attempt: if a worker transcribes, the restarted hub finds its result.
      let context = CallContext(idempotencyKey: audio.attemptName, attachments: [bytes]) { [progress] heard in
        progress.withLock { $0[audio.record] = heard }
      }
      defer { self.progress.withLock { $0[audio.record] = nil } }
      return .words(try await self.transcriber.ask(request, context))
    } catch {
      return .failed(error)
    }
  }

  /// The next time at which sound needs automatic work; nil for never.
  private func nextMoment() async throws(Failure) -> Int64? {
    let clock = self.clock()
    return try await self.storage.read { view throws(Failure) in
      let kept = CareRules.kept(try view.care.settings())
      return try view.careAudio.all().compactMap {
        ($0.due ?? VoiceSweep.end(of: $0, keeping: kept, at: clock))?.moment(from: clock.wall)
      }
      .min()
    }
  }

  /// Handles recordings and sound whose deadline has passed.
  func sweep() async throws(Failure) {
    let clock = self.clock()
    let (all, kept) = try await self.storage.write { transaction throws(Failure) in
      try transaction.careAudio.follow(clock)
      return (try transaction.careAudio.all(), CareRules.kept(try transaction.care.settings()))
    }
    let removed = await self.storage.sounds.removeOrphans(except: Set(all.map(\.name)), now: clock.wall)
    if removed > 0 { self.logger.warning("removed orphaned recordings", metadata: ["count": "\(removed)"]) }
    for audio in all where VoiceSweep.end(of: audio, keeping: kept, at: clock)?.isDue(at: clock.wall) ?? false {
      switch audio.state {
      case .recording, .deleting: try await self.takeUp(audio)
      case .waiting: try await self.letGo(audio, reason: "sound_expired")
      }
    }
  }

  /// Drops sound that will not be transcribed: its entry waits for a memo.
  private func letGo(_ audio: CareAudio, reason: String) async throws(Failure) {
    let now = self.now()
    let isOver = try await self.storage.write { transaction throws(Failure) -> Bool in
      guard var current = try transaction.careAudio.of(audio.record), current == audio else { return false }
      var record = try transaction.care.require(audio.record)
      record.giveUpSound(reason: reason)
      if audio.state == .recording { record.audioBytes = 0 }
      record.updatedAt = .init(nanosecondsSince1970: now)
      try transaction.care.replace(record)
      current.state = .deleting
      try transaction.careAudio.put(current)
      return true
    }
    if isOver { try await self.removeSound(audio) }
  }
}

extension CareAudio {
  /// The name of the running or next attempt.
  var attemptName: String { "care-\(self.name)-\(self.attempt)" }
}

extension Transaction {
  /// Queues the complete sound of an entry for transcription, or drops it if a person has written the text meanwhile.
  ///
  /// - Parameters:
  ///   - size: The bytes of the sound if its recording ends now.
  ///   - reason: Why it waits if no worker can transcribe it; else empty.
  func queue(
    _ audio: inout CareAudio, size: UInt64? = nil, now: Int64, waitingFor reason: String
  ) throws(Failure) -> CareRecord {
    audio.state = .waiting
    audio.attempts = 0
    audio.nextAttemptAt = now
    var record = try self.care.require(audio.record)
    record.knownState = .pendingTranscription
    if let size { record.audioBytes = size }
    record.reason = reason
    record.language = audio.language
    record.attempts = 0
    record.updatedAt = .init(nanosecondsSince1970: now)
    if record.isWrittenByHand {
      record.settle()
      audio.state = .deleting
    }
    try self.careAudio.put(audio)
    try self.care.replace(record)
    return record
  }
}
