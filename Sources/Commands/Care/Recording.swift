internal import Bus
internal import KithMessages

/// Sound that is taken piece by piece until it ends, Ctrl-C is pressed or the time is over.
struct Recording {
  let sound: any SoundInput
  /// The longest recording, in seconds; it does not bound a file.
  let seconds: Int
  let isFromMicrophone: Bool

  /// Takes the sound as it arrives, and shows clock and level on a terminal. Nothing is taken of sound without a sample.
  ///
  /// - Throws: What `take` throws, `NOT_FOUND/FILE_UNREADABLE`, `FAILED_PRECONDITION/NOTHING_RECORDED`.
  func run(_ session: Session, take: ([UInt8]) async throws(Failure) -> Void) async throws(Failure) {
    let (sound, seconds, isFromMicrophone) = (self.sound, self.seconds, self.isFromMicrophone)
    let signals = Interrupt.catching { sound.end() }
    defer { signals.end() }
    let meter = RecordingMeter(session, limit: seconds)
    let isShown = isFromMicrophone && session.console.isTerminal && !session.isJSON
    if isFromMicrophone, !isShown, !session.isJSON {
      session.console.tell(session.language("Recording. Ctrl-C ends it.", "録音中です。Ctrl-C で終わります。"))
    }
    let drawing = isShown ? Task { await meter.run() } : nil
    let timer = Task {
      try await Task.sleep(for: .seconds(seconds))
      if isFromMicrophone { sound.end() }
    }
    var failure: Failure?
    do throws(Failure) {
      var head: [UInt8]? = []
      while let piece = try await sound.next() {
        meter.take(piece)
        guard let held = head.map({ $0 + piece }) else {
          try await take(piece)
          continue
        }
        head = WaveHeader.hasSamples(held) ? nil : held
        if head == nil { try await take(held) }
      }
      guard head == nil else { throw self.nothing(session.language) }
    } catch {
      failure = error
    }
    timer.cancel()
    drawing?.cancel()
    await drawing?.value
    if let failure { throw failure }
  }

  private func nothing(_ say: Language) -> Failure {
    Failure(
      .failedPrecondition, "NOTHING_RECORDED",
      self.isFromMicrophone
        ? say(
          "Nothing was recorded. Check the microphone: arecord --list-devices",
          "何も録音されていません。マイクを確認してください: arecord --list-devices")
        : say("There is no sound in the file. Check it.", "ファイルに音が入っていません。ファイルを確認してください。")
    ).worded
  }
}

/// The head of a WAV of one sound chunk, as recorders write it.
enum WaveHeader {
  private static let size = 44

  /// Whether there is sound in the beginning of a recording. Of another format, kithd sees it.
  static func hasSamples(_ sound: [UInt8]) -> Bool {
    guard sound.starts(with: "RIFF".utf8) else { return !sound.isEmpty }
    // Where the chunk of the samples is the last and empty, its head ends the file.
    return sound.count > Self.size && !sound.suffix(8).starts(with: "data".utf8)
  }

  /// The sound with its true sizes: a recorder that writes to a pipe cannot know them.
  static func corrected(_ sound: [UInt8]) -> [UInt8] {
    guard sound.count > Self.size, sound.starts(with: "RIFF".utf8), sound[36...].starts(with: "data".utf8) else {
      return sound
    }
    var corrected = sound
    for (offset, count) in [(4, sound.count - 8), (40, sound.count - Self.size)] {
      for byte in 0..<4 { corrected[offset + byte] = UInt8(truncatingIfNeeded: count >> (8 * byte)) }
    }
    return corrected
  }
}
