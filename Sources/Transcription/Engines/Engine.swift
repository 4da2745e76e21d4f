internal import Bus
internal import KithMessages

/// What turns sound into text.
protocol Engine: Sendable {
  /// Why it cannot be used at the moment; nil when it can, as far as can be told without sound.
  func problem() async -> String?

  /// Transcribes a recording in which somebody speaks.
  ///
  /// - Returns: What was understood, in the language that was asked for. The text may be empty.
  /// - Throws: `EngineFault`.
  func transcribe(_ sound: PreparedSound, _ language: LanguageTag) async throws(EngineFault) -> TranscribeReply
}

extension Engine {
  /// How long a recording may take: four times its own time, and four minutes for one that is short. That is enough for an
  /// engine which stands back (`ChildProcess.Limits.niceness`) behind other programs on a busy machine, and less than the five
  /// minutes for which `kith care voice` waits.
  static func limit(_ sound: PreparedSound) -> Duration { .seconds(4 * max(60, sound.duration)) }
}

/// Why an engine gave no transcript; with what it said, or what is wrong.
enum EngineFault: Error, Hashable {
  /// It may work later, without being repaired.
  case temporary(String)
  /// The machine or the server that it lives on is away: the recording was not tried.
  case unreachable(String)
  /// It, its model or the language is not there.
  case unavailable(String)
  /// It cannot read the recording.
  case badAudio(String)
  /// It did not do what it should: it crashed, was out of time or answered nonsense.
  case failed(String)
  /// The task was cancelled.
  case cancelled

  /// What it says; nil when the task was cancelled.
  var why: String? {
    switch self {
    case .temporary(let why), .unreachable(let why), .unavailable(let why), .badAudio(let why), .failed(let why): why
    case .cancelled: nil
    }
  }

  /// The same for a caller.
  ///
  /// - Parameter engine: Its name in the configuration.
  func failure(_ engine: String) -> Failure {
    switch self {
    case .temporary(let why):
      Failure(
        .unavailable, "ENGINE_BUSY",
        "The engine '\(engine)' cannot transcribe now: \(why). It is worth another try later.",
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
