/// One thing that discovery tried, in words for a person whose account is not found.
public struct DiscoveryStep: Sendable, Hashable, CustomStringConvertible {
  /// What was asked, and for what.
  public let asked: String
  /// What came back.
  public let answer: String

  /// Both, as a line.
  public var description: String { "\(self.asked): \(self.answer)" }
}
