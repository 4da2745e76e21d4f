internal import Bus
internal import CoreMetrics
internal import EventLoop
internal import Foundation
internal import Glibc
internal import Instruments
internal import KithMessages
internal import Storage
internal import SwiftProtobuf
internal import ZeroMQ

/// What the hub measures of itself.
///
/// The control plane and the store count what they do where they do it, in ``registry``; what events tell is counted after their commit;
/// and states are read when a client asks for the text.
struct HubMetrics: Sendable {
  /// The states of the parts of the hub.
  struct Readings: Sendable {
    let status: StatusReply
    /// Nil if they cannot be read, because the store is damaged.
    let queues: QueueLengths?
    let commandsInFlight: Int
    var traffic = ConnectionTraffic.totals
    var process = ProcessUsage.now()
  }

  /// Keeps the numbers.
  let registry = MetricsRegistry(MetricFamily.all)
  private let meter = Lock(EventMeter())
  private let counters: [EventMeter.Count: Counter]
  private let passDurations: [String: CoreMetrics.Timer]

  /// Makes metrics that begin at nothing. Counters that have few labels are there from the start, so that their first growth is seen.
  init() {
    let registry = self.registry
    var counters: [EventMeter.Count: Counter] = [:]
    for stream in EventStream.allCases.map(\.name) {
      counters[.event(stream: stream)] = MetricFamily.events.counter(stream, in: registry)
    }
    for kind in EventMeter.kinds {
      for result in EventMeter.results {
        // Counted without its duration, which is no label.
        counters[.pass(kind: kind, result: result, nanoseconds: 0)] = MetricFamily.passes.counter(
          kind, result, in: registry)
      }
    }
    for change in EventMeter.changes {
      counters[.lease(change: change)] = MetricFamily.leaseChanges.counter(change, in: registry)
    }
    for state in EventMeter.ends {
      counters[.job(state: state)] = MetricFamily.jobsEnded.counter(state, in: registry)
    }
    for state in EventMeter.settlements {
      counters[.delivery(state: state)] = MetricFamily.deliveries.counter(state, in: registry)
    }
    self.counters = counters
    self.passDurations = Dictionary(
      uniqueKeysWithValues: EventMeter.kinds.map { ($0, MetricFamily.passDuration.timer($0, in: registry)) })
  }

  /// Sets the jobs that workers had when the last process ended. Call it before the first event.
  func begin(leased jobs: Set<String>) { self.meter.withLock { $0 = EventMeter(leased: jobs) } }

  /// Counts committed events.
  func handle(events: [LoggedEvent]) {
    let counts = self.meter.withLock { meter in events.flatMap { meter.take($0) } }
    for var count in counts {
      if case .pass(let kind, let result, let nanoseconds) = count {
        self.passDurations[kind]?.recordNanoseconds(nanoseconds)
        count = .pass(kind: kind, result: result, nanoseconds: 0)
      }
      self.counters[count]?.increment()
    }
  }

  /// All numbers in the text format of Prometheus.
  func text(_ readings: Readings) -> String {
    self.record(readings.status)
    self.record(readings.queues)
    self.set(.queueLength, "jobs", to: readings.status.work.queued)
    self.set(.commandsInFlight, to: readings.commandsInFlight)
    self.set(.unreadBytes, to: readings.traffic.unread)
    self.set(.unsentBytes, to: readings.traffic.unsent)
    self.set(.cutConnections, to: readings.traffic.cut)
    self.set(.virtualMemory, to: readings.process.virtualBytes)
    self.set(.residentMemory, to: readings.process.residentBytes)
    self.set(.openDescriptors, to: readings.process.openDescriptors)
    self.set(.mostDescriptors, to: readings.process.mostDescriptors)
    MetricFamily.processorTime.gauge(in: self.registry).record(readings.process.processorSeconds)
    return self.registry.text()
  }

  private func record(_ queues: QueueLengths?) {
    self.set(.queueLength, "writes", to: queues?.writes)
    self.set(.queueLength, "outbox", to: queues.map { $0.outbox.pending + $0.outbox.syncing })
    self.set(.queueLength, "deliveries", to: queues?.deliveries)
    self.set(.outboxStuck, "failed", to: queues?.outbox.failed)
    self.set(.outboxStuck, "conflict", to: queues?.outbox.conflicts)
  }

  private func record(_ status: StatusReply) {
    self.set(.build, status.version, to: 1)
    MetricFamily.startTime.gauge(in: self.registry).record(Self.seconds(status.startedAt))
    self.set(.subscriptions, to: status.subscriptions)
    self.set(.storeBytes, to: status.storage.bytes)
    self.set(.storeDamaged, to: status.storage.integrity == .damaged ? 1 : 0)
    self.set(.workers, to: status.work.workers.count)
    self.set(.jobsLeased, to: status.work.leased)
    for plane in status.planes {
      self.set(.connections, plane.name, to: plane.connections)
      self.set(.failedHandshakes, plane.name, to: plane.failedHandshakes)
    }
    for kind in EventMeter.kinds { self.record(status.sync.filter { EventMeter.kind(of: $0.source) == kind }, kind) }
  }

  private func record(_ sources: [SyncStatus], _ kind: String) {
    let states: [(String, SyncStatus.State)] = [
      ("idle", .idle), ("syncing", .syncing), ("completed", .completed), ("error", .error),
    ]
    for (name, state) in states { self.set(.sources, kind, name, to: sources.count { $0.state == state }) }
    let lastSuccess = MetricFamily.lastSuccess.gauge(kind, in: self.registry)
    if let oldest = sources.map({ $0.hasLastSuccessAt ? Self.seconds($0.lastSuccessAt) : 0 }).min() {
      lastSuccess.record(oldest)
    } else {
      // There is no source of this kind, or no longer.
      lastSuccess.destroy()
    }
  }

  /// Sets a number; nil = there is none.
  private func set<Value: BinaryInteger>(_ family: MetricFamily, _ labels: String..., to value: Value?) {
    let gauge = Gauge(label: family.name, dimensions: Array(zip(family.labels, labels)), factory: self.registry)
    if let value { gauge.record(value) } else { gauge.destroy() }
  }

  private static func seconds(_ stamp: Google_Protobuf_Timestamp) -> Double {
    Double(stamp.nanosecondsSince1970) / 1e9
  }
}

/// What the kernel tells of this process. proc_pid_statm(5), clock_gettime(2).
struct ProcessUsage: Sendable {
  /// Bytes of its address space, and of what of it is resident.
  let virtualBytes: Int
  let residentBytes: Int
  /// Processor time of all threads, in seconds.
  let processorSeconds: Double
  /// Descriptors that it has open, and may have.
  let openDescriptors: Int
  let mostDescriptors: Int

  /// Asks; what the kernel does not tell is 0.
  static func now() -> ProcessUsage {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").prefix(2).map { Int($0) ?? 0 } + [0, 0]
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
    return ProcessUsage(
      virtualBytes: pages[0] * page, residentBytes: pages[1] * page,
      processorSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, openDescriptors: descriptors,
      mostDescriptors: Int(sysconf(Int32(_SC_OPEN_MAX))))
  }
}
