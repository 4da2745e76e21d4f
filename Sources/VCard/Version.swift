/// A version of the format.
public enum Version: String, Sendable, CaseIterable {
  /// vCard 2.1 (versit consortium, 1996).
  case v2_1 = "2.1"
  /// vCard 3.0 (RFC 2426).
  case v3_0 = "3.0"
  /// vCard 4.0 (RFC 6350).
  case v4_0 = "4.0"
}
