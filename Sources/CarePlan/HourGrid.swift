internal import CivilTime
internal import KithMessages

/// The times of an item that comes every some hours: the same ones of each day if a day is a multiple of the hours, else counted from the
/// first one.
struct HourGrid: Sendable {
  /// The hours from one time to the next.
  let hours: Int
  private let item: PlanItem
  private let zone: Zone

  /// nil for an item that does not come every some hours, or comes every some days.
  init?(_ item: PlanItem) {
    guard item.isHourly else { return nil }
    (self.hours, self.item, self.zone) = (Int(item.everyHours), item, item.zone)
  }

  /// A time, and its number, which is greater than those of the times before.
  typealias Time = (instant: Int64, number: Int64)

  /// The times in a span with their numbers, by time. The first and the last day of the item are left aside.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  func times(in span: Range<Int64>) -> [Time] {
    let isEven = 24.isMultiple(of: self.hours)
    return (isEven ? self.even(in: span) : self.counted(in: span)).sorted { $0.instant < $1.instant }
  }

  /// How its times go on with those of another one with the same hours, around a moment: each as the one that is nearest to it.
  ///
  /// - Parameter instant: Nanoseconds since 1970.
  /// - Returns: By how many nanoseconds they come later, at most half the hours, and by how much their numbers are greater.
  func continuation(of other: HourGrid, at instant: Int64) -> (shift: Int64, numbers: Int64) {
    guard !self.isSame(as: other) else { return (0, 0) }
    let step = Int64(self.hours) * 3_600_000_000_000
    guard let time = other.times(in: instant..<instant + 2 * step).first else { return (0, 0) }
    let near = self.times(in: time.instant - step..<time.instant + step).map {
      (shift: $0.instant - time.instant, numbers: $0.number - time.number)
    }
    // Of two that are as near the later one: nothing comes sooner than was said.
    return near.reversed().min { $0.shift.magnitude < $1.shift.magnitude } ?? (shift: 0, numbers: 0)
  }

  private func isSame(as other: HourGrid) -> Bool {
    (self.item.everyHours, self.item.firstTime, self.item.timeZone, self.item.from)
      == (other.item.everyHours, other.item.firstTime, other.item.timeZone, other.item.from)
  }

  /// The name of a time.
  func key(_ number: Int64) -> String {
    guard 24.isMultiple(of: self.hours) else { return "\(number)" }
    let count = Int64(24 / self.hours)
    let place = (number % count + count) % count
    // Other hours are other times, with other numbers.
    let slot = PlanItem.firstEvenSlot + self.item.everyHours * 100 + UInt32(place)
    return "\(slot)/\(Day(number: Int((number - place) / count)))"
  }

  private func counted(in span: Range<Int64>) -> [Time] {
    guard let first = Day(self.item.from), let anchor = self.zone.instant(of: first, at: self.item.firstTimeOfDay)
    else { return [] }
    let step = Int64(self.hours) * 3_600_000_000_000
    let from = max(span.lowerBound, anchor)
    let begin = anchor + (from - anchor + step - 1) / step * step
    return stride(from: begin, to: max(begin, span.upperBound), by: Int(step)).map { ($0, $0) }
  }

  private func even(in span: Range<Int64>) -> [Time] {
    let first = self.item.firstTimeOfDay
    var found: [Int64: Int64] = [:]
    let count = 24 / self.hours
    let days = self.zone.day(at: span.lowerBound).number - 1...self.zone.day(at: span.upperBound).number + 1
    for day in days.map(Day.init(number:)) {
      for place in 0..<count {
        guard let time = TimeOfDay(hour: first.hour % self.hours + place * self.hours, minute: first.minute),
          let instant = self.zone.instant(of: day, at: time), span.contains(instant)
        else { continue }
        // A skip of the clock brings two times together: one is gone.
        found[instant] = Int64(day.number * count + place)
      }
    }
    return found.map { ($0.key, $0.value) }
  }
}

extension PlanItem {
  /// Whether it comes every some hours, and not every some days.
  var isHourly: Bool { self.everyHours > 0 && !self.everyHours.isMultiple(of: 24) }

  /// A time of day at which an item of `every_hours` comes.
  var firstTimeOfDay: TimeOfDay { TimeOfDay(self.firstTime) ?? TimeOfDay(hour: 8, minute: 0) ?? .midnight }
}
