internal import CivilTime
internal import KithMessages
internal import Storage

/// The times at which an item is due, over all that the plan has said of it.
///
/// Each time of each day is due once, whatever happens to the plan meanwhile: a time that was due before a change stays where it was, one
/// that was still to come moves with the change, and one that is new, or that was paused, begins with the first that comes after the change.
///
/// ```swift
/// let schedule = PlanSchedule(versions: versions)
/// for due in schedule.dues(from: start, to: end) { print(due.instant, due.amount) }
/// ```
struct PlanSchedule: Sendable {
  /// A time at which it is due.
  struct Due: Sendable, Hashable {
    /// Nanoseconds since 1970.
    let instant: Int64
    /// As it was at that time.
    let item: PlanItem
    /// How much; empty = it is not counted.
    let amount: String
    /// Names it, also when a change has moved it to another time.
    let key: String
  }

  /// What the plan has said of it, the oldest first.
  let versions: [PlanVersion]

  /// What is due in a span of time, by time.
  ///
  /// - Parameters:
  ///   - start: Nanoseconds since 1970.
  ///   - end: Exclusive.
  func dues(from start: Int64, to end: Int64) -> [Due] {
    guard start < end else { return [] }
    return (self.dailyDues(from: start, to: end) + self.hourlyDues(from: start, to: end))
      .sorted { $0.instant < $1.instant }
  }

  private static let day: Int64 = 86_400_000_000_000
  private static let minute: Int64 = 60_000_000_000

  // MARK: - Times of day

  private func dailyDues(from start: Int64, to end: Int64) -> [Due] {
    let clocks = self.versions.map { DailyClock($0.item) }
    let slots = Set(clocks.flatMap { $0.slots.keys }).sorted()
    guard !slots.isEmpty else { return [] }
    // No two zones are more than two days apart.
    guard let zone = self.versions.last?.item.zone else { return [] }
    let last = zone.day(at: end).adding(days: 2)
    var found: [Int64: Due] = [:]
    var day = zone.day(at: start).adding(days: -2)
    while day <= last {
      for slot in slots {
        guard var due = self.due(of: slot, on: day, clocks) else { continue }
        // A skip of the clock brings two times together: they stay two.
        while found[due.instant] != nil {
          due = Due(instant: due.instant + Self.minute, item: due.item, amount: due.amount, key: due.key)
        }
        found[due.instant] = due
      }
      day = day.adding(days: 1)
    }
    return found.values.filter { (start..<end).contains($0.instant) }
  }

  /// When a time of a day is due: at most once.
  private func due(of slot: UInt32, on day: Day, _ clocks: [DailyClock]) -> Due? {
    var before: Int64?
    for (index, clock) in clocks.enumerated() {
      let version = self.versions[index]
      let end = index + 1 < self.versions.count ? self.versions[index + 1].start : .max
      guard let instant = clock.instant(of: slot, on: day) else {
        before = nil
        continue
      }
      // What was still to come when the plan changed, and is now in the past, is due all the same.
      let isMoved = instant < version.start && before != nil
      if instant < end, instant >= version.start || isMoved {
        return Due(
          instant: instant, item: version.item, amount: clock.slots[slot]?.amount ?? "", key: "\(slot)/\(day)")
      }
      before = instant < version.start ? nil : instant
    }
    return nil
  }

  // MARK: - Every some hours

  /// When its hours stay the same, a time of after a change is the one of before that it is nearest to: it comes if that one had not come,
  /// and has its name, so that what was recorded for that one answers it.
  private func hourlyDues(from start: Int64, to end: Int64) -> [Due] {
    var dues: [Due] = []
    var keys: Set<String> = []
    var before: (grid: HourGrid, begin: Int64)?
    // By their hours; over pauses too, so that no name comes again. `ahead`: by how much their numbers are greater than those of the first.
    var named: [Int: (grid: HourGrid, ahead: Int64)] = [:]
    for (index, version) in self.versions.enumerated() {
      let item = version.item
      guard item.knownState == .active, let grid = HourGrid(item) else {
        before = nil
        continue
      }
      let goesOn = before?.grid.hours == grid.hours
      var begin = max(version.start, goesOn ? before?.begin ?? .min : .min)
      let last = named[grid.hours]
      let next = last.map { grid.continuation(of: $0.grid, at: begin) } ?? (shift: 0, numbers: 0)
      let ahead = (last?.ahead ?? 0) + next.numbers
      if goesOn { begin += next.shift }
      before = (grid, begin)
      named[grid.hours] = (grid, ahead)
      let until = index + 1 < self.versions.count ? self.versions[index + 1].start : .max
      // The names of a day are those of all its times, also of those that were due in another zone.
      let reach = 2 * max(Self.day, Int64(grid.hours) * 60 * Self.minute)
      let (from, to) = (max(begin, start - reach), min(until, end))
      guard from < to else { continue }
      for time in grid.times(in: from..<to) where item.covers(item.zone.day(at: time.instant)) {
        var key = grid.key(time.number - ahead)
        // Around a change two times may have one number.
        while !keys.insert(key).inserted { key += "+" }
        dues.append(Due(instant: time.instant, item: item, amount: item.amount, key: key))
      }
    }
    return dues.filter { $0.instant >= start }
  }
}

/// The times of day at which an item is due.
private struct DailyClock: Sendable {
  struct Time: Sendable {
    let time: TimeOfDay
    /// As in `Day.weekday`; empty = every day.
    let weekdays: Set<Int>
    let amount: String
  }

  let slots: [UInt32: Time]
  private let item: PlanItem
  private let zone: Zone
  private let first: Day?

  init(_ item: PlanItem) {
    self.item = item
    self.zone = item.zone
    self.first = Day(item.from)
    self.slots = item.everyHours > 0 ? Self.ofDays(item) : Self.listed(item)
  }

  private static func listed(_ item: PlanItem) -> [UInt32: Time] {
    var slots: [UInt32: Time] = [:]
    for time in item.times {
      guard let clock = TimeOfDay(time.time) else { continue }
      slots[time.slot] = Time(
        time: clock, weekdays: Set(time.weekdays.compactMap { Weekday(rawValue: $0)?.number }),
        amount: time.amount.isEmpty ? item.amount : time.amount)
    }
    return slots
  }

  /// The one time of an item that comes every some days. Its number is beyond those of listed times.
  private static func ofDays(_ item: PlanItem) -> [UInt32: Time] {
    guard !item.isHourly else { return [:] }
    // Other hours are other times: changing them moves none.
    let slot = PlanItem.firstEvenSlot + item.everyHours * 100
    return [slot: Time(time: item.firstTimeOfDay, weekdays: [], amount: item.amount)]
  }

  /// When a time of a day is due; nil = not on this day.
  func instant(of slot: UInt32, on day: Day) -> Int64? {
    guard self.item.knownState == .active, let time = self.slots[slot], self.item.covers(day),
      time.weekdays.isEmpty || time.weekdays.contains(day.weekday), self.isTurn(day)
    else { return nil }
    return self.zone.instant(of: day, at: time.time)
  }

  /// Whether a day is one of those of an item that comes every some days.
  private func isTurn(_ day: Day) -> Bool {
    let days = Int(self.item.everyHours) / 24
    guard days > 1, let first = self.first else { return true }
    return (day.number - first.number) % days == 0
  }
}

extension PlanItem {
  /// The number of the first time of an item that comes every some hours; listed times have smaller ones.
  static let firstEvenSlot: UInt32 = 1_000_000

  /// The zone of its times.
  var zone: Zone { Zone(named: self.timeZone) ?? .system() }

  /// Whether a day is between the first and the last one.
  func covers(_ day: Day) -> Bool {
    (Day(self.from).map { $0 <= day } ?? true) && (Day(self.until).map { day <= $0 } ?? true)
  }
}

extension Weekday {
  /// As in `Day.weekday`.
  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
