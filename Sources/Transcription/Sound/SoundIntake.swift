/// A recording in the form that engines read.
struct PreparedSound: Sendable {
  /// A WAV of 16 kHz, one channel and 16 bits with the shortest header.
  let path: String
  /// An empty folder for the engine's files.
  let directory: String
  /// Seconds.
  let duration: Double
  /// The levels of the recording, from which speech is detected.
  let gate: SpeechGate
}

/// Checks recordings, and converts them to the form that engines read.
struct SoundIntake: Sendable, Hashable {
  /// The longest accepted recording, in seconds.
  let maximumSeconds: Int
  /// Converts recordings of other formats.
  let converter: Converter

  private static let minimumSeconds = 0.3

  /// Writes a recording to a folder in the form that engines read.
  ///
  /// - Parameters:
  ///   - bytes: The recording.
  ///   - scratch: An empty folder for this recording only.
  /// - Throws: `SoundFault`.
  @concurrent
  func prepare(_ bytes: [UInt8], in scratch: ScratchDirectory) async throws(SoundFault) -> PreparedSound {
    guard bytes.count <= SoundFile.limit else { throw .tooLarge(limit: SoundFile.limit) }
    guard let format = SoundFormat(bytes) else { throw .unknownFormat }
    let samples = try await self.samples(bytes, format, scratch)
    let duration = Double(samples.count) / Double(SpeechFormat.sampleRate)
    guard duration >= Self.minimumSeconds else { throw .tooShort(duration) }
    guard duration <= Double(self.maximumSeconds) else { throw .tooLong(limit: self.maximumSeconds) }
    let path = scratch.file("recording.wav")
    try SoundFile.make(WAVWriter.file(samples), path: path)
    return PreparedSound(
      path: path, directory: try scratch.folder("engine"), duration: duration, gate: SpeechGate(samples))
  }

  private func samples(
    _ bytes: [UInt8], _ format: SoundFormat, _ scratch: ScratchDirectory
  ) async throws(SoundFault) -> [Int16] {
    if format == .wav, let layout = try Self.layout(bytes) {
      guard layout.sampleRate >= SpeechFormat.sampleRate else { throw .lowSampleRate(layout.sampleRate) }
      if layout.isReadyForSpeech { return layout.samples(in: bytes) }
    }
    // Only the header has the sample rate before Opus; a low one is likely of a call or a radio.
    if format == .ogg, let rate = OggOpus(bytes)?.inputSampleRate, (1..<SpeechFormat.sampleRate).contains(rate) {
      throw .lowSampleRate(rate)
    }
    let (source, target) = (scratch.file("original"), scratch.file("converted.wav"))
    try SoundFile.make(bytes, path: source)
    // One second more than accepted, so that a longer recording is detected.
    try await self.converter.convert(
      source, format, to: target, seconds: self.maximumSeconds + 1, directory: try scratch.folder("converter"))
    // A converter that succeeds and writes nothing found no sound.
    guard let converted = try? SoundFile(path: target, flags: SoundFile.reading).read() else { throw .undecodable }
    let layout = try WAVReader(sound: converted)
    guard layout.isReadyForSpeech else { throw .undecodable }
    return layout.samples(in: converted)
  }

  /// The layout of a WAV; nil if its encoding has to be converted.
  private static func layout(_ bytes: [UInt8]) throws(SoundFault) -> WAVReader? {
    do throws(WAVFault) {
      return try WAVReader(bytes)
    } catch .encoding {
      return nil
    } catch {
      throw .wav(error)
    }
  }
}
