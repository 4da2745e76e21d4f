internal import FoundationEssentials
internal import KithMessages
internal import SwiftProtobuf

/// What Home Assistant shows of a household: times, counts and states; no names, and no words that somebody recorded.
struct HouseState: Sendable, Hashable, Encodable {
  /// What needs a person.
  enum Problem: String, Sendable, Encodable { case store, sync, monica }
  /// What synchronizing does.
  enum Sync: String, Sendable, Encodable, CaseIterable { case idle, syncing, completed, error }

  /// What needs a person, the most urgent first; nil = nothing.
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
  var due = 0

  /// As JSON. What is not known is left out, and the templates of the entities make it `unknown`.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Takes the state of synchronizing.
  mutating func take(_ status: StatusReply) {
    let all = status.sync
    self.sync =
      all.contains { $0.state == .syncing }
      ? .syncing
      : all.contains { $0.state == .error } ? .error : all.contains { $0.state == .completed } ? .completed : .idle
    self.syncedAt = all.filter(\.hasLastSuccessAt).map(\.lastSuccessAt).max { $0.seconds < $1.seconds }?.iso
    let failing = all.filter { $0.state == .error }
    if status.storage.integrity == .damaged {
      self.problem = .store
    } else if failing.contains(where: { $0.source != "monica" }) {
      self.problem = .sync
    } else {
      self.problem = failing.isEmpty ? nil : .monica
    }
  }

  /// Takes the reminders.
  mutating func take(_ status: ReminderStatusReply) {
    self.daily = status.daily.enabled
    self.due = status.due.count
    let times = status.pending.map(\.due) + (status.daily.hasNextAt ? [status.daily.nextAt] : [])
    self.nextReminder = times.min { $0.seconds < $1.seconds }?.iso
  }

  /// Takes the newest entry of a category.
  mutating func take(_ record: CareRecord) {
    let time = record.occurredAt.iso
    self.last[record.category] = time
    self.lastCare = max(self.lastCare ?? time, time)
  }
}

extension Google_Protobuf_Timestamp {
  /// In UTC, to the second: `2026-11-25T08:10:00Z`.
  var iso: String {
    Date(timeIntervalSince1970: TimeInterval(self.seconds)).formatted(.iso8601)
  }
}
