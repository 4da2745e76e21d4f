import Instruments
import KithMessages
import Testing

@testable import BusZeroMQ

struct CommandMetricsTests {
  private let registry = MetricsRegistry([.commands, .commandDuration])

  @Test func `answers are counted by method and code, with the time that they took`() {
    let metrics = CommandMetrics(self.registry)
    let (now, list) = (ContinuousClock.now, Methods.contactsList.name)
    metrics.ping.answered(.ok, since: now)
    metrics.answered(list, .ok, since: now.advanced(by: .seconds(-600)))
    metrics.answered(list, .ok, since: now)
    metrics.answered(list, .deadlineExceeded, since: now)
    let text = self.registry.text()
    #expect(text.contains("kith_commands_total{method=\"kith.v1.System/Ping\",code=\"OK\"} 1\n"))
    #expect(text.contains("kith_commands_total{method=\"\(list)\",code=\"OK\"} 2\n"))
    #expect(text.contains("kith_commands_total{method=\"\(list)\",code=\"DEADLINE_EXCEEDED\"} 1\n"))
    #expect(text.contains("kith_command_duration_seconds_bucket{method=\"\(list)\",le=\"30.0\"} 2\n"))
    #expect(text.contains("kith_command_duration_seconds_count{method=\"\(list)\"} 3\n"))
  }

  @Test func `names that peers make up are counted together`() {
    let metrics = CommandMetrics(self.registry)
    for name in ["Ann Example", "kith.v1.Nothing/At", ""] { metrics.refused(name, .unimplemented) }
    metrics.refused(Methods.contactsList.name, .permissionDenied)
    metrics.refused(Methods.contactsList.name, .UNRECOGNIZED(4711))
    let lines = self.registry.text().split(separator: "\n").filter { $0.hasPrefix("kith_") }
    #expect(
      lines == [
        "kith_commands_total{method=\"kith.v1.Contacts/List\",code=\"PERMISSION_DENIED\"} 1",
        "kith_commands_total{method=\"kith.v1.Contacts/List\",code=\"UNKNOWN\"} 1",
        "kith_commands_total{method=\"other\",code=\"UNIMPLEMENTED\"} 3",
      ], "refused commands have no duration")
  }
}
