public import Bus
internal import CivilTime
public import KithMessages
public import Logging
public import Storage

/// Records home care, spoken or typed, and never loses what was recorded.
///
/// A spoken entry is a row before its first byte of sound, and its sound is a file until its words are stored. One recording
/// is transcribed at a time, in the background; whatever fails waits, with its reason, and the rest goes on.
public actor CareRecorderActor {
  let storage: StorageActor
  let transcriber: any Port
  let now: @Sendable () -> Int64
  let logger: Logger
  /// Waits until an instant, in nanoseconds since 1970, or until it is cancelled.
  private let sleep: @Sendable (Int64) async -> Void
  private var work: Task<Void, Never>?
  private var pause: Task<Void, Never>?
  private var isStopping = false
  private var isWanted = false

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - transcriber: The way to `kith.v1.Transcriber`.
  ///   - now: Gives the time of day in nanoseconds since 1970.
  ///   - sleep: Waits until such a time.
  public init(
    storage: StorageActor, transcriber: any Port, logger: Logger,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
    sleep: @escaping @Sendable (Int64) async -> Void = { instant in
      // A clock that is set during the wait makes it longer by at most a minute.
      let span = min(max(0, instant - WallClock.nanoseconds()), 60_000_000_000)
      try? await Task.sleep(for: .nanoseconds(span))
    }
  ) {
    self.storage = storage
    self.transcriber = transcriber
    self.logger = logger
    self.now = now
    self.sleep = sleep
  }

  /// Takes up what the last process left, and goes on transcribing.
  ///
  /// - Throws: A failure of the store.
  public func start() async throws(Failure) {
    let left = try await self.storage.read { view throws(Failure) in try view.careAudio.all() }
    for audio in left { try await self.takeUp(audio) }
    try await self.takeUpRevived()
    self.wake()
  }

  /// Takes notice of what was committed: a person may have had a job tried again that rested.
  public nonisolated func see(_ events: [LoggedEvent]) {
    let isAny = events.contains { event in
      event.header.stream == EventStream.jobs.name && event.event.job.state == "queued"
        && event.event.job.capability == TranscribeRequest.method.name
    }
    guard isAny else { return }
    Task {
      do throws(Failure) {
        try await self.takeUpRevived()
      } catch {
        self.logger.error("a recording waits for the store", metadata: ["reason": "\(error.reason)"])
      }
    }
  }

  /// Has recordings transcribed whose jobs rested and do no more: each by its own job, which has the number of its
  /// attempt.
  private func takeUpRevived() async throws(Failure) {
    let now = self.now()
    let isAny = try await self.storage.write { transaction throws(Failure) -> Bool in
      var isAny = false
      for var audio in try transaction.careAudio.all() where audio.state == .waiting && audio.nextAttemptAt == nil {
        let key = JobRecord.key(TranscribeRequest.method, named: audio.attemptName)
        guard try transaction.jobs.kept(under: key)?.state == .queued else { continue }
        _ = try transaction.queue(&audio, now: now)
        isAny = true
      }
      return isAny
    }
    if isAny { self.wake() }
  }

  /// Ends the transcription under way; it begins again at the next start.
  public func stop() async {
    self.isStopping = true
    self.pause?.cancel()
    self.work?.cancel()
    await self.work?.value
  }

  /// Has what waits transcribed, beginning now.
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
    case .transcribe: try await self.queue(audio.record)
    case .noteInterrupted: try await self.letGo(audio, reason: "interrupted")
    }
  }

  /// Notes that a whole recording is to be transcribed now.
  private func queue(_ id: String) async throws(Failure) {
    let now = self.now()
    try await self.storage.write { transaction throws(Failure) in
      guard var audio = try transaction.careAudio.of(id), audio.state == .recording else { return }
      _ = try transaction.queue(&audio, now: now)
    }
  }

  /// Unlinks sound that was stored as no longer needed. Each step may be repeated.
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
    // Woken between the last look and here.
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
    let result: TranscriptionResult
    do throws(Failure) {
      guard let bytes = try await self.storage.sounds.read(audio.name) else {
        throw Failure(.dataLoss, "SOUND_MISSING", "The recording is not there any more.")
      }
      var request = TranscribeRequest()
      request.language = audio.language
      request.audio.size = UInt64(bytes.count)
      self.logger.debug("transcribing", metadata: ["record": "\(audio.record)"])
      // Where a worker transcribes, a restart finds its work again.
      let context = CallContext(idempotencyKey: audio.attemptName, attachments: [bytes])
      result = .words(try await self.transcriber.ask(request, context))
    } catch {
      guard !Task.isCancelled, !self.isStopping else { return }
      result = .failed(error)
    }
    FaultPoint.careTranscribed.pass()
    let now = self.now()
    let stored = try await self.storage.write { transaction throws(Failure) -> CareAudio? in
      // Meanwhile somebody may have written a memo, decided to do without, or said that it is in another language.
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

  /// When something is to be done about sound by itself; nil = never.
  private func nextMoment() async throws(Failure) -> Int64? {
    let now = self.now()
    return try await self.storage.read { view throws(Failure) in
      let kept = CareRules.kept(try view.care.settings())
      return try view.careAudio.all().compactMap {
        ($0.due ?? VoiceSweep.end(of: $0, keeping: kept))?.moment(from: now)
      }
      .min()
    }
  }

  /// Deals with sound that nobody has looked after for too long.
  private func sweep() async throws(Failure) {
    let (all, kept) = try await self.storage.read { view throws(Failure) in
      (try view.careAudio.all(), CareRules.kept(try view.care.settings()))
    }
    let now = self.now()
    let removed = await self.storage.sounds.removeStrangers(except: Set(all.map(\.name)), now: now)
    if removed > 0 { self.logger.warning("removed recordings that no entry knows", metadata: ["count": "\(removed)"]) }
    for audio in all where VoiceSweep.end(of: audio, keeping: kept)?.isDue(at: now) ?? false {
      switch audio.state {
      case .recording, .deleting: try await self.takeUp(audio)
      case .waiting: try await self.letGo(audio, reason: "sound_expired")
      }
    }
  }

  /// Lets sound go that nobody will transcribe: its entry waits for a memo.
  private func letGo(_ audio: CareAudio, reason: String) async throws(Failure) {
    let now = self.now()
    let isOver = try await self.storage.write { transaction throws(Failure) -> Bool in
      guard var current = try transaction.careAudio.of(audio.record), current == audio else { return false }
      var record = try transaction.care.require(audio.record)
      record.giveUpSound(reason: reason)
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
  /// Names the attempt that is under way or comes next.
  var attemptName: String { "care-\(self.name)-\(self.attempt)" }
}

extension Transaction {
  /// Notes that the sound of an entry is whole and waits to be transcribed; or may go, where somebody has written
  /// meanwhile what was said.
  func queue(_ audio: inout CareAudio, now: Int64) throws(Failure) -> CareRecord {
    audio.state = .waiting
    audio.attempts = 0
    audio.nextAttemptAt = now
    var record = try self.care.require(audio.record)
    record.state = "pending_transcription"
    record.reason = ""
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
