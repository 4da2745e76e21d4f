internal import Bus
internal import KithMessages
internal import Storage

/// What came of transcribing the sound of an entry, and what it makes of the entry and its sound.
enum TranscriptionResult {
  case words(TranscribeReply)
  case failed(Failure)

  /// What is to be stored, in one transaction.
  struct Change: Equatable {
    var record: CareRecord
    var audio: CareAudio
  }

  /// The entry and its sound after an attempt that ended now.
  ///
  /// Words are stored as they were heard and wait for a person to review them; then, and only then, the sound may go. What
  /// failed for a while is tried again three times. Everything else waits for a memo, and the sound is kept beside it.
  func applied(to record: CareRecord, _ audio: CareAudio, now: Int64) -> Change {
    var change = Change(record: record, audio: audio)
    change.audio.attempts += 1
    change.record.attempts = UInt32(clamping: change.audio.attempts)
    change.record.updatedAt = .init(nanosecondsSince1970: now)
    change.record.clearNextAttemptAt()
    change.audio.nextAttemptAt = nil
    switch self {
    case .words(let reply) where reply.text.contains(where: { !$0.isWhitespace }):
      self.take(reply, into: &change)
    case .words(let reply):
      change.record.durationSeconds = reply.audioSeconds
      change.record.engine = reply.engine
      change.record.state = "needs_memo"
      change.record.reason = "no_speech"
    case .failed(let failure) where ["NO_WORKER", "JOB_DEAD"].contains(failure.reason):
      // No attempt: what is missing is a worker, or a person's word.
      let next = now + Self.waitForWorker
      change = Change(record: record, audio: audio)
      change.audio.nextAttemptAt = next
      change.record.nextAttemptAt = .init(nanosecondsSince1970: next)
      change.record.reason = failure.reason.lowercased()
    case .failed(let failure) where failure.isTransient && change.audio.attempts <= Self.pauses.count:
      let next = now + Self.pauses[change.audio.attempts - 1]
      change.audio.nextAttemptAt = next
      change.record.nextAttemptAt = .init(nanosecondsSince1970: next)
      change.record.reason = failure.reason.lowercased()
    case .failed(let failure):
      change.record.state = "needs_memo"
      change.record.reason = failure.reason.lowercased()
    }
    return change
  }

  private func take(_ reply: TranscribeReply, into change: inout Change) {
    let language = reply.language.isEmpty ? change.record.language : reply.language
    let spoken = SpokenCategory.head(of: reply.text, language: language)
    change.record.transcript = reply.text.limited(to: CareRules.textLimit)
    if change.record.category.isEmpty {
      change.record.category = (spoken.category ?? .freeMemo).rawValue
      if spoken.category != nil { change.record.transcript = spoken.text.limited(to: CareRules.textLimit) }
    }
    if spoken.category == nil, let suggestion = SpokenCategory.suggestion(for: reply.text, language: language),
      suggestion.rawValue != change.record.category
    {
      change.record.suggestedCategory = suggestion.rawValue
    }
    change.record.state = "transcribed"
    change.record.review = "needed"
    change.record.reason = ""
    change.record.engine = reply.engine
    change.record.confidence = reply.confidence
    change.record.durationSeconds = reply.audioSeconds
    if !reply.language.isEmpty { change.record.language = reply.language }
    change.record.hasAudio_p = false
    change.audio.state = .deleting
  }

  /// Nanoseconds until it is looked again whether a worker is there.
  private static let waitForWorker: Int64 = 60_000_000_000
  /// Nanoseconds before each further attempt.
  private static let pauses: [Int64] = [10_000_000_000, 60_000_000_000, 600_000_000_000]
}

extension String {
  fileprivate func limited(to count: Int) -> String {
    String(String.UnicodeScalarView(self.unicodeScalars.prefix(count)))
  }
}
