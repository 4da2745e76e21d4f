internal import Bus
internal import KithMessages

/// A speech engine: turns sound into text.
protocol Engine: Sendable {
  /// Why it cannot be used now; nil if no problem shows without a recording.
  func problem() async -> String?

  /// Transcribes a recording with speech.
  ///
  /// - Returns: The transcript in the requested language. Its text may be empty.
  /// - Throws: `EngineFault`.
  func transcribe(_ sound: PreparedSound, _ language: LanguageTag) async throws(EngineFault) -> TranscribeReply
}

extension Engine {
  /// The time limit of a transcription: four times the length of the recording, at least four minutes. That is enough for an engine
  /// of low priority (`ChildProcess.Limits.niceness`) on a busy machine, and less than the five minutes for which `kith care voice`
  /// waits.
  static func limit(_ sound: PreparedSound) -> Duration { .seconds(4 * max(60, sound.duration)) }
}

/// Why an engine gave no transcript; with its message, or the problem.
enum EngineFault: Error, Hashable {
  /// It may work later, without being repaired.
  case temporary(String)
  /// Its machine or server is unreachable; the recording was not sent.
  case unreachable(String)
  /// The engine, its model or the language is missing.
  case unavailable(String)
  /// It cannot read the recording.
  case badAudio(String)
  /// It crashed, exceeded its time limit, or sent an invalid answer.
  case failed(String)
  /// The task was cancelled.
  case cancelled

  /// The message; nil if the task was cancelled.
  var why: String? {
    switch self {
    case .temporary(let why), .unreachable(let why), .unavailable(let why), .badAudio(let why), .failed(let why): why
    case .cancelled: nil
    }
  }

  /// The failure for the caller.
  ///
  /// - Parameter engine: The engine's name in the configuration.
  func failure(_ engine: String) -> Failure {
    switch self {
    case .temporary(let why):
      Failure(
        .unavailable, "ENGINE_BUSY",
        "The engine '\(engine)' cannot transcribe now: \(why). Try again later.",
        details: ["engine": engine, "why": why])
    case .unreachable(let why):
      Failure(
        .unavailable, "ENGINE_UNREACHABLE",
        "The engine '\(engine)' is unreachable: \(why). kithd retries when it is back.",
        details: ["engine": engine, "why": why])
    case .unavailable(let why):
      Failure(
        .failedPrecondition, "ENGINE_UNAVAILABLE", "The engine '\(engine)' cannot be used: \(why).",
        details: ["engine": engine, "why": why])
    case .badAudio(let why):
      Failure(
        .invalidArgument, "BAD_AUDIO", "The engine '\(engine)' cannot read the recording: \(why).",
        details: ["engine": engine, "why": why])
    case .failed(let why):
      Failure(
        .internal, "ENGINE_FAILED", "The engine '\(engine)' failed: \(why). Try again, or write a memo.",
        details: ["engine": engine, "why": why])
    case .cancelled: .cancelled
    }
  }
}
