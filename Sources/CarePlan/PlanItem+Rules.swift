internal import Bus
internal import CivilTime
internal import Fields
public import KithMessages

extension PlanItem {
  /// The fields that clients set.
  private static let given = Self.fields.filter(\.isGiven)

  /// Takes the fields of a request, checks them, and names its times.
  ///
  /// - Parameters:
  ///   - names: The names of the fields to take; none = the fields that are not empty.
  ///   - used: The greatest number that a time of this item has had.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for an unknown or invalid field.
  mutating func change(_ names: [String], as given: PlanItem, used: UInt32, now: Int64) throws(Failure) {
    let before = self
    try self.take(names, of: given)
    self.tidy(Self.given)
    for (field, path) in Self.quantities { self[keyPath: path] = try Self.quantity(self[keyPath: path], field) }
    try self.check(Self.given, now: now)
    // What comes every some days counts from it.
    if self.from.isEmpty { self.from = before.from }
    try self.settleTimes(before.times, used: used)
    try self.checkTogether()
  }

  private static let quantities: [(String, any WritableKeyPath<PlanItem, String> & Sendable)] = [
    ("amount", \.amount), ("order_at", \.orderAt),
  ]

  /// An amount in as few digits as say it; empty if none is given.
  ///
  /// - Throws: `FIELD_INVALID`.
  static func quantity(_ text: String, _ field: String) throws(Failure) -> String {
    guard !text.isEmpty else { return "" }
    guard let quantity = Quantity(text) else {
      throw .invalid(field: field, "must be an amount such as 2 or 0.5.")
    }
    return quantity.description
  }

  /// Gives each time the number of the time that it was: the one of the same time of day, or the one that it was moved from. So a time that
  /// moves in the middle of a day is not due twice.
  private mutating func settleTimes(_ before: [PlanTime], used: UInt32) throws(Failure) {
    var free = before
    for index in self.times.indices {
      let given = self.times[index]
      guard let time = TimeOfDay(given.time) else { throw .invalid(field: "times", "must be times as HH:MM.") }
      guard given.weekdays.allSatisfy({ Weekday(rawValue: $0) != nil }) else {
        throw .invalid(
          field: "times", "names a day of the week: \(Weekday.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      let days = Set(given.weekdays)
      self.times[index].time = time.description
      self.times[index].weekdays = Weekday.allCases.map(\.rawValue).filter(days.contains)
      self.times[index].amount = try Self.quantity(given.amount, "times")
      self.times[index].slot = Self.takeSlot(&free) {
        given.slot == 0 ? $0.time == time.description : $0.slot == given.slot
      }
    }
    self.settleMoved(free)
    var next = used
    for index in self.times.indices where self.times[index].slot == 0 {
      next += 1
      self.times[index].slot = next
    }
    let shown = self.times.map { "\($0.time) \($0.weekdays)" }
    guard Set(shown).count == shown.count else { throw .invalid(field: "times", "has the same time twice.") }
  }

  /// As many times as before have moved in their order. If some were taken away or are new, those moved that are nearest to each other: of
  /// 8:00 and 12:00 that become 13:00, 12:00 has moved, and 8:00 was taken away.
  private mutating func settleMoved(_ free: [PlanTime]) {
    let new = self.times.indices.filter { self.times[$0].slot == 0 }.sorted {
      self.times[$0].minute < self.times[$1].minute
    }
    let old = free.sorted { $0.minute < $1.minute }
    if new.count == old.count {
      for (index, time) in zip(new, old) { self.times[index].slot = time.slot }
      return
    }
    let pairs = new.flatMap { index in
      old.map { (index: index, old: $0, far: abs(self.times[index].minute - $0.minute)) }
    }
    var taken: Set<UInt32> = []
    for pair in pairs.sorted(by: { ($0.far, $0.index) < ($1.far, $1.index) }) where self.times[pair.index].slot == 0 {
      if taken.insert(pair.old.slot).inserted { self.times[pair.index].slot = pair.old.slot }
    }
  }

  private static func takeSlot(_ free: inout [PlanTime], _ fits: (PlanTime) -> Bool) -> UInt32 {
    guard let index = free.firstIndex(where: fits) else { return 0 }
    return free.remove(at: index).slot
  }

  private func checkTogether() throws(Failure) {
    let ways = [!self.times.isEmpty, self.everyHours > 0, self.asNeeded].count { $0 }
    guard ways == 1 else {
      throw .invalid(
        field: "times",
        ways == 0
          ? "say when: give `times`, `every_hours` or `as_needed`."
          : "give one of `times`, `every_hours` and `as_needed`.")
    }
    for (field, text) in [("from", self.from), ("until", self.until)] {
      guard let day = Day(text) else { continue }
      try day.requireNear(field)
    }
    if let from = Day(self.from), let until = Day(self.until), until < from {
      throw .invalid(field: "until", "is before the first day, \(from).")
    }
  }

  /// After how many minutes it is missed.
  public var missed: UInt32 { self.missedMinutes == 0 ? 120 : self.missedMinutes }
}

extension PlanTime {
  /// Minutes from midnight.
  fileprivate var minute: Int { TimeOfDay(self.time).map { $0.hour * 60 + $0.minute } ?? 0 }
}

extension Day {
  /// Whether somebody alive may have a plan for it; times of other days cannot be counted in nanoseconds.
  var isNear: Bool { (1900...2200).contains(self.components.year) }

  /// Refuses a day that is not near.
  ///
  /// - Throws: `FIELD_INVALID`.
  func requireNear(_ field: String) throws(Failure) {
    guard self.isNear else { throw .invalid(field: field, "must be a day from 1900 to 2200.") }
  }
}
