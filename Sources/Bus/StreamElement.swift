public import KithMessages

/// What a subscriber gets.
public enum StreamElement: Sendable, Hashable {
  /// One event; those of a stream come in the order of their numbers, without a gap and without a repetition, until a
  /// ``resync(_:_:)`` says otherwise.
  case event(LoggedEvent)
  /// The last event of one key, while the state of a stream is read as a whole.
  case snapshot(LoggedEvent)
  /// Everything up to here has been given: a snapshot or a repair has ended. To be saved, and passed to go on later.
  case position(StreamPosition)
  /// The order is broken: the snapshot that follows replaces what was known of the stream. It comes before every snapshot
  /// but the first.
  case resync(stream: String, Cause)

  /// Why a stream is read as a whole again.
  public enum Cause: String, Sendable, Hashable {
    /// The missing events are no longer kept.
    case compacted
    /// The log was recreated or restored from a backup.
    case newEpoch
    /// The hub is behind what was seen already: it runs on a restored copy.
    case hubBehind
    /// Three repairs in a minute: the stream is read as a whole every ten seconds until it calms down.
    case tooSlow
  }
}
