/// What reading one card came to.
public struct FetchedCard: Sendable, Equatable {
  /// What became of it.
  public enum Outcome: Sendable, Equatable {
    /// The card. UTF-8, with the line ends that XML or the server left.
    case card([UInt8], fingerprint: String)
    /// The server has no such card (any more), or none that it can read itself.
    case gone
    /// It cannot be had. The others can.
    case failed(DAVError)
  }

  /// The resource, as it was asked for.
  public let href: Href
  /// What became of it.
  public let outcome: Outcome

  /// Makes the outcome of a card.
  public init(href: Href, outcome: Outcome) {
    self.href = href
    self.outcome = outcome
  }
}
