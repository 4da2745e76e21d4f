/// An amount with at most two decimals, kept in hundredths so that sums are exact.
///
/// ```swift
/// print(Quantity("0.50")?.hundredths ?? 0)  // 50
/// print(Quantity(hundredths: 1150))  // "11.5"
/// ```
public struct Quantity: Sendable, Hashable, CustomStringConvertible {
  /// The amount in hundredths.
  public let hundredths: Int64

  /// Makes one of hundredths.
  public init(hundredths: Int64) { self.hundredths = hundredths }

  /// Reads `2`, `0.5` or `37.25`; nil for anything else, and for more than twelve digits before the point.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      parts[0].utf8.count <= 12, let whole = Int64(parts[0])
    else { return nil }
    let decimals = parts.count == 2 ? parts[1] : ""
    guard decimals.utf8.count <= 2,
      let fraction = Int64(decimals + String(repeating: "0", count: 2 - decimals.utf8.count))
    else { return nil }
    self.hundredths = whole * 100 + fraction
  }

  /// In as few digits as say it: `2`, `0.5`, `-1.25`.
  public var description: String {
    let (whole, rest) = (self.hundredths.magnitude / 100, self.hundredths.magnitude % 100)
    let digits = rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)"
    return (self.hundredths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(digits)")
  }
}
