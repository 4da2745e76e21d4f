public import Bus
internal import EventLoop
public import KithMessages
public import Transfer

/// Turns sound into text by one of several engines, chosen by language. It may run on another machine, and stores nothing.
///
/// A recording may be in any format that `SoundFormat` knows; others than WAV of 16 kHz are converted first. Recordings
/// are transcribed one after another. A recording without speech goes to no engine, because engines invent words for silence.
public struct TranscriberService: Sendable {
  /// Returns the bytes of a blob.
  public typealias BlobReader = @Sendable (BlobRef) async throws(Failure) -> [UInt8]

  private let engines: EngineTable
  private let intake: SoundIntake
  private let scratch: ScratchSpace
  private let queue = AsyncLock()
  private let readBlob: BlobReader?

  /// Makes a service. It starts nothing before the first recording.
  ///
  /// - Parameters:
  ///   - settings: The engines and their folder.
  ///   - http: Carries the requests to whisper-server; nil makes that engine unavailable.
  ///   - readBlob: Reads recordings that a request names; nil if they have to be attached.
  /// - Throws: `INVALID_ARGUMENT` for invalid settings.
  public init(
    _ settings: TranscriptionSettings, http: HTTPClient? = nil, readBlob: BlobReader? = nil
  ) throws(Failure) {
    try settings.check()
    self.engines = EngineTable(settings.engines, http: http)
    self.intake = SoundIntake(maximumSeconds: settings.maximumSeconds, converter: settings.converter)
    self.scratch = ScratchSpace(path: settings.directory)
    self.readBlob = readBlob
  }

  /// The package without which only WAV is transcribed; nil if nothing is missing.
  public var missingConverter: String? { self.intake.converter.missing }

  /// Its methods.
  public var routes: [Route] {
    [
      Route(TranscribeRequest.self) { request, context throws(Failure) in
        try await self.transcribe(request, context)
      },
      Route(EnginesRequest.self) { _, _ throws(Failure) in await self.describe() },
    ]
  }

  /// Transcribes one recording.
  ///
  /// - Throws: `FAILED_PRECONDITION` with `NO_ENGINE`, `ENGINE_UNAVAILABLE` or `CONVERTER_MISSING` if something has to be set
  ///   up, `INVALID_ARGUMENT/BAD_AUDIO` for an unusable recording, `UNAVAILABLE` if a retry may succeed, `INTERNAL` if an engine
  ///   failed.
  private func transcribe(
    _ request: TranscribeRequest, _ context: CallContext
  ) async throws(Failure) -> TranscribeReply {
    guard let language = LanguageTag(request.language) else {
      throw .invalid(field: "language", "write it like \"en-US\" or \"ja\"")
    }
    let entry = try self.engines.engine(for: language)
    let recording = try await self.recording(request, context.attachments)
    return try await self.queue.withLock { () async throws(Failure) in
      let started = ContinuousClock.now
      // Kept until the engine has ended, and removed with its last reference.
      let scratch: ScratchDirectory
      let sound: PreparedSound
      do throws(SoundFault) {
        scratch = try await self.scratch.make()
        sound = try await self.intake.prepare(recording, in: scratch)
      } catch {
        throw error.failure
      }
      defer { withExtendedLifetime(scratch) {} }
      var reply = TranscribeReply()
      reply.language = language.text
      if sound.gate.hasSpeech {
        context.report(stage: "transcribing", note: entry.name)
        do throws(EngineFault) {
          let answer = try await entry.engine.transcribe(sound, language)
          reply = try TranscriptCheck.checked(answer, language, sound)
        } catch {
          throw error.failure(entry.name)
        }
        reply.engine = entry.name
      }
      reply.audioSeconds = Float(sound.duration)
      reply.warnings = sound.gate.warnings
      reply.elapsedSeconds = Float((ContinuousClock.now - started) / .seconds(1))
      return reply
    }
  }

  private func recording(_ request: TranscribeRequest, _ attachments: [[UInt8]]) async throws(Failure) -> [UInt8] {
    if let attached = attachments.first { return attached }
    guard request.hasAudio, let readBlob else {
      throw .invalid(field: "audio", "attach the recording")
    }
    return try await readBlob(request.audio)
  }

  /// The engines, each with what keeps it from working.
  public func describe() async -> EnginesReply {
    var reply = EnginesReply()
    for entry in self.engines.entries {
      var info = EngineInfo()
      info.name = entry.name
      info.languages = entry.languages
      info.problem = await entry.engine.problem() ?? ""
      reply.engines.append(info)
    }
    return reply
  }
}

extension SpeechGate {
  /// The warnings about a recording, by the names of `TranscribeReply.warnings`.
  fileprivate var warnings: [String] {
    guard self.hasSpeech else { return ["no_speech"] }
    return (self.isNoisy ? ["noisy"] : []) + (self.isClipped ? ["clipped"] : [])
  }
}
