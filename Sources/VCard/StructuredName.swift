/// The parts of a person's name (N, RFC 6350 6.2.2); each part may have several values.
public struct StructuredName: Sendable, Hashable {
  /// Family names, also known as surnames.
  public var family: [String] = []
  /// Given names.
  public var given: [String] = []
  /// Middle or other additional names.
  public var additional: [String] = []
  /// Honorific prefixes.
  public var prefixes: [String] = []
  /// Honorific suffixes.
  public var suffixes: [String] = []

  /// Makes an empty name.
  public init() {}

  /// Whether no part has a value.
  public var isEmpty: Bool {
    family.isEmpty && given.isEmpty && additional.isEmpty && prefixes.isEmpty && suffixes.isEmpty
  }

  /// The parts in the order a person writes them, joined with blanks.
  public var joined: String {
    (prefixes + given + additional + family + suffixes).joined(separator: " ")
  }
}
