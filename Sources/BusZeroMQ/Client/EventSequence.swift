public import Bus

/// The events of some streams, in order and without gaps, for one consumer.
///
/// Dropping it ends the subscription.
public struct EventSequence: AsyncSequence, Sendable {
  public typealias Element = StreamElement
  public typealias Failure = Bus.Failure

  private let subscription: Subscription

  /// Makes the sequence of a subscription.
  public init(_ subscription: Subscription) { self.subscription = subscription }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: self.subscription) }

  /// Takes the elements out in batches, and gives them one at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    public typealias Failure = Bus.Failure

    let subscription: Subscription
    private var batch: ArraySlice<StreamElement> = []

    init(subscription: Subscription) { self.subscription = subscription }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Bus.Failure) -> StreamElement? {
      if self.batch.isEmpty { self.batch = try await self.subscription.take()[...] }
      return self.batch.popFirst()
    }
  }
}
