internal import Bus
internal import KithMessages
internal import Spoken
internal import Storage

/// The result of a transcription, and how it changes the entry and its sound.
enum TranscriptionResult {
  case words(TranscribeReply)
  case failed(Failure)

  /// What to store, in one transaction.
  struct Change: Equatable {
    var record: CareRecord
    var audio: CareAudio
  }

  /// The entry and its sound after an attempt that ended now.
  ///
  /// Words are stored as transcribed and wait for a review; only then may the sound be deleted. A temporary failure is
  /// retried three times. An attempt that could not be made is not a failure. Every other outcome waits for a memo and
  /// keeps the sound.
  func applied(to record: CareRecord, _ audio: CareAudio, now: Int64) -> Change {
    var change = Change(record: record, audio: audio)
    change.audio.attempts += 1
    // A worker has ended this attempt, so the next one gets a new number.
    change.audio.attempt += 1
    change.record.attempts = UInt32(clamping: change.audio.attempts)
    change.record.updatedAt = .init(nanosecondsSince1970: now)
    change.record.clearNextAttemptAt()
    change.audio.nextAttemptAt = nil
    switch self {
    case .words(let reply) where !TextLimit.transcript.holds(reply.text):
      // No speech of ten minutes is that long. A truncated text would replace the sound.
      change.record.knownState = .needsMemo
      change.record.reason = "transcript_too_long"
    case .words(let reply) where reply.text.contains(where: { !$0.isWhitespace }):
      self.take(reply, into: &change)
    case .words(let reply):
      self.note(reply, in: &change.record)
      change.record.knownState = .needsMemo
      change.record.reason = "no_speech"
    case .failed(let failure) where Self.notTried.contains(failure.reason):
      let next = now + Self.waitForOthers
      change.audio.attempts = audio.attempts
      change.record.attempts = record.attempts
      change.audio.nextAttemptAt = next
      change.record.nextAttemptAt = .init(nanosecondsSince1970: next)
      change.record.reason = Self.reason(of: failure)
    case .failed(let failure) where failure.reason == "JOB_DEAD":
      // The job is dead, and the sound waits, until a person retries one of them.
      change.audio.attempt = audio.attempt
      change.record.knownState = .needsMemo
      change.record.reason = Self.reason(of: failure)
    case .failed(let failure) where failure.isTransient && change.audio.attempts <= Self.pauses.count:
      let next = now + Self.pauses[change.audio.attempts - 1]
      change.audio.nextAttemptAt = next
      change.record.nextAttemptAt = .init(nanosecondsSince1970: next)
      change.record.reason = Self.reason(of: failure)
    case .failed(let failure):
      change.record.knownState = .needsMemo
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
    change.record.knownState = .transcribed
    change.record.knownReview = .needed
    change.record.reason = ""
    change.record.confidence = reply.confidence.isFinite ? min(max(reply.confidence, 0), 1) : 0
    change.record.hasAudio_p = false
    change.audio.state = .deleting
  }

  /// Copies the metadata of a reply, cut to plausible values: the worker may be on another machine.
  private func note(_ reply: TranscribeReply, in record: inout CareRecord) {
    record.engine = String(reply.engine.prefix(100))
    record.durationSeconds = reply.audioSeconds.isFinite ? max(reply.audioSeconds, 0) : 0
    if !reply.language.isEmpty { record.language = String(reply.language.prefix(100)) }
  }

  /// The reason for missing words as stored in an entry: the failure's reason, and after a colon the engine's own
  /// message.
  static func reason(of failure: Failure) -> String {
    let said = EngineWords.fit(failure.status.details["why"] ?? "")
    return failure.reason.lowercased() + (said.isEmpty ? "" : ": \(said)")
  }

  /// Reasons why no attempt was made: no worker, no room with a worker, or an engine's machine that is unreachable. The
  /// recording waits for them however long that takes.
  private static let notTried = ["NO_WORKER", "NO_CREDIT", "ENGINE_UNREACHABLE"]
  /// Nanoseconds until that is checked again.
  private static let waitForOthers: Int64 = 60_000_000_000
  /// Nanoseconds before each retry.
  private static let pauses: [Int64] = [10_000_000_000, 60_000_000_000, 600_000_000_000]

  /// The longest pause after this many attempts, in nanoseconds.
  fileprivate static func longestPause(after attempts: Int) -> Int64 {
    max(Self.waitForOthers, Self.pauses[min(max(attempts, 1), Self.pauses.count) - 1])
  }
}

extension CareAudio {
  /// When it is transcribed automatically; nil for never.
  var due: Due? {
    guard self.state == .waiting, let nextAttemptAt else { return nil }
    return Due(at: nextAttemptAt, atMost: TranscriptionResult.longestPause(after: self.attempts))
  }
}

/// An engine's error message, made safe to store and to log: the engine may be any program.
enum EngineWords {
  /// The largest number of code points.
  private static let limit = 160
  /// From this length on, a word of letters and digits may be a key.
  private static let longestWord = 24
  /// Names whose values are secrets.
  private static let secrets = ["token", "secret", "password", "passwd", "key", "authorization", "bearer"]

  /// The message on one line, cut to the length of a list entry, with paths, addresses and secrets replaced by
  /// ellipses.
  static func fit(_ text: String) -> String {
    var words: [Substring] = []
    var isSecret = false
    for word in text.split(whereSeparator: { $0.isWhitespace || $0.unicodeScalars.contains(where: Self.isInvisible) }) {
      let name = word.lowercased()
      let namesSecret = Self.secrets.contains { name.contains($0) }
      let isHidden = isSecret || word.contains("/") || word.contains("\\") || word.count > Self.longestWord
      // `token=x` is one word; in `token: x` and `Bearer x` the secret is the next word.
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
