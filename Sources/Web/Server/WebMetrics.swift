internal import CoreMetrics
internal import EventLoop
internal import Instruments

/// What the door counts.
final class WebMetrics: Sendable {
  private static let requests = MetricFamily(
    "kith_web_requests_total", .counter, "Requests, by what they are for and the class of their status.", by: "target",
    "status")
  private static let streams = MetricFamily("kith_web_streams", .gauge, "Streams of events that are open.")
  private static let connections = MetricFamily("kith_web_connections", .gauge, "Connections that are open.")
  private static let refused = MetricFamily(
    "kith_web_connections_refused_total", .counter, "Connections for which there was no place.")
  private static let events = MetricFamily("kith_web_events_total", .counter, "Events that the hub sent.")
  private static let hub = MetricFamily("kith_web_hub_up", .gauge, "Whether the hub answers: 1 or 0.")

  private let registry = MetricsRegistry([requests, streams, connections, refused, events, hub])
  /// The handles of ``requests`` by target and class of status, each made at its first answer.
  private let answers = Lock<[String: [Int: Counter]]>([:])

  /// Counts an answer.
  func answered(_ target: String, status: Int) {
    let statusClass = status / 100
    let counter = self.answers.withLock { answers in
      if let known = answers[target]?[statusClass] { return known }
      let made = Self.requests.counter(target, "\(statusClass)xx", in: self.registry)
      answers[target, default: [:]][statusClass] = made
      return made
    }
    counter.increment()
  }

  /// Notes the number of open streams.
  func streams(_ count: Int) { Self.streams.gauge(in: self.registry).record(count) }

  /// Notes the number of open connections.
  func connections(_ count: Int, isRefused: Bool) {
    Self.connections.gauge(in: self.registry).record(count)
    if isRefused { Self.refused.counter(in: self.registry).increment() }
  }

  /// Counts an event of the hub.
  func event() { Self.events.counter(in: self.registry).increment() }

  /// Notes whether the hub answers.
  func hub(isUp: Bool) { Self.hub.gauge(in: self.registry).record(isUp ? 1 : 0) }

  /// All numbers in the text format of Prometheus.
  var text: String { self.registry.text() }
}
