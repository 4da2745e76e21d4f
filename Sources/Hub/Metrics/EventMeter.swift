internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Counts what committed events tell of passes, leases, jobs and messages, each once.
///
/// A value: events come in, what to count goes out. A pass counts if it began while the meter looked, because the end of an earlier one
/// may be published again; a lease is lost if its job was leased and waits again, or ended without an answer.
struct EventMeter: Sendable {
  /// One thing to count. The words are those of the labels.
  enum Count: Hashable, Sendable {
    case event(stream: String)
    case pass(kind: String, result: String, nanoseconds: Int64)
    case lease(change: String)
    case job(state: String)
    case delivery(state: String)
  }

  /// The kinds of passes.
  static let kinds = ["contacts", "monica"]
  /// How passes end.
  static let results = ["completed", "partial", "failed", "stopped"]
  /// What becomes of leases.
  static let changes = ["taken", "lost"]
  /// The states in which jobs end.
  static let ends = JobState.allCases.filter { !$0.isOpen }.map(\.rawValue)
  /// The states in which messages end.
  static let settlements = [DeliveryState.delivered, .failed, .unknown, .discarded].map(\.rawValue)

  /// The passes that run, by their source.
  private var running: [String: String] = [:]
  /// The jobs that workers have.
  private var leased: Set<String>

  /// Makes a meter.
  ///
  /// - Parameter leased: The jobs that workers had when the last process ended.
  init(leased: Set<String> = []) { self.leased = leased }

  /// Takes up an event.
  mutating func take(_ logged: LoggedEvent) -> [Count] {
    let counts: [Count] =
      switch logged.event.payload {
      case .sync(let status)?: self.take(status, isGone: logged.header.tombstone)
      case .job(let status)?: logged.header.tombstone ? [] : self.take(status)
      case .delivery(let status)? where Self.settlements.contains(status.state): [.delivery(state: status.state)]
      default: []
      }
    return [.event(stream: logged.header.stream)] + counts
  }

  /// The kind of a source, as ``kinds`` has it.
  static func kind(of source: String) -> String { source == "monica" ? "monica" : "contacts" }

  private mutating func take(_ status: SyncStatus, isGone: Bool) -> [Count] {
    if isGone {
      self.running[status.source] = nil
      return []
    }
    if status.state == .syncing {
      self.running[status.source] = status.runID
      return []
    }
    guard let run = self.running[status.source], run == status.runID else { return [] }
    self.running[status.source] = nil
    let result =
      switch status.state {
      case .completed: status.hasError ? "partial" : "completed"
      case .error: "failed"
      default: "stopped"
      }
    // The wall clock may have been set back meanwhile.
    let duration = status.finishedAt.nanosecondsSince1970 - status.startedAt.nanosecondsSince1970
    return [.pass(kind: Self.kind(of: status.source), result: result, nanoseconds: max(0, duration))]
  }

  private mutating func take(_ status: JobStatus) -> [Count] {
    let wasLeased = self.leased.contains(status.jobID)
    switch status.knownState {
    case .leased?:
      self.leased.insert(status.jobID)
      return [.lease(change: "taken")]
    case .queued?:
      self.leased.remove(status.jobID)
      return wasLeased ? [.lease(change: "lost")] : []
    case .dead?, .unknown?:
      self.leased.remove(status.jobID)
      return [.job(state: status.state)] + (wasLeased ? [.lease(change: "lost")] : [])
    case .done?, .failed?, .cancelled?:
      self.leased.remove(status.jobID)
      return [.job(state: status.state)]
    case nil:
      return []
    }
  }
}
