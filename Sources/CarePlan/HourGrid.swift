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

  /// The times in a span with the names of each, by time. The first and the last day of the item are left aside.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  func times(in span: Range<Int64>) -> [(instant: Int64, key: String)] {
    let isEven = 24.isMultiple(of: self.hours)
    return (isEven ? self.even(in: span) : self.counted(in: span)).sorted { $0.instant < $1.instant }
  }

  /// By how many nanoseconds its times come later than those of another one with the same hours, around a moment: at most by half the hours.
  ///
  /// - Parameter instant: Nanoseconds since 1970.
  func shift(from other: HourGrid, at instant: Int64) -> Int64 {
    let step = Int64(self.hours) * 3_600_000_000_000
    guard let time = other.times(in: instant..<instant + 2 * step).first?.instant else { return 0 }
    let near = self.times(in: time - step..<time + step).map { $0.instant - time }
    // Of two that are as near the later one: nothing comes sooner than was said.
    return near.reversed().min { $0.magnitude < $1.magnitude } ?? 0
  }

  private func counted(in span: Range<Int64>) -> [(instant: Int64, key: String)] {
    guard let first = Day(self.item.from), let anchor = self.zone.instant(of: first, at: self.item.firstTimeOfDay)
    else { return [] }
    let step = Int64(self.hours) * 3_600_000_000_000
    let from = max(span.lowerBound, anchor)
    let begin = anchor + (from - anchor + step - 1) / step * step
    return stride(from: begin, to: max(begin, span.upperBound), by: Int(step)).map { ($0, "\($0)") }
  }

  private func even(in span: Range<Int64>) -> [(instant: Int64, key: String)] {
    let first = self.item.firstTimeOfDay
    var found: [Int64: String] = [:]
    let days = self.zone.day(at: span.lowerBound).number - 1...self.zone.day(at: span.upperBound).number + 1
    for day in days.map(Day.init(number:)) {
      for number in 0..<24 / self.hours {
        guard let time = TimeOfDay(hour: first.hour % self.hours + number * self.hours, minute: first.minute),
          let instant = self.zone.instant(of: day, at: time), span.contains(instant)
        else { continue }
        // A skip of the clock brings two times together: one is gone. Other hours are other times, with other numbers.
        found[instant] = "\(PlanItem.firstEvenSlot + self.item.everyHours * 100 + UInt32(number))/\(day)"
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
