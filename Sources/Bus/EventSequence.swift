public import KithMessages

/// The events of the subscribed streams, in order and without gaps, for one consumer.
///
/// ```swift
/// for try await element in try client.events(["contacts"]) {
///   switch element {
///   case .event(let event), .snapshot(let event): apply(event)
///   case .position(let position): save(position)
///   case .resync(let stream, _): clear(stream)
///   }
/// }
/// ```
///
/// Dropping it ends the subscription.
public struct EventSequence: AsyncSequence, Sendable {
  /// An element of a subscription.
  public typealias Element = StreamElement
  /// The error that ends a subscription.
  public typealias Failure = Bus.Failure

  private let take: @Sendable () async throws(Bus.Failure) -> [StreamElement]

  /// Makes a sequence.
  ///
  /// - Parameter take: Waits until elements have arrived and returns all of them; returns an empty array at the end.
  public init(_ take: @escaping @Sendable () async throws(Bus.Failure) -> [StreamElement]) { self.take = take }

  /// Makes the one iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(take: self.take) }

  /// Reads the elements in batches and returns them one at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// The error of the sequence.
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

/// An element of a subscription.
///
/// ```swift
/// if case .position(let position) = element { print(position.stream, position.seq) }
/// ```
public enum StreamElement: Sendable, Hashable {
  /// One event. The events of a stream arrive in the order of their numbers, without gaps and without repetitions, until
  /// a ``resync(stream:_:)``.
  case event(LoggedEvent)
  /// The last event of one key, as part of a snapshot.
  case snapshot(LoggedEvent)
  /// A snapshot or a repair has ended. Save this position and pass it to the next subscription to continue from here.
  case position(StreamPosition)
  /// A new snapshot follows and replaces everything that is known of the stream. Precedes every snapshot but the first.
  case resync(stream: String, Cause)

  /// Why a new snapshot is read.
  public enum Cause: String, Sendable, Hashable {
    /// The missing events are no longer kept.
    case compacted
    /// The log was recreated or restored from a backup.
    case newEpoch
    /// The hub's position is lower than one that was already received: its store was restored from a copy.
    case hubBehind
    /// Three repairs within a minute; a snapshot is read every ten seconds until the repairs stop.
    case tooSlow
  }
}
