internal import Bus
internal import KithMessages

/// The part of a blob that a request asks for (RFC 9110, 14).
///
/// ```swift
/// try ByteRange.of("bytes=0-99", size: 1000)  // 0..<100
/// ```
public enum ByteRange {
  /// Finds the part; nil for the whole: without `Range`, or if it has a unit or form that need not be understood, or several parts.
  ///
  /// - Throws: 416 if it has nothing of the blob.
  public static func of(_ field: String?, size: UInt64) throws(Refusal) -> Range<UInt64>? {
    guard let field, field.hasPrefix("bytes="), !field.contains(",") else { return nil }
    let sides = field.dropFirst("bytes=".count).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, sides.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }) else { return nil }
    if sides[0].isEmpty {
      guard !sides[1].isEmpty else { return nil }
      let last = UInt64(sides[1]) ?? UInt64.max
      guard last > 0, size > 0 else { throw Self.unsatisfiable(size) }
      return (size - min(last, size))..<size
    }
    guard let first = UInt64(sides[0]) else { throw Self.unsatisfiable(size) }
    // A number may be larger than any that is counted with.
    let last = sides[1].isEmpty ? UInt64.max : UInt64(sides[1]) ?? UInt64.max
    guard first <= last else { return nil }
    guard first < size else { throw Self.unsatisfiable(size) }
    return first..<(min(last, size - 1) + 1)
  }

  private static func unsatisfiable(_ size: UInt64) -> Refusal {
    Refusal(
      416, Failure(.outOfRange, "RANGE_OUTSIDE", "The blob has \(size) bytes. Ask for a part of them."),
      fields: ["Content-Range": "bytes */\(size)"])
  }
}
