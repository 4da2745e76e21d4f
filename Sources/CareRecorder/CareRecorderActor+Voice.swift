internal import Bus
internal import KithMessages
internal import Storage

extension CareRecorderActor {
  /// Stores the entry before any sound, so that the entry is not lost if the sound is.
  func startVoice(_ request: StartVoiceRequest, _ context: CallContext) async throws(Failure) -> Answer<CareReply> {
    let clock = self.clock()
    let answer = try await self.storage.commit(StartVoiceRequest.self, context) { transaction throws(Failure) in
      try transaction.once(request.clientID) { () throws(Failure) in
        let time = request.hasOccurredAt ? request.occurredAt.nanosecondsSince1970 : clock.wall
        var record = try CareRecord(at: time, by: request.recorder, now: clock.wall)
        if !request.category.isEmpty { record.category = try CareRules.category(request.category).rawValue }
        try CareRules.name(request.language, field: "language")
        record.knownState = .recording
        record.hasAudio_p = true
        let settings = try transaction.care.settings()
        if record.recorder.isEmpty { record.recorder = try transaction.care.recorder(for: context.principal) }
        record.language = request.language.isEmpty ? Self.speech(settings.language) : request.language
        try transaction.care.insert(record)
        try transaction.careAudio.put(
          CareAudio(
            record: record.id, name: record.id, state: .recording, language: record.language, since: clock))
        return record
      }
    }
    FaultPoint.careBegun.pass()
    // Schedules the deadline, so that a recording ends even if its client disconnects.
    self.wake()
    return answer
  }

  /// Answers after the bytes are on disk.
  func appendVoice(
    _ request: AppendVoiceRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<AppendVoiceReply> {
    let id = request.id
    let audio = try await self.storage.read { view throws(Failure) in
      _ = try view.care.require(id)
      return try view.careAudio.of(id)
    }
    guard let audio, audio.state == .recording else { throw .notRecording }
    guard let bytes = context.attachments.first, context.attachments.count == 1 else {
      throw .invalid(field: "attachment", "send the bytes as one attachment.")
    }
    var reply = AppendVoiceReply()
    reply.nextOffset = try await self.storage.sounds.append(
      bytes, to: audio.name, at: request.offset, limit: CareRules.soundLimit)
    FaultPoint.careAppended.pass()
    let clock = self.clock()
    return try await self.storage.commit(AppendVoiceRequest.self, context) { [reply] transaction throws(Failure) in
      // The sweep of abandoned recordings may just have dropped this one because it has no sound.
      guard var audio = try transaction.careAudio.of(id), audio.state == .recording else { throw .notRecording }
      guard request.offset == 0 else { return reply }
      audio.since = clock
      try transaction.careAudio.put(audio)
      return reply
    }
  }

  func stopVoice(_ request: StopVoiceRequest, _ context: CallContext) async throws(Failure) -> Answer<CareReply> {
    let id = request.id
    let audio = try await self.storage.read { view throws(Failure) in
      _ = try view.care.require(id)
      return try view.careAudio.of(id)
    }
    var size: UInt64?
    if let audio, !request.discard { size = try await self.storage.sounds.finish(audio.name) }
    FaultPoint.careFinished.pass()
    let (now, reason) = (self.now(), self.waitReason)
    let answer = try await self.storage.commit(StopVoiceRequest.self, context) { [size] transaction throws(Failure) in
      var record = try transaction.care.require(id)
      guard var audio = try transaction.careAudio.of(id), audio.state == .recording else { return Self.reply(record) }
      if let size, size > 0 {
        return Self.reply(try transaction.queue(&audio, size: size, now: now, waitingFor: reason))
      }
      record.giveUpSound(reason: request.discard ? "discarded" : "no_sound")
      record.audioBytes = 0
      record.updatedAt = .init(nanosecondsSince1970: now)
      try transaction.care.replace(record)
      audio.state = .deleting
      try transaction.careAudio.put(audio)
      return Self.reply(record)
    }
    FaultPoint.careQueued.pass()
    try await self.removeWhatMayGo(of: id)
    self.wake()
    return answer
  }

  /// Transcribes kept sound again, starting with a first attempt.
  func transcribeAgain(
    _ request: TranscribeAgainRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<CareReply> {
    try CareRules.name(request.language, field: "language")
    let (now, reason) = (self.now(), self.waitReason)
    let answer = try await self.storage.commit(TranscribeAgainRequest.self, context) { transaction throws(Failure) in
      let record = try transaction.care.require(request.id)
      guard var audio = try transaction.careAudio.of(request.id), audio.state == .waiting else {
        throw .noSound(of: record)
      }
      if !request.language.isEmpty { audio.language = request.language }
      audio.attempt += 1
      return Self.reply(try transaction.queue(&audio, now: now, waitingFor: reason))
    }
    self.endAttempt(for: answer.reply.record)
    self.wake()
    return answer
  }

  /// Returns the sound of an entry as a blob that the client can fetch at once.
  func sound(of id: String) async throws(Failure) -> BlobRef {
    let (record, audio) = try await self.storage.read { view throws(Failure) in
      (try view.care.require(id), try view.careAudio.of(id))
    }
    if let audio, audio.state == .waiting,
      let ref = try await self.storage.sounds.lend(audio.name, at: self.clock().steady)
    {
      return ref
    }
    throw .noSound(of: record)
  }

  /// Unlinks the sound of an entry if it is stored as no longer needed.
  func removeWhatMayGo(of id: String) async throws(Failure) {
    let audio = try await self.storage.read { view throws(Failure) in try view.careAudio.of(id) }
    if let audio, audio.state == .deleting { try await self.removeSound(audio) }
  }

  static func reply(_ record: CareRecord) -> CareReply {
    var reply = CareReply()
    reply.record = record
    return reply
  }

  /// The speech language for a summary language.
  private static func speech(_ language: String) -> String {
    CareLanguage(named: language.isEmpty ? RuntimeLocations.variable("LANG") ?? "" : language) == .japanese
      ? "ja-JP" : "en-US"
  }
}

extension Failure {
  /// An entry has no sound to play or to transcribe, and why.
  fileprivate static func noSound(of record: CareRecord) -> Failure {
    let (why, sentence) =
      if record.knownState == .recording {
        ("recording", "This entry is still being recorded. Stop it first.")
      } else if record.language.isEmpty {
        ("typed", "This entry was typed, so it has no recording.")
      } else if !record.transcript.isEmpty {
        ("transcribed", "The recording of this entry was deleted, because its transcript is stored.")
      } else {
        ("gone", "The recording of this entry is gone. If it has no text, write a memo with `kith care edit`.")
      }
    return Failure(.failedPrecondition, "NO_SOUND", sentence, details: ["why": why])
  }
}
