public import Bus

/// The rule of a time at which something happened.
///
/// ```swift
/// try PastTime.check(request.occurredAt.nanosecondsSince1970, now: now, field: "occurred_at")
/// ```
public enum PastTime {
  /// A phone's clock may be ahead of the hub's: an hour, in nanoseconds.
  private static let tolerance: Int64 = 3_600_000_000_000

  /// Checks that a time is from 1970 to an hour from now.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  public static func check(_ nanoseconds: Int64, now: Int64, field: String) throws(Failure) {
    guard nanoseconds >= 0, nanoseconds <= now + Self.tolerance else {
      throw .invalid(field: field, "must be a time that has come. Check the date.")
    }
  }
}
