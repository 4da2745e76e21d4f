/// Passes values from one task to another, one at a time: the giver goes on when its value was taken.
package actor Handoff<Value: Sendable> {
  private(set) var offered: Value?
  private var giver: CheckedContinuation<Void, Never>?
  private var taker: CheckedContinuation<Value?, Never>?
  private var isClosed = false

  /// Makes one that is open.
  package init() {}

  /// Offers a value and waits until it is taken.
  ///
  /// - Throws: `CANCELLED` when nobody takes values any more.
  package func give(_ value: Value) async throws(Failure) {
    guard !self.isClosed else { throw .cancelled }
    if let taker = self.taker {
      self.taker = nil
      taker.resume(returning: value)
      return
    }
    self.offered = value
    await withCheckedContinuation { self.giver = $0 }
    if self.offered != nil { throw .cancelled }
  }

  /// Waits for the next value; nil when no more come.
  package func take() async -> Value? {
    guard !self.isClosed else { return nil }
    if let value = self.offered {
      self.offered = nil
      self.giver?.resume()
      self.giver = nil
      return value
    }
    return await withCheckedContinuation { self.taker = $0 }
  }

  /// Ends it for both sides; a value that is on offer is not taken any more.
  package func close() {
    self.isClosed = true
    self.taker?.resume(returning: nil)
    self.taker = nil
    self.giver?.resume()
    self.giver = nil
  }
}
