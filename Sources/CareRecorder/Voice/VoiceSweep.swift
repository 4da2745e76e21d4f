internal import Bus
internal import KithMessages
internal import Storage

/// Decides on sound that the last process or a disconnected client left.
///
/// The row of an entry is written before its file, and the file goes after its words are stored. So whatever was interrupted,
/// entry and sound tell together how far it came.
enum VoiceSweep {
  /// What becomes of the sound of one entry.
  enum Action: Equatable {
    /// It is no longer needed: unlink the file, then forget the row.
    case remove
    /// The file is whole, or as whole as it will be: have it transcribed.
    case transcribe
    /// There is no sound, at most a file without a byte, which goes: the entry waits for a memo.
    case noteInterrupted
  }

  /// Nanoseconds after which a recording is over, whoever began it: what is transcribed is a third as long at most.
  static let longestRecording: Int64 = 30 * 60_000_000_000

  /// Nanoseconds after the start of the machine in which no sound goes for its age: the clock may not have been set yet.
  static let settling: Int64 = 10 * 60_000_000_000

  /// Deadline for a person to act; nil while automatic retries continue.
  ///
  /// - Parameters:
  ///   - kept: For how long sound is kept that could not be transcribed, in nanoseconds.
  ///   - clock: What the clocks show.
  static func end(of audio: CareAudio, keeping kept: Int64, at clock: ClockReading) -> Due? {
    switch audio.state {
    // Clocks are set back a little all the time, and nobody is cut short by that.
    case .recording: Due(at: audio.since.wall + Self.longestRecording, atMost: 2 * Self.longestRecording)
    // Sound that goes too early is lost.
    case .waiting:
      audio.nextAttemptAt == nil
        ? Due(at: max(audio.since.wall + kept, clock.wall + Self.settling - clock.steady), atMost: .max) : nil
    // It was to go at once.
    case .deleting: Due(at: audio.since.wall, atMost: 0)
    }
  }

  /// - Parameter size: Bytes of the file, named as whole; nil = there is none.
  static func action(for audio: CareAudio, size: UInt64?) -> Action {
    guard audio.state != .deleting else { return .remove }
    guard let size, size > 0 else { return .noteInterrupted }
    return .transcribe
  }
}
