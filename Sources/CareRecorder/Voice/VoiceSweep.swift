internal import Bus
internal import KithMessages
internal import Storage

/// What is to be done at the start with the sound that the last process left, by where each was.
///
/// The row of an entry is written before its file, and the file goes after its words are stored. So whatever was interrupted,
/// entry and sound tell together how far it came.
struct VoiceSweep {
  /// What becomes of the sound of one entry.
  enum Action: Equatable {
    /// The words are stored: unlink the file, then forget the row.
    case remove
    /// The file is whole, or as whole as it will be: have it transcribed.
    case transcribe
    /// There is no file: the entry waits for a memo.
    case noteInterrupted
  }

  /// - Parameter size: Bytes of the file, named as whole; nil = there is none.
  static func action(for audio: CareAudio, size: UInt64?) -> Action {
    guard audio.state != .deleting else { return .remove }
    guard let size, size > 0 else { return .noteInterrupted }
    return .transcribe
  }
}
