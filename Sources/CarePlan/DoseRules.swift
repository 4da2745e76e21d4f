internal import Bus
internal import CivilTime
internal import KithMessages

/// What is known of an item when something of it is recorded: the times around, and what was recorded for them.
///
/// A value without a clock or a store. The same doses give the same answers, in whichever order they were recorded.
struct DoseRules: Sendable {
  /// The item as it is now.
  let item: PlanItem
  let schedule: PlanSchedule
  /// What was recorded of the item and not taken back, by time and, where that is the same, by who gave it.
  let doses: [Dose]
  private let byTime: [String: [Dose]]

  /// - Parameter doses: What was recorded and not taken back, by time and recorder.
  init(item: PlanItem, schedule: PlanSchedule, doses: [Dose]) {
    (self.item, self.schedule, self.doses) = (item, schedule, doses)
    // A year has some hundred times and doses of an item.
    self.byTime = Dictionary(grouping: doses, by: \.timeKey)
  }

  /// Which time something that was given at a moment answers; nil = none.
  func due(at instant: Int64) -> PlanSchedule.Due? {
    let dues = self.schedule.dues(from: instant - Self.back, to: instant + Self.ahead)
    let last = dues.last { $0.instant <= instant }
    let next = dues.first { $0.instant > instant }
    guard let last else { return next }
    guard let next else { return last }
    guard let answer = self.answer(to: last) else {
      // What was missed does not take what is given just before the next time: that time would be asked for once more.
      let (since, until) = (instant - last.instant, next.instant - instant)
      let isMissed = since > Int64(last.item.missed) * 60_000_000_000
      return isMissed && until <= min(Self.soon, since) ? next : last
    }
    // What was answered counts from its answer: who gives it again soon after that gives it twice.
    let sinceAnswer = (answer.occurredAt.nanosecondsSince1970 - instant).magnitude
    return sinceAnswer <= (next.instant - instant).magnitude ? last : next
  }

  /// What a person should know before it is recorded.
  ///
  /// - Parameters:
  ///   - instant: When it was given.
  ///   - due: Which time it answers.
  ///   - isGiven: False if it is skipped.
  func warnings(at instant: Int64, due: PlanSchedule.Due?, isGiven: Bool) -> [PlanWarning] {
    var warnings: [PlanWarning] = []
    if let due, let answer = self.answer(to: due) {
      warnings.append(.of(.given) { $0.show(answer) })
    }
    guard isGiven else { return warnings }
    // Before the first day and after the last one nothing is due; an open time of the last day may be answered later.
    let isAnswer = due.map { self.answer(to: $0) == nil } ?? false
    let isOfThePlan = isAnswer || self.item.covers(self.item.zone.day(at: instant))
    if self.item.knownState != .active || !isOfThePlan { warnings.append(.of(.inactive) { _ in }) }
    if let early = self.early(at: instant), !warnings.contains(where: { $0.doseID == early.doseID }) {
      warnings.append(early)
    } else if let due, due.instant - instant > Int64(due.item.missed) * 60_000_000_000 {
      warnings.append(.of(.early) { $0.earliest = .init(nanosecondsSince1970: due.instant) })
    }
    let zone = self.item.zone
    if self.item.mostPerDay > 0 {
      let count = self.given.count { zone.day(at: $0.occurredAt.nanosecondsSince1970) == zone.day(at: instant) }
      if count >= Int(self.item.mostPerDay) {
        warnings.append(.of(.most) { ($0.count, $0.most) = (UInt32(count), self.item.mostPerDay) })
      }
    }
    return warnings
  }

  /// From when it is not too early, for a dose at a moment; nil = it is not too early.
  func earliest(at instant: Int64) -> Int64? { self.early(at: instant)?.earliest.nanosecondsSince1970 }

  /// What was recorded for a time.
  func recorded(for due: PlanSchedule.Due) -> [Dose] { self.byTime[due.key] ?? [] }

  /// What answers a time: the first that was given, else the first that was skipped.
  func answer(to due: PlanSchedule.Due) -> Dose? {
    let all = self.recorded(for: due)
    return all.first { $0.knownOutcome != .skipped } ?? all.first
  }

  private func early(at instant: Int64) -> PlanWarning? {
    guard self.item.leastMinutes > 0 else { return nil }
    let least = Int64(self.item.leastMinutes) * 60_000_000_000
    // Also one that is recorded later and was given before: the two are too near all the same.
    let near = self.given.filter { ($0.occurredAt.nanosecondsSince1970 - instant).magnitude < least.magnitude }
    guard let nearest = near.last else { return nil }
    return .of(.early) {
      $0.show(nearest)
      $0.earliest = .init(nanosecondsSince1970: nearest.occurredAt.nanosecondsSince1970 + least)
    }
  }

  private var given: [Dose] { self.doses.filter { $0.knownOutcome != .skipped } }

  /// How long after a time its answer may come without naming it, in nanoseconds.
  static let back: Int64 = 36 * 3_600_000_000_000
  /// How long before.
  static let ahead: Int64 = 12 * 3_600_000_000_000
  /// How long before a time something is meant for it, although the one before is open; and offered for it, if it was said. In nanoseconds.
  static let soon: Int64 = 3_600_000_000_000
}

extension PlanWarning {
  fileprivate static func of(_ kind: PlanWarningKind, _ fill: (inout PlanWarning) -> Void) -> PlanWarning {
    var warning = PlanWarning()
    warning.knownKind = kind
    fill(&warning)
    return warning
  }

  fileprivate mutating func show(_ dose: Dose) {
    self.doseID = dose.id
    self.at = dose.occurredAt
    self.by = dose.recorder
  }
}
