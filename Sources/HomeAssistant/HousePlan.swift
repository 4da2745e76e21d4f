internal import Bus
internal import CivilTime
internal import KithMessages

/// What Home Assistant shows of the care plan and of measurements: which entities there are, and their states.
struct HousePlan: Sendable, Hashable {
  /// An item of the plan, as a button and a time.
  struct Item: Sendable, Hashable {
    /// In topics and ids.
    let key: String
    /// Counts all items that there ever were, from 1, so that it stays.
    let number: Int
    /// nil if it is not sent.
    let name: String?
    /// Whether its entities are taken away.
    let isEnded: Bool
  }

  /// Its state, as a part of that of the household.
  struct State: Sendable, Hashable, Encodable {
    /// What is due now.
    var due = 0
    /// What of today nobody answered in time.
    var missed = 0
    /// When the next item of today or tomorrow is due.
    var next: String?
    /// When an item was given last, by its key.
    var last: [String: String] = [:]
  }

  /// A value that was measured last.
  struct Value: Sendable, Hashable, Encodable {
    let value: String
    let lower: String?
    let at: String
    /// As it was recorded.
    let unit: String
  }

  /// By the time at which they were made.
  var items: [Item] = []
  var state = State()
  /// By kind; empty if values are not sent.
  var values: [String: Value] = [:]

  /// The kinds that are shown; one that has a name of the family's own is not.
  static let kinds = MeasurementKind.allCases.filter { $0 != .other }

  /// Whether there is something to give.
  var isActive: Bool { self.items.contains { !$0.isEnded } }

  /// The parts of the device. A change of them needs a new description of the device.
  var entities: [String] {
    self.items.map { "\($0.key) \($0.name ?? "") \($0.isEnded)" }
      + self.values.map { "\($0.key) \($0.value.unit)" }.sorted()
  }

  /// Takes the items.
  ///
  /// - Parameters:
  ///   - all: Also those that have ended.
  ///   - withNames: Whether names are sent.
  mutating func take(_ all: [PlanItem], withNames: Bool) {
    let ordered = all.sorted {
      ($0.createdAt.nanosecondsSince1970, $0.id) < ($1.createdAt.nanosecondsSince1970, $1.id)
    }
    self.items = ordered.enumerated().map { index, item in
      Item(
        key: item.houseKey, number: index + 1, name: withNames ? item.name : nil, isEnded: item.knownState == .ended)
    }
  }

  /// Takes the days around now.
  mutating func take(yesterday: PlanDay, today: PlanDay, tomorrow: PlanDay) {
    self.state.due = (yesterday.dues + today.dues).count { $0.knownState == .due }
    self.state.missed = today.dues.count { $0.knownState == .missed }
    self.state.next = (today.dues + tomorrow.dues).first { $0.knownState == .coming }?.due.iso
  }

  /// Takes what was given, the newest first.
  mutating func take(_ doses: [Dose]) {
    for dose in doses where dose.knownOutcome != .skipped {
      let key = dose.itemID.houseKey
      if self.state.last[key] == nil { self.state.last[key] = dose.occurredAt.iso }
    }
  }

  /// Takes the newest value of a kind.
  mutating func take(_ measured: MeasurementRecord) {
    self.values[measured.kind] = Value(
      value: measured.value, lower: measured.lower.isEmpty ? nil : measured.lower, at: measured.occurredAt.iso,
      unit: measured.unit)
  }
}

/// What became of a press of an item's button.
enum PlanNews: String, Sendable, CaseIterable {
  /// It was recorded.
  case recorded
  /// Nothing was recorded: this time was answered already, it is too early, the day has had its most, or the item is not in the plan now.
  case given, early, most, inactive

  init(_ reply: DoseReply) {
    self = reply.hasDose ? .recorded : reply.warnings.first.flatMap { PlanNews(rawValue: $0.kind) } ?? .inactive
  }
}

extension PlanItem {
  /// The id's end, which is random.
  var houseKey: String { self.id.houseKey }
}

extension String {
  fileprivate var houseKey: String { String(self.suffix(12)) }
}
