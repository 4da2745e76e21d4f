public import Bus
public import CivilTime
public import KithMessages
public import Storage

extension DatabaseView {
  /// Days of the plan, by time: what is or was due on each, with what was given. None for days that nobody alive has a plan for.
  ///
  /// - Parameters:
  ///   - last: Not before the first.
  ///   - now: Nanoseconds since 1970.
  public func planDays(from first: Day, through last: Day, now: Int64) throws(Failure) -> [PlanDay] {
    guard first.isNear, last.isNear else { return [] }
    let zone = try self.careZone()
    let span = zone.start(of: first)..<zone.start(of: last.adding(days: 1))
    let items = try self.items(around: span)
    let all = try items.map { item throws(Failure) in try self.rules(of: item, around: span) }
    var days = (first.number...last.number).map { PlanDay(Day(number: $0), all, in: zone, now: now) }
    // What answers a time of these days is told there alone, however late it was given.
    let answers = Set(days.flatMap(\.dues).flatMap { [$0.dose.id] + $0.doubles.map(\.id) })
    for index in days.indices { days[index].others.removeAll { answers.contains($0.id) } }
    return days
  }

  /// The items that may have something in a span: those that did not end long before, and those of which something was given all the same.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  func items(around span: Range<Int64>) throws(Failure) -> [PlanItem] {
    let given = try self.doses.items(in: span)
    return try self.plan.all(withEnded: true).map(\.shown).filter {
      $0.knownState != .ended || $0.updatedAt.nanosecondsSince1970 > span.lowerBound - DoseRules.back
        || given.contains($0.id)
    }
  }

  /// The items of the plan that counted on some days, by name, each with what it said then (`versions`, the oldest first).
  ///
  /// - Parameter last: Not before the first.
  public func planItems(from first: Day, through last: Day) throws(Failure) -> [PlanItem] {
    let zone = try self.careZone()
    let span = zone.start(of: first)..<zone.start(of: last.adding(days: 1))
    var items: [PlanItem] = []
    for planned in try self.plan.all(withEnded: true) {
      var item = planned.shown
      let all = try self.plan.versions(of: item.id).filter { $0.start < span.upperBound }
      let before = all.last { $0.start < span.lowerBound }
      let said = (before.map { [$0] } ?? []) + all.filter { $0.start >= span.lowerBound }
      guard said.contains(where: { $0.item.counts(from: first) }) else { continue }
      item.versions = said
      items.append(item)
    }
    return items
  }

  /// What was measured on some days and not taken back, by time.
  public func measured(from first: Day, through last: Day) throws(Failure) -> [MeasurementRecord] {
    let span = try self.span(from: first.description, until: last.description)
    var request = ListMeasurementsRequest()
    request.limit = 500
    var all: [MeasurementRecord] = []
    repeat {
      let page = try self.measurements.page(request, in: span)
      all += page.measurements
      request.cursor = page.nextCursor
    } while !request.cursor.isEmpty
    return all.reversed()
  }
}

extension PlanItem {
  /// Whether it may be due on a day or later.
  fileprivate func counts(from first: Day) -> Bool {
    self.knownState != .ended && (Day(self.until).map { first <= $0 } ?? true)
  }
}
