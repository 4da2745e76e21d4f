public import CoreMetrics

/// A metric: its name, what its values are, and the labels by which it has several of them.
///
/// ```swift
/// let counter = MetricFamily.writes.counter(in: registry)
/// counter.increment()
/// ```
///
/// Labels have few values, all of them words of this program: methods, codes, states. A name, an id, a key or an address is never one.
public struct MetricFamily: Sendable, Hashable {
  /// What the values are.
  public enum Kind: Sendable, Hashable {
    /// A number that grows while the process lives.
    case counter
    /// A number that goes up and down.
    case gauge
    /// Durations, counted by upper bounds in seconds, which grow.
    case histogram([Double])

    /// The word of the text format.
    public var name: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  /// The name, with its unit where it has one.
  public let name: String
  /// What the values are.
  public let kind: Kind
  /// What it measures, in one sentence.
  public let help: String
  /// The names of its labels.
  public let labels: [String]

  /// Makes a metric.
  ///
  /// - Parameter labels: Their names, in the order in which values are given.
  public init(_ name: String, _ kind: Kind, _ help: String, by labels: String...) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
  }

  /// The handle of a counter.
  ///
  /// - Parameters:
  ///   - values: Of the labels, in their order.
  ///   - factory: Keeps the number.
  public func counter(_ values: String..., in factory: any MetricsFactory) -> Counter {
    Counter(label: self.name, dimensions: self.dimensions(values), factory: factory)
  }

  /// The handle of a gauge, or of a counter whose number somebody else keeps; parameters as of ``counter(_:in:)``.
  public func gauge(_ values: String..., in factory: any MetricsFactory) -> Gauge {
    Gauge(label: self.name, dimensions: self.dimensions(values), factory: factory)
  }

  /// The handle of a histogram; parameters as of ``counter(_:in:)``.
  public func timer(_ values: String..., in factory: any MetricsFactory) -> CoreMetrics.Timer {
    CoreMetrics.Timer(label: self.name, dimensions: self.dimensions(values), factory: factory)
  }

  private func dimensions(_ values: [String]) -> [(String, String)] {
    assert(values.count == self.labels.count, "\(self.name) has \(self.labels.count) labels")
    return Array(zip(self.labels, values))
  }
}

extension CoreMetrics.Timer {
  /// Counts a duration.
  public func record(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
