internal import Bus

/// Sound that is taken piece by piece until it ends, Ctrl-C is pressed or the time is over.
struct Recording {
  let sound: any SoundInput
  /// The longest recording, in seconds; it does not bound a file.
  let seconds: Int
  let isFromMicrophone: Bool

  /// Takes the sound as it arrives, and shows clock and level on a terminal.
  ///
  /// - Throws: What `take` throws, and `NOT_FOUND/FILE_UNREADABLE`.
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
      while let piece = try await sound.next() {
        meter.take(piece)
        try await take(piece)
      }
    } catch {
      failure = error
    }
    timer.cancel()
    drawing?.cancel()
    await drawing?.value
    if let failure { throw failure }
  }
}
