/// One thing of the household's programs that somebody looked at, and how it is.
public struct Finding: Sendable, Hashable, Encodable {
  /// Whether something is to be done.
  public enum State: String, Sendable, Encodable, Comparable, CaseIterable {
    /// Nothing.
    case good
    /// Worth a look, but nothing is lost meanwhile.
    case look
    /// A person is needed.
    case bad

    /// The one with more to do is greater.
    public static func < (one: State, other: State) -> Bool {
      self.allCases.firstIndex(of: one) ?? 0 < self.allCases.firstIndex(of: other) ?? 0
    }
  }

  /// What is looked at, in the order of a report.
  public enum Subject: String, Sendable, Encodable {
    case kithd, versions, configuration, folders, database, clock, network, keys, sources, monica, workers
    case transcription, converter, channels, web, backup
  }

  /// What was looked at.
  public let subject: Subject
  /// How it is.
  public let state: State
  /// What was found, in a sentence of the reader's language.
  public let found: String
  /// What to do next; empty if nothing.
  public let advice: String

  /// Makes a finding.
  public init(_ subject: Subject, _ state: State, _ found: String, advice: String = "") {
    self.subject = subject
    self.state = state
    self.found = found
    self.advice = advice
  }
}
