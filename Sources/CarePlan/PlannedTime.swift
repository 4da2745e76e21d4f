public import Bus
public import KithMessages
public import Storage

/// A time at which an item of the plan is or was due, with what is known of it now: what reminders of the plan are made of.
public struct PlannedTime: Sendable, Hashable {
  /// As it was at that time.
  public let item: PlanItem
  /// Nanoseconds since 1970.
  public let instant: Int64
  /// How much; empty = it is not counted.
  public let amount: String
  /// Names it among those of its item, also when a change has moved it.
  public let key: String
  /// Whether people are reminded of it: it was not quiet then, and is neither quiet nor paused nor ended now.
  public let reminds: Bool
  /// What answers it; nil = nobody did.
  public let answer: Dose?
  /// What was given for it, in the order in which it was recorded.
  public let given: [Dose]

  /// Makes one.
  public init(
    item: PlanItem, instant: Int64, amount: String, key: String, reminds: Bool, answer: Dose? = nil, given: [Dose] = []
  ) {
    (self.item, self.instant, self.amount, self.key) = (item, instant, amount, key)
    (self.reminds, self.answer, self.given) = (reminds, answer, given)
  }

  /// When it is missed, unless somebody answers until then; nanoseconds since 1970.
  public var end: Int64 { self.instant + Int64(self.item.missed) * 60_000_000_000 }
}

extension DatabaseView {
  /// The times of a span at which items of the plan are or were due.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  public func plannedTimes(in span: Range<Int64>) throws(Failure) -> [PlannedTime] {
    var times: [PlannedTime] = []
    for item in try self.items(around: span) {
      let rules = try self.rules(of: item, around: span)
      times += rules.schedule.dues(from: span.lowerBound, to: span.upperBound).map { PlannedTime($0, rules) }
    }
    return times
  }
}

extension PlannedTime {
  fileprivate init(_ due: PlanSchedule.Due, _ rules: DoseRules) {
    let given = rules.doses.filter { $0.timeKey == due.key && $0.knownOutcome != .skipped }
    self.init(
      item: due.item, instant: due.instant, amount: due.amount, key: due.key,
      reminds: !due.item.quiet && rules.item.mayRemind, answer: rules.answer(to: due),
      given: given.inOrder())
  }
}

extension Transaction {
  /// Records that what is due at a time was given now, as planned, or that it is skipped.
  ///
  /// - Parameters:
  ///   - reason: Why it is skipped; nil = it was given.
  ///   - now: Nanoseconds since 1970.
  public func answer(
    _ time: PlannedTime, skipping reason: String?, by principal: Principal, now: Int64
  ) throws(Failure) {
    var dose = Dose()
    dose.knownOutcome = reason == nil ? .given : .skipped
    dose.reason = reason ?? ""
    _ = try self.record(
      dose, of: time.item.id, DoseTime(now: now, due: time.instant), unlessWarned: false, by: principal, now: now)
  }
}

extension PlanItem {
  fileprivate var mayRemind: Bool { !self.quiet && !self.asNeeded && self.knownState == .active }
}
