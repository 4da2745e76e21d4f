import CoreMetrics
import Foundation
import Instruments
import Testing

struct MetricsRegistryTests {
  private static let things = MetricFamily("things_total", .counter, "Things, \"a\" \\ b.", by: "kind", "state")
  private static let level = MetricFamily("level", .gauge, "A level.")
  private static let wait = MetricFamily("wait_seconds", .histogram([0.001, 0.5]), "A wait.", by: "queue")

  private let registry = MetricsRegistry([Self.things, Self.level, Self.wait])

  @Test func `numbers are written as Prometheus reads them`() {
    Self.things.counter("b", "new", in: self.registry).increment(by: 2)
    Self.things.counter("a \"quoted\"\n\\", "new", in: self.registry).increment()
    Self.level.gauge(in: self.registry).record(2.5)
    let wait = Self.wait.timer("disk", in: self.registry)
    for duration in [.microseconds(1), .milliseconds(1), .milliseconds(2), .seconds(3)] as [Duration] {
      wait.record(duration)
    }
    #expect(
      self.registry.text() == #"""
        # HELP things_total Things, "a" \\ b.
        # TYPE things_total counter
        things_total{kind="a \"quoted\"\n\\",state="new"} 1
        things_total{kind="b",state="new"} 2
        # HELP level A level.
        # TYPE level gauge
        level 2.5
        # HELP wait_seconds A wait.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{queue="disk",le="0.001"} 2
        wait_seconds_bucket{queue="disk",le="0.5"} 3
        wait_seconds_bucket{queue="disk",le="+Inf"} 4
        wait_seconds_sum{queue="disk"} 3.003001
        wait_seconds_count{queue="disk"} 4

        """#)
  }

  @Test func `handles of the same labels have one number, from any thread`() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { [registry] in
          let counter = Self.things.counter("x", "y", in: registry)
          for _ in 0..<1000 { counter.increment() }
        }
      }
    }
    #expect(self.registry.text().contains("things_total{kind=\"x\",state=\"y\"} 8000\n"))
  }

  @Test func `what is not listed is not kept`() {
    let before = self.registry.text()
    Counter(label: "surprise_total", factory: self.registry).increment()
    Counter(label: "things_total", dimensions: [("name", "Ann")], factory: self.registry).increment()
    Counter(label: "level", factory: self.registry).increment()
    Gauge(label: "wait_seconds", dimensions: [("queue", "disk")], factory: self.registry).record(1)
    #expect(self.registry.text() == before)
    #expect(!before.contains("Ann"))
  }

  @Test func `a handle that is destroyed has no number any more`() {
    let level = Self.level.gauge(in: self.registry)
    level.record(1)
    #expect(self.registry.text().contains("\nlevel 1.0\n"))
    level.destroy()
    #expect(!self.registry.text().contains("\nlevel "))
  }

  @Test func `every metric of the hub is on the page of operations, and no other`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
    let section = page.components(separatedBy: "\n## Metrics\n").last?.components(separatedBy: "\n## ").first ?? ""
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { String($0) }
    let expected = MetricFamily.all.map { family in
      let labels = family.labels.map { "`\($0)`" }.joined(separator: ", ")
      return "| `\(family.name)` | \(family.kind.name) |\(labels.isEmpty ? "" : " \(labels)") | \(family.help) |"
    }
    #expect(rows == expected)
    #expect(Set(MetricFamily.all.map(\.name)).count == MetricFamily.all.count)
  }
}
