internal import EventLoop
internal import KithMessages
internal import Wyoming

/// A speech server of Home Assistant's Wyoming protocol, anywhere in the home. The protocol has neither encryption nor a log-in.
struct WyomingEngine: Engine {
  /// The name or address of the server.
  let host: String
  /// Its port: 10300, as a rule.
  let port: Int

  private static let piece = 8192

  func problem() async -> String? {
    do throws(EngineFault) {
      let hasModel = try await self.ask([WyomingEvent(type: "describe")], within: .seconds(10)) { event in
        event.type == "info" ? (event.data.asr ?? []).contains { $0.installed ?? true } : nil
      }
      return hasModel ? nil : "\(self.host):\(self.port) has no speech recognition"
    } catch {
      return error.why ?? "the check was cancelled"
    }
  }

  func transcribe(_ sound: PreparedSound, _ language: LanguageTag) async throws(EngineFault) -> TranscribeReply {
    let samples: ArraySlice<UInt8>
    do throws(SoundFault) {
      samples = try SoundFile(path: sound.path, flags: SoundFile.reading).read().dropFirst(SpeechFormat.headerLength)
    } catch {
      throw .temporary("the recording cannot be read again")
    }
    let format = WyomingEvent.Values(rate: SpeechFormat.sampleRate, width: 2, channels: 1)
    var messages = [
      WyomingEvent(type: "transcribe", data: .init(language: language.language)),
      WyomingEvent(type: "audio-start", data: format),
    ]
    for start in stride(from: samples.startIndex, to: samples.endIndex, by: Self.piece) {
      let piece = samples[start..<min(start + Self.piece, samples.endIndex)]
      messages.append(WyomingEvent(type: "audio-chunk", data: format, payload: Array(piece)))
    }
    messages.append(WyomingEvent(type: "audio-stop"))
    let answer = Lock(WyomingTranscript(language: language.language))
    return try await self.ask(messages, within: Self.limit(sound)) { event throws(EngineFault) in
      try answer.withLock { answer throws(EngineFault) in try answer.take(event) }
    }
  }

  private func ask<Answer: Sendable>(
    _ messages: [WyomingEvent], within limit: Duration,
    _ take: @escaping @Sendable (WyomingEvent) throws(EngineFault) -> Answer?
  ) async throws(EngineFault) -> Answer {
    let stop: EventDescriptor
    do throws(LoopError) {
      stop = try EventDescriptor()
    } catch {
      throw .temporary("no descriptor is left")
    }
    let deadline = ContinuousClock.now + limit
    return try await ThreadExecutor.run(name: "kith.wyoming", stop: stop) { () throws(EngineFault) in
      try WyomingConnection(host: self.host, port: self.port, deadline: deadline, stop: stop.descriptor)
        .ask(messages, take)
    }
  }
}

/// Assembles a transcript from the messages of a server.
struct WyomingTranscript: Sendable {
  /// The language to assume if the server names none.
  let language: String
  private var pieces = ""

  init(language: String) { self.language = language }

  /// Takes a message.
  ///
  /// - Returns: The transcript if it is complete.
  /// - Throws: `failed` if the server reports an error.
  mutating func take(_ event: WyomingEvent) throws(EngineFault) -> TranscribeReply? {
    switch event.type {
    case "transcript":
      return self.reply(event.data.text ?? "", event.data.language)
    case "transcript-chunk":
      // Servers that stream may send the whole as `transcript` too.
      self.pieces += event.data.text ?? ""
      guard self.pieces.utf8.count <= TranscriptCheck.longestText else { throw .failed("its transcript is too long") }
      return nil
    case "transcript-stop":
      return self.reply(self.pieces, event.data.language)
    case "error":
      throw .failed(TranscriptCheck.excerpt(event.data.text ?? event.data.code ?? "it did not say why"))
    default:
      return nil
    }
  }

  private func reply(_ text: String, _ language: String?) -> TranscribeReply {
    var reply = TranscribeReply()
    reply.engineVersion = "wyoming"
    reply.language = language ?? self.language
    reply.text = text
    return reply
  }
}
