internal import Bus
internal import KithMessages
internal import Storage

/// Decides what to do with sound that the last process or a disconnected client left.
///
/// The row of an entry is written before its file, and the file is deleted after its words are stored. Entry and sound
/// together therefore show where the work was interrupted.
enum VoiceSweep {
  /// What happens to the sound of one entry.
  enum Action: Equatable {
    /// It is no longer needed: unlink the file, then forget the row.
    case remove
    /// The file will not grow any more: transcribe its bytes.
    case transcribe(UInt64)
    /// There is no sound, or only an empty file, which is deleted: the entry waits for a memo.
    case noteInterrupted
  }

  /// Nanoseconds after which a recording is over. The longest transcribed recording is a third of that.
  static let longestRecording: Int64 = 30 * 60_000_000_000

  /// Nanoseconds after the machine's start in which no sound is deleted for its age: the clock may not be set yet.
  static let settling: Int64 = 10 * 60_000_000_000

  /// Deadline for a person to act; nil while automatic retries continue.
  ///
  /// - Parameters:
  ///   - kept: How long sound that could not be transcribed is kept, in nanoseconds.
  ///   - clock: The present times of the clocks.
  static func end(of audio: CareAudio, keeping kept: Int64, at clock: ClockReading) -> Due? {
    switch audio.state {
    // Clocks are often set back a little, which must not cut a recording short.
    case .recording: Due(at: audio.since.wall + Self.longestRecording, atMost: 2 * Self.longestRecording)
    // The earliest safe time: deleted sound cannot be restored.
    case .waiting:
      audio.nextAttemptAt == nil
        ? Due(at: max(audio.since.wall + kept, clock.wall + Self.settling - clock.steady), atMost: .max) : nil
    // To be deleted at once.
    case .deleting: Due(at: audio.since.wall, atMost: 0)
    }
  }

  /// - Parameter size: Bytes of the file, staged or complete; nil if there is none.
  static func action(for audio: CareAudio, size: UInt64?) -> Action {
    guard audio.state != .deleting else { return .remove }
    guard let size, size > 0 else { return .noteInterrupted }
    return .transcribe(size)
  }
}
