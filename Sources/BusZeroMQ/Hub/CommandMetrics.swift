internal import CoreMetrics
internal import Instruments
internal import KithMessages

/// Counts the commands of the control plane by method and status code, and measures how long they take.
///
/// It belongs to the plane's loop. The handles of a method are made at its first command and kept, so that a command costs a few
/// additions, and methods that nobody calls have no numbers. Names that are no methods are counted together: a peer chooses them.
struct CommandMetrics {
  /// The handles of one method.
  final class MethodMetrics {
    private let name: String
    private let factory: any MetricsFactory
    /// By the numbers of the status codes; empty before the first command.
    private var counters: [Counter?] = []
    private lazy var duration = MetricFamily.commandDuration.timer(self.name, in: self.factory)

    fileprivate init(_ name: String, _ factory: any MetricsFactory) {
      self.name = name
      self.factory = factory
    }

    /// Takes up an answer to a command that was admitted.
    func answered(_ code: Code, since admission: ContinuousClock.Instant) {
      self.count(code)
      self.duration.record(admission.duration(to: .now))
    }

    /// Counts an answer.
    func count(_ code: Code) {
      if self.counters.isEmpty { self.counters = [Counter?](repeating: nil, count: Code.unauthenticated.rawValue + 1) }
      let index = self.counters.indices.contains(code.rawValue) ? code.rawValue : Code.unknown.rawValue
      if let counter = self.counters[index] { return counter.increment() }
      let counter = MetricFamily.commands.counter(self.name, Self.name(of: index), in: self.factory)
      self.counters[index] = counter
      counter.increment()
    }

    /// The name of a status code in `proto/`, such as `NOT_FOUND`.
    private static func name(of code: Int) -> String {
      String(describing: Code(rawValue: code) ?? .unknown).reduce(into: "") { name, letter in
        name += letter.isUppercase ? "_\(letter)" : letter.uppercased()
      }
    }
  }

  /// Those of `System/Ping`, which is measured most.
  let ping: MethodMetrics
  private let methods: [String: MethodMetrics]
  private let other: MethodMetrics

  /// Makes counts of nothing.
  init(_ factory: any MetricsFactory) {
    let methods = Methods.all.map { ($0.name, MethodMetrics($0.name, factory)) }
    self.methods = Dictionary(methods, uniquingKeysWith: { first, _ in first })
    self.other = MethodMetrics("other", factory)
    self.ping = self.methods[Methods.systemPing.name] ?? self.other
  }

  /// Takes up an answer to a command that was admitted.
  func answered(_ method: String, _ code: Code, since admission: ContinuousClock.Instant) {
    (self.methods[method] ?? self.other).answered(code, since: admission)
  }

  /// Takes up an answer to a command that was not admitted.
  func refused(_ method: String, _ code: Code) { (self.methods[method] ?? self.other).count(code) }
}
