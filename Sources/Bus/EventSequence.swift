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
