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
  /// failed for a while is tried again three times; what could not be tried is no failure. Everything else waits for a
  /// memo, and the sound is kept beside it.
  func applied(to record: CareRecord, _ audio: CareAudio, now: Int64) -> Change {
    var change = Change(record: record, audio: audio)
    change.audio.attempts += 1
    // What a worker has ended is over: the next time is another attempt.
    change.audio.attempt += 1
    change.record.attempts = UInt32(clamping: change.audio.attempts)
    change.record.updatedAt = .init(nanosecondsSince1970: now)
    change.record.clearNextAttemptAt()
    change.audio.nextAttemptAt = nil
    switch self {
    case .words(let reply) where !TextLimit.transcript.holds(reply.text):
      // Nobody speaks so much in ten minutes. Cut, it would be kept in the place of the sound.
      change.record.state = "needs_memo"
      change.record.reason = "transcript_too_long"
    case .words(let reply) where reply.text.contains(where: { !$0.isWhitespace }):
      self.take(reply, into: &change)
    case .words(let reply):
      self.note(reply, in: &change.record)
      change.record.state = "needs_memo"
      change.record.reason = "no_speech"
    case .failed(let failure) where Self.notTried.contains(failure.reason):
      let next = now + Self.waitForOthers
      change.audio.attempts = audio.attempts
      change.record.attempts = record.attempts
      change.audio.nextAttemptAt = next
      change.record.nextAttemptAt = .init(nanosecondsSince1970: next)
      change.record.reason = Self.reason(of: failure)
    case .failed(let failure) where failure.reason == "JOB_DEAD":
      // The job rests, and the sound beside it, until a person has one of them tried again.
      change.audio.attempt = audio.attempt
      change.record.state = "needs_memo"
      change.record.reason = Self.reason(of: failure)
    case .failed(let failure) where failure.isTransient && change.audio.attempts <= Self.pauses.count:
      let next = now + Self.pauses[change.audio.attempts - 1]
      change.audio.nextAttemptAt = next
      change.record.nextAttemptAt = .init(nanosecondsSince1970: next)
      change.record.reason = Self.reason(of: failure)
    case .failed(let failure):
      change.record.state = "needs_memo"
      change.record.reason = Self.reason(of: failure)
    }
    return change
  }

  private func take(_ reply: TranscribeReply, into change: inout Change) {
    self.note(reply, in: &change.record)
    let language = change.record.language
    let spoken = SpokenCategory.head(of: reply.text, language: language)
    change.record.transcript = reply.text
    if change.record.category.isEmpty {
      change.record.category = (spoken.category ?? .freeMemo).rawValue
      if spoken.category != nil { change.record.transcript = spoken.text }
    }
    if spoken.category == nil, let suggestion = SpokenCategory.suggestion(for: reply.text, language: language),
      suggestion.rawValue != change.record.category
    {
      change.record.suggestedCategory = suggestion.rawValue
    }
    change.record.state = "transcribed"
    change.record.review = "needed"
    change.record.reason = ""
    change.record.confidence = reply.confidence.isFinite ? min(max(reply.confidence, 0), 1) : 0
    change.record.hasAudio_p = false
    change.audio.state = .deleting
  }

  /// Takes over what the answer says of itself, as far as it can be so: whoever transcribes may be on another machine.
  private func note(_ reply: TranscribeReply, in record: inout CareRecord) {
    record.engine = String(reply.engine.prefix(100))
    record.durationSeconds = reply.audioSeconds.isFinite ? max(reply.audioSeconds, 0) : 0
    if !reply.language.isEmpty { record.language = String(reply.language.prefix(100)) }
  }

  /// Why there are no words, as an entry says it: the failure's reason, and behind a colon what the engine said of it.
  static func reason(of failure: Failure) -> String {
    let said = EngineWords.fit(failure.status.details["why"] ?? "")
    return failure.reason.lowercased() + (said.isEmpty ? "" : ": \(said)")
  }

  /// Why a recording was not tried at all: what is missing is a worker, or room with one, or the machine of an engine.
  /// However long that takes, it is tried when they are back.
  private static let notTried = ["NO_WORKER", "NO_CREDIT", "ENGINE_UNREACHABLE"]
  /// Nanoseconds until it is looked again whether they are.
  private static let waitForOthers: Int64 = 60_000_000_000
  /// Nanoseconds before each further attempt.
  private static let pauses: [Int64] = [10_000_000_000, 60_000_000_000, 600_000_000_000]

  /// The longest pause after so many attempts, in nanoseconds.
  fileprivate static func longestPause(after attempts: Int) -> Int64 {
    max(Self.waitForOthers, Self.pauses[min(max(attempts, 1), Self.pauses.count) - 1])
  }
}

extension CareAudio {
  /// When it is to be transcribed by itself; nil = it is not.
  var due: Due? {
    guard self.state == .waiting, let nextAttemptAt else { return nil }
    return Due(at: nextAttemptAt, atMost: TranscriptionResult.longestPause(after: self.attempts))
  }
}

/// What an engine says of a failure, as far as others may read it: it is kept in the store and written to the log, and it comes
/// from a program that anybody may have written.
enum EngineWords {
  /// Code points that are kept.
  private static let limit = 160
  /// From this length on, a word of letters and digits may be a key.
  private static let longestWord = 24
  /// Names of what is nobody's business, wherever a value follows them.
  private static let secrets = ["token", "secret", "password", "passwd", "key", "authorization", "bearer"]

  /// One line without paths, addresses and secrets, which become an ellipsis each, cut to what fits a list.
  static func fit(_ text: String) -> String {
    var words: [Substring] = []
    var isSecret = false
    for word in text.split(whereSeparator: { $0.isWhitespace || $0.unicodeScalars.contains(where: Self.isInvisible) }) {
      let name = word.lowercased()
      let namesSecret = Self.secrets.contains { name.contains($0) }
      let isHidden = isSecret || word.contains("/") || word.contains("\\") || word.count > Self.longestWord
      // `token=x` is one word; of `token: x` and `Bearer x` the next one is it.
      let hasValue = namesSecret && word.dropLast().contains(where: { "=:".contains($0) })
      if !(words.last == "…" && (isHidden || hasValue)) { words.append(isHidden || hasValue ? "…" : word) }
      isSecret = namesSecret && !hasValue && (name == "bearer" || name.hasSuffix(":") || name.hasSuffix("="))
    }
    let line = words.joined(separator: " ")
    guard line.unicodeScalars.count > Self.limit else { return line }
    return String(String.UnicodeScalarView(line.unicodeScalars.prefix(Self.limit - 1))) + "…"
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
