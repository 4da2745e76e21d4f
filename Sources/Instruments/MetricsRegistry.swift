public import CoreMetrics
internal import EventLoop
internal import Synchronization

/// Keeps the numbers of metrics in this process, and writes them as Prometheus reads them.
///
/// It is a backend of swift-metrics. A handle that was made adds to its number without a lock; a name, label or kind that is not
/// among the families is not kept, so that no text of a record can get out by a label.
///
/// ```swift
/// let registry = MetricsRegistry([.writes])
/// MetricFamily.writes.counter(in: registry).increment()
/// registry.text()  // … kith_writes_total 1
/// ```
public final class MetricsRegistry: MetricsFactory {
  private let families: [MetricFamily]
  private let named: [String: MetricFamily]
  /// By family, then by labels as they are written.
  private let cells = Lock<[String: [String: Cell]]>([:])

  /// Makes a registry that keeps nothing yet.
  ///
  /// - Parameter families: What it may keep.
  public init(_ families: [MetricFamily]) {
    self.families = families
    self.named = Dictionary(families.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: - Handles

  /// `MetricsFactory.makeCounter`.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let cell = self.cell(label, dimensions) { $0 == .counter ? Cell.counter(CounterCell()) : nil }
    guard case .counter(let counter)? = cell else { return NOOPMetricsHandler.instance }
    return counter
  }

  /// `MetricsFactory.makeRecorder`: of the last value. A counter may have one whose number somebody else keeps.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    let cell = self.cell(label, dimensions) { $0 == .gauge || $0 == .counter ? Cell.gauge(GaugeCell()) : nil }
    guard case .gauge(let gauge)? = cell else { return NOOPMetricsHandler.instance }
    return gauge
  }

  /// `MetricsFactory.makeTimer`.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let cell = self.cell(label, dimensions) { kind in
      guard case .histogram(let bounds) = kind else { return nil }
      return Cell.histogram(HistogramCell(bounds))
    }
    guard case .histogram(let histogram)? = cell else { return NOOPMetricsHandler.instance }
    return histogram
  }

  /// `MetricsFactory.destroyCounter`.
  public func destroyCounter(_ handler: any CounterHandler) { self.remove(handler) }

  /// `MetricsFactory.destroyRecorder`.
  public func destroyRecorder(_ handler: any RecorderHandler) { self.remove(handler) }

  /// `MetricsFactory.destroyTimer`.
  public func destroyTimer(_ handler: any TimerHandler) { self.remove(handler) }

  private func cell(
    _ name: String, _ dimensions: [(String, String)], _ make: (MetricFamily.Kind) -> Cell?
  ) -> Cell? {
    guard let family = self.named[name], dimensions.map({ $0.0 }) == family.labels else { return nil }
    let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1, quote: true))\"" }.joined(separator: ",")
    return self.cells.withLock { cells -> Cell? in
      if let known = cells[name]?[labels] { return known }
      let made = make(family.kind)
      cells[name, default: [:]][labels] = made
      return made
    }
  }

  private func remove(_ handler: AnyObject) {
    self.cells.withLock { cells in
      cells = cells.mapValues { series in series.filter { $0.value.object !== handler } }
    }
  }

  // MARK: - Text

  /// All numbers in the text exposition format of Prometheus, version 0.0.4.
  public func text() -> String {
    let cells = self.cells.withLock { $0 }
    var text = ""
    for family in self.families {
      text += "# HELP \(family.name) \(Self.escaped(family.help))\n# TYPE \(family.name) \(family.kind.name)\n"
      for (labels, cell) in (cells[family.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
        for sample in cell.samples {
          let all = [labels, sample.bound.map { "le=\"\($0)\"" } ?? ""].filter { !$0.isEmpty }.joined(separator: ",")
          text += "\(family.name)\(sample.suffix)\(all.isEmpty ? "" : "{\(all)}") \(sample.value)\n"
        }
      }
    }
    return text
  }

  private static func escaped(_ text: String, quote: Bool = false) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "\\": escaped += "\\\\"
      case "\n", "\r\n": escaped += "\\n"
      case "\"" where quote: escaped += "\\\""
      default: escaped.append(character)
      }
    }
  }
}

// MARK: - Numbers

/// The number, or numbers, behind one set of labels.
private enum Cell: Sendable {
  case counter(CounterCell)
  case gauge(GaugeCell)
  case histogram(HistogramCell)

  /// One line of the text.
  struct Sample {
    var suffix = ""
    /// The upper bound of a bucket.
    var bound: String?
    let value: String
  }

  var object: AnyObject {
    switch self {
    case .counter(let counter): counter
    case .gauge(let gauge): gauge
    case .histogram(let histogram): histogram
    }
  }

  var samples: [Sample] {
    switch self {
    case .counter(let counter): [Sample(value: "\(counter.value)")]
    case .gauge(let gauge): [Sample(value: "\(gauge.value)")]
    case .histogram(let histogram): histogram.samples
    }
  }
}

private final class CounterCell: CounterHandler {
  // Relaxed, as all below: the numbers order nothing.
  private let number = Atomic<Int64>(0)

  var value: Int64 { self.number.load(ordering: .relaxed) }

  func increment(by amount: Int64) { self.number.wrappingAdd(amount, ordering: .relaxed) }

  func reset() { self.number.store(0, ordering: .relaxed) }
}

private final class GaugeCell: RecorderHandler {
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: self.bits.load(ordering: .relaxed)) }

  func record(_ value: Int64) { self.record(Double(value)) }

  func record(_ value: Double) { self.bits.store(value.bitPattern, ordering: .relaxed) }
}

private final class HistogramCell: TimerHandler {
  private let bounds: [Double]
  /// The bounds in nanoseconds.
  private let limits: [Int64]
  /// One a bound, and one for what is longer than all.
  private let buckets: [CounterCell]
  private let nanoseconds = CounterCell()

  init(_ bounds: [Double]) {
    self.bounds = bounds
    self.limits = bounds.map { Int64(($0 * 1e9).rounded()) }
    self.buckets = (0...bounds.count).map { _ in CounterCell() }
  }

  func recordNanoseconds(_ duration: Int64) {
    var index = 0
    while index < self.limits.count, duration > self.limits[index] { index += 1 }
    self.buckets[index].increment(by: 1)
    self.nanoseconds.increment(by: duration)
  }

  /// Cumulative, and the count is that of the last bucket, also while others record.
  var samples: [Cell.Sample] {
    var count: Int64 = 0
    var samples: [Cell.Sample] = []
    for (bound, bucket) in zip(self.bounds.map { "\($0)" } + ["+Inf"], self.buckets) {
      count += bucket.value
      samples.append(Cell.Sample(suffix: "_bucket", bound: bound, value: "\(count)"))
    }
    samples.append(Cell.Sample(suffix: "_sum", value: "\(Double(self.nanoseconds.value) / 1e9)"))
    samples.append(Cell.Sample(suffix: "_count", value: "\(count)"))
    return samples
  }
}
