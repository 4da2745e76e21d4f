public import KithMessages

/// The events of some streams, in order and without gaps, for one consumer.
///
/// Dropping it ends the subscription.
public struct EventSequence: AsyncSequence, Sendable {
  /// What a subscriber gets.
  public typealias Element = StreamElement
  /// What ends a subscription before its consumer does.
  public typealias Failure = Bus.Failure

  private let take: @Sendable () async throws(Bus.Failure) -> [StreamElement]

  /// Makes a sequence.
  ///
  /// - Parameter take: Waits for elements and gives all that there are; none at the end.
  public init(_ take: @escaping @Sendable () async throws(Bus.Failure) -> [StreamElement]) { self.take = take }

  /// Makes the one iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(take: self.take) }

  /// Takes the elements out in batches, and gives them one at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// As of the sequence.
    public typealias Failure = Bus.Failure

    fileprivate let take: @Sendable () async throws(Bus.Failure) -> [StreamElement]
    private var batch: ArraySlice<StreamElement> = []

    fileprivate init(take: @escaping @Sendable () async throws(Bus.Failure) -> [StreamElement]) { self.take = take }

    /// The next element; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Bus.Failure) -> StreamElement? {
      if self.batch.isEmpty { self.batch = try await self.take()[...] }
      return self.batch.popFirst()
    }
  }
}

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
