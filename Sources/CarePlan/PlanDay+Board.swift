internal import Bus
internal import CivilTime
internal import KithMessages

extension PlanDay {
  /// A day of the plan.
  ///
  /// - Parameters:
  ///   - items: All items with what was recorded of them, what was taken back left out.
  ///   - zone: That of the settings.
  ///   - now: Nanoseconds since 1970.
  init(_ day: Day, _ items: [DoseRules], in zone: Zone, now: Int64) {
    self.init()
    self.day = day.description
    self.timeZone = zone.name
    let span = zone.start(of: day)..<zone.start(of: day.adding(days: 1))
    for rules in items {
      let near = rules.schedule.dues(from: span.lowerBound - DoseRules.back, to: span.upperBound + DoseRules.ahead)
      self.dues += near.filter { span.contains($0.instant) }.map { PlanDue($0, rules, now: now) }
      // What answers a time of the day before is shown there.
      let keys = Set(near.map(\.key))
      self.others += rules.doses.filter {
        span.contains($0.occurredAt.nanosecondsSince1970) && !keys.contains($0.timeKey)
      }
      if rules.item.asNeeded, rules.item.knownState == .active, rules.item.covers(day) {
        self.needed.append(PlanNeed(rules, span, now: now))
      }
      if rules.item.orderSoon, rules.item.knownState == .active { self.orderSoon.append(rules.item) }
    }
    self.dues.sort {
      ($0.due.nanosecondsSince1970, $0.item.name, $0.item.id) < ($1.due.nanosecondsSince1970, $1.item.name, $1.item.id)
    }
    self.others.sort { ($0.occurredAt.nanosecondsSince1970, $0.id) < ($1.occurredAt.nanosecondsSince1970, $1.id) }
    self.needed.sort { ($0.item.name, $0.item.id) < ($1.item.name, $1.item.id) }
  }
}

extension PlanDue {
  fileprivate init(_ due: PlanSchedule.Due, _ rules: DoseRules, now: Int64) {
    self.init()
    self.item = due.item
    // A day of many times has each item many times, and has to fit one answer.
    self.item.note = ""
    self.item.times = []
    self.due = .init(nanosecondsSince1970: due.instant)
    self.amount = due.amount
    let end = due.instant + Int64(due.item.missed) * 60_000_000_000
    guard let answer = rules.answer(to: due) else {
      self.knownState = now < due.instant ? .coming : now <= end ? .due : .missed
      return
    }
    self.dose = answer
    self.doubles = rules.recorded(for: due).filter { $0.id != answer.id && $0.knownOutcome != .skipped }
    switch answer.knownOutcome {
    case .partly: self.knownState = .partly
    case .skipped: self.knownState = .skipped
    case .given, nil: self.knownState = .given
    }
    self.isLate = answer.knownOutcome != .skipped && answer.occurredAt.nanosecondsSince1970 > end
  }
}

extension PlanNeed {
  fileprivate init(_ rules: DoseRules, _ span: Range<Int64>, now: Int64) {
    self.init()
    self.item = rules.item
    let given = rules.doses.filter { $0.knownOutcome != .skipped }
    if let last = given.last { self.last = last }
    self.today = UInt32(given.count { span.contains($0.occurredAt.nanosecondsSince1970) })
    if let earliest = rules.earliest(at: now) { self.earliest = .init(nanosecondsSince1970: earliest) }
  }
}
