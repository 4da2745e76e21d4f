internal import Bus
internal import Findings
internal import FoundationEssentials
internal import KithMessages
internal import SwiftProtobuf

/// What Home Assistant shows of a household: times, counts and states; no names, and no words that somebody recorded.
struct HouseState: Sendable, Hashable, Encodable {
  /// What needs a person.
  enum Problem: String, Sendable, Encodable { case store, sync, monica, workers, web, backup }
  /// What synchronizing does.
  enum Sync: String, Sendable, Encodable, CaseIterable { case idle, syncing, completed, error }

  /// What needs a person: the first thing that `kith status` names; nil = nothing.
  var problem: Problem?
  /// What synchronizing does, of all sources.
  var sync = Sync.idle
  /// When a source was last in step.
  var syncedAt: String?
  /// The entries of care of today.
  var today = 0
  /// When care was last given, by category.
  var last: [String: String] = [:]
  /// When care was last given at all.
  var lastCare: String?
  /// Whether there is a daily reminder.
  var daily = false
  /// When it comes next.
  var nextReminder: String?
  /// How many reminders are due.
  var due: Int { self.reminders.count }
  /// The reminders that are due. They are not told.
  private(set) var reminders: [DueReminder] = []
  /// The care plan and what was measured; nil = there are none.
  var plan: HousePlan?

  private enum CodingKeys: String, CodingKey {
    case problem, sync, syncedAt, today, last, lastCare, daily, nextReminder, due, plan, measured
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(self.problem, forKey: .problem)
    try values.encode(self.sync, forKey: .sync)
    try values.encodeIfPresent(self.syncedAt, forKey: .syncedAt)
    try values.encode(self.today, forKey: .today)
    try values.encode(self.last, forKey: .last)
    try values.encodeIfPresent(self.lastCare, forKey: .lastCare)
    try values.encode(self.daily, forKey: .daily)
    try values.encodeIfPresent(self.nextReminder, forKey: .nextReminder)
    try values.encode(self.due, forKey: .due)
    guard let plan else { return }
    if plan.isActive { try values.encode(plan.state, forKey: .plan) }
    if !plan.values.isEmpty { try values.encode(plan.values, forKey: .measured) }
  }

  /// As JSON. What is not known is left out, and the templates of the entities make it `unknown`.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Takes the state of synchronizing, and what needs a person.
  mutating func take(_ status: StatusReply, _ backups: BackupState, now: Google_Protobuf_Timestamp) {
    let all = status.sync
    self.sync =
      all.contains { $0.state == .syncing }
      ? .syncing
      : all.contains { $0.state == .error } ? .error : all.contains { $0.state == .completed } ? .completed : .idle
    self.syncedAt = all.filter(\.hasLastSuccessAt).map(\.lastSuccessAt).max { $0.seconds < $1.seconds }?.iso
    let needs = StatusExamination(status, backups, NoWords(now: now)).needs
    self.problem = needs.lazy.compactMap { Problem($0.subject) }.first
  }

  /// Takes the reminders.
  mutating func take(_ status: ReminderStatusReply) {
    self.daily = status.daily.enabled
    self.reminders = status.due.map(DueReminder.init)
    let times = status.pending.map(\.comesAt) + (status.daily.hasNextAt ? [status.daily.nextAt] : [])
    self.nextReminder = times.min { $0.seconds < $1.seconds }?.iso
  }

  /// Takes the newest entry of a category.
  mutating func take(_ record: CareRecord) {
    let time = record.occurredAt.iso
    self.last[record.category] = time
    self.lastCare = max(self.lastCare ?? time, time)
  }
}

extension HouseState.Problem {
  init?(_ subject: Finding.Subject) {
    switch subject {
    case .database: self = .store
    case .sources: self = .sync
    case .monica: self = .monica
    case .workers: self = .workers
    case .web: self = .web
    case .backup: self = .backup
    default: return nil
    }
  }
}

/// Reads what findings are about, and none of their sentences: those have names.
private struct NoWords: FindingReader {
  let now: Google_Protobuf_Timestamp

  func callAsFunction(_ english: String, _ japanese: String) -> String { "" }
  func time(_ stamp: Google_Protobuf_Timestamp) -> String { "" }
  func relative(_ stamp: Google_Protobuf_Timestamp) -> String { "" }
  func sentence(_ failure: Failure) -> String { "" }
}

extension Google_Protobuf_Timestamp {
  /// In UTC, to the second: `2026-11-25T08:10:00Z`.
  var iso: String {
    Date(timeIntervalSince1970: TimeInterval(self.seconds)).formatted(.iso8601)
  }
}
