import Foundation

/// Durations of one thing that was done many times.
struct Samples {
  private var values: [Double] = []

  /// Adds one, in microseconds.
  mutating func add(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.values.append(Double(seconds) * 1e6 + Double(attoseconds) / 1e12)
  }

  /// Adds one, in microseconds.
  mutating func add(microseconds: Double) { self.values.append(microseconds) }

  /// The value that a share of all stay below, in microseconds.
  func percentile(_ share: Double) -> Double {
    let sorted = self.values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  var count: Int { self.values.count }

  var summary: String {
    let p50 = self.percentile(0.5).formatted(.number.precision(.fractionLength(1)))
    let p99 = self.percentile(0.99).formatted(.number.precision(.fractionLength(1)))
    return "p50 \(p50) us, p99 \(p99) us (\(self.values.count) samples)"
  }
}
