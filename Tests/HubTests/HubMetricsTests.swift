import Bus
import Instruments
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import Hub

struct HubMetricsTests {
  private func readings(_ fill: (inout StatusReply) -> Void) -> HubMetrics.Readings {
    var status = StatusReply()
    status.version = "1.2.3"
    fill(&status)
    return HubMetrics.Readings(status: status, queues: QueueLengths(writes: 3, deliveries: 2), commandsInFlight: 4)
  }

  private func lines(_ text: String, _ prefix: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix(prefix) }
  }

  @Test func `states are as they were read`() {
    let text = HubMetrics().text(
      self.readings { status in
        status.work.queued = 5
        status.work.leased = 1
        status.storage.integrity = .damaged
        var plane = PlaneStatus()
        plane.name = "control"
        plane.connections = 7
        plane.failedHandshakes = 8
        status.planes = [plane]
      })
    #expect(self.lines(text, "kith_build_info{") == ["kith_build_info{version=\"1.2.3\"} 1.0"])
    #expect(
      self.lines(text, "kith_queue_length{") == [
        "kith_queue_length{queue=\"deliveries\"} 2.0", "kith_queue_length{queue=\"jobs\"} 5.0",
        "kith_queue_length{queue=\"outbox\"} 0.0", "kith_queue_length{queue=\"writes\"} 3.0",
      ])
    #expect(self.lines(text, "kith_commands_in_flight ") == ["kith_commands_in_flight 4.0"])
    #expect(self.lines(text, "kith_store_damaged ") == ["kith_store_damaged 1.0"])
    #expect(self.lines(text, "kith_connections{") == ["kith_connections{plane=\"control\"} 7.0"])
    #expect(text.contains("\nkith_failed_handshakes_total{plane=\"control\"} 8.0\n"))
    // Numbers that have hardly any labels are there before they grow.
    #expect(self.lines(text, "kith_leases_total{").count == 2 && self.lines(text, "kith_passes_total{").count == 8)
    let memory = self.lines(text, "process_resident_memory_bytes ").map { Double($0.split(separator: " ")[1]) ?? 0 }
    #expect(memory.count == 1 && memory[0] > 1_000_000)
  }

  @Test func `the last success is that of the source that waits longest`() {
    let metrics = HubMetrics()
    func source(_ name: String, _ success: Int64?) -> SyncStatus {
      var status = SyncStatus()
      status.source = name
      status.state = .completed
      if let success { status.lastSuccessAt = .init(nanosecondsSince1970: success * 1_000_000_000) }
      return status
    }
    let name = "kith_last_success_timestamp_seconds{"
    let both = self.readings { $0.sync = [source("contacts:a", 200), source("contacts:b", 100)] }
    #expect(self.lines(metrics.text(both), name) == ["\(name)kind=\"contacts\"} 100.0"])
    let never = self.readings { $0.sync = [source("contacts:a", 200), source("monica", nil)] }
    #expect(
      self.lines(metrics.text(never), name) == ["\(name)kind=\"contacts\"} 200.0", "\(name)kind=\"monica\"} 0.0"])
    let none = self.readings { $0.sync = [] }
    #expect(self.lines(metrics.text(none), name).isEmpty, "a source that is gone has no last success")
  }

  @Test func `what events tell is counted`() {
    let metrics = HubMetrics()
    var begin = LoggedEvent()
    begin.header.stream = "sync"
    begin.event.sync.source = "contacts:secret"
    begin.event.sync.state = .syncing
    begin.event.sync.runID = "1"
    begin.event.sync.startedAt = .init(nanosecondsSince1970: 1)
    var end = begin
    end.event.sync.state = .completed
    end.event.sync.finishedAt = .init(nanosecondsSince1970: 2_000_000_001)
    metrics.handle(events: [begin, end])
    let text = metrics.text(self.readings { _ in })
    #expect(text.contains("kith_events_total{stream=\"sync\"} 2\n"))
    #expect(text.contains("kith_passes_total{kind=\"contacts\",result=\"completed\"} 1\n"))
    #expect(text.contains("kith_pass_duration_seconds_sum{kind=\"contacts\"} 2.0\n"))
    #expect(!text.contains("secret"))
  }

  @Test(
    arguments: [
      ("GET /metrics HTTP/1.1\r\nHost: kith\r\n\r\n", MetricsRequest.metrics), ("GET /metrics HTTP/1.0\n\n", .metrics),
      ("GET / HTTP/1.0\r\n\r\n", .otherPath), ("POST /metrics HTTP/1.1\r\n\r\n", .otherMethod),
      ("\r\n\r\n", .malformed), ("GET /metrics\r\n\r\n", .malformed), ("GET /metrics HTTP/1.1\r\nHost: kith\r\n", nil),
      ("", nil), (String(repeating: "x", count: MetricsRequest.limit), .malformed),
    ] as [(String, MetricsRequest?)])
  func `a request is read`(text: String, expected: MetricsRequest?) {
    #expect(MetricsRequest(Array(text.utf8)) == expected)
  }
}
