/// Passes values from one task to another, one at a time. The sender continues when its value has been taken.
package actor Handoff<Value: Sendable> {
  private(set) var offered: Value?
  private var giver: CheckedContinuation<Void, Never>?
  private var taker: CheckedContinuation<Value?, Never>?
  private var isClosed = false

  /// Makes an open handoff.
  package init() {}

  /// Offers a value and waits until it is taken.
  ///
  /// - Throws: `CANCELLED` after ``close()``.
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

  /// Waits for the next value. Returns nil after ``close()``.
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

  /// Ends the handoff for both sides. A value that was offered and not taken is dropped.
  package func close() {
    self.isClosed = true
    self.taker?.resume(returning: nil)
    self.taker = nil
    self.giver?.resume()
    self.giver = nil
  }
}
