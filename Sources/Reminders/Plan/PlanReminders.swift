internal import Bus
internal import CarePlan
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// What people are told of the care plan at a moment: what is due, again while nobody answers, and once what was missed.
///
/// A value without a clock and a store. A reminder names the times that were due together; what became of each follows from the plan and
/// from what was recorded, whenever and by whomever. Only what was said is kept, so that a restart says nothing twice.
///
/// ```swift
/// let plan = PlanReminders(kept, times, now: now, zone: zone)
/// for reminder in plan.changed { store(reminder) }
/// for reminder in plan.due { say(reminder) }
/// ```
struct PlanReminders: Sendable {
  /// Reminders that are new or have changed.
  private(set) var changed: [Change] = []
  /// Reminders to say now, each of them among ``changed``.
  private(set) var due: [Reminder] = []
  /// What to say as missed now, by time, with the reminders that name it.
  private(set) var missed: [(reminder: String, time: RemindedTime)] = []
  /// When there is something to say next; nil = nothing is known. Nanoseconds since 1970.
  private(set) var next: Int64?

  /// A reminder to store.
  struct Change: Sendable {
    let reminder: Reminder
    /// Whether it came, or its state has changed.
    let isNews: Bool
  }

  /// How long what was missed is told afterwards, in nanoseconds: three days.
  static let memory: Int64 = 3 * 86_400_000_000_000
  /// How far times have to be known, in nanoseconds: something may be given for a time of the next hours, also twice. It is beyond what may
  /// be ahead of a clock that was set back.
  static let ahead: Int64 = 12 * hour
  /// How long before it comes a reminder is in lists of what is to come, in nanoseconds: a day.
  static let listed: Int64 = 24 * hour

  private static let hour: Int64 = 3_600_000_000_000
  private static let minute: Int64 = 60_000_000_000

  private let now: Int64
  private let zone: Zone
  private let times: [Name: PlannedTime]

  /// What tells one time from all others.
  private struct Name: Hashable {
    let item: String
    let key: String
    let instant: Int64
  }

  /// Compares what was said with what is due.
  ///
  /// - Parameters:
  ///   - kept: The reminders of the plan that are open, or were due within ``memory``.
  ///   - times: What was due since then, and is due within ``ahead``.
  ///   - now: Nanoseconds since 1970.
  init(_ kept: [Reminder], _ times: [PlannedTime], now: Int64, zone: Zone) {
    self.now = now
    self.zone = zone
    self.times = Dictionary(times.map { (Name(item: $0.item.id, key: $0.key, instant: $0.instant), $0) }) { one, _ in
      one
    }
    var reminders: [String: Reminder] = [:]
    for reminder in kept where reminder.knownKind == .plan { reminders[reminder.id] = self.goOn(reminder) }
    let known = Set(
      reminders.values.flatMap(\.times).map {
        Name(item: $0.itemID, key: $0.timeKey, instant: $0.due.nanosecondsSince1970)
      })
    let new = times.filter {
      $0.reminds && $0.answer == nil && $0.instant <= now
        && !known.contains(Name(item: $0.item.id, key: $0.key, instant: $0.instant))
    }
    self.begin(new.filter { now <= $0.end }, reminders)
    let late = Dictionary(grouping: new.filter { now > $0.end }) { $0.instant / Self.minute }
    for change in self.changed { reminders[change.reminder.id] = change.reminder }
    for (_, times) in late.sorted(by: { $0.key < $1.key }) { self.miss(times, reminders) }
    self.missed.sort {
      ($0.time.due.nanosecondsSince1970, $0.time.name) < ($1.time.due.nanosecondsSince1970, $1.time.name)
    }
    for time in times where time.instant > now && time.reminds && time.answer == nil { self.comeBack(at: time.instant) }
  }

  /// A reminder as it is after somebody answered; nothing is said.
  static func answered(_ reminder: Reminder, _ times: [PlannedTime], now: Int64, zone: Zone) -> Reminder {
    Self([reminder], times.filter { time in reminder.times.contains { $0.names(time) } }, now: now, zone: zone)
      .changed.last?.reminder ?? reminder
  }

  /// The reminders that times to come will be, by time, without ids: what one is about is settled when its time has come.
  static func coming(_ times: [PlannedTime], now: Int64, zone: Zone) -> [Reminder] {
    let plan = Self([], [], now: now, zone: zone)
    let open = times.filter { $0.instant > now && $0.reminds && $0.answer == nil }
    let groups = Dictionary(grouping: open) { $0.instant / Self.minute * Self.minute }
    return groups.sorted { $0.key < $1.key }.map { instant, times in
      var reminder = plan.reminder(for: times, at: instant, [:])
      reminder.id = ""
      reminder.knownState = .waiting
      for index in reminder.times.indices { reminder.times[index].knownState = .coming }
      reminder.title = reminder.words
      return reminder
    }
  }

  // MARK: - What was said before

  /// The reminder as it is now.
  private mutating func goOn(_ before: Reminder) -> Reminder {
    var reminder = before
    if self.isOfTheFuture(reminder) {
      // The clock was ahead: what was said is said again when its time has come.
      reminder.times = []
      reminder.knownState = .removed
      self.store(reminder, before: before)
      return reminder
    }
    guard reminder.mayGoOn, !reminder.times.isEmpty else { return reminder }
    self.look(at: &reminder)
    let said = self.advance(&reminder)
    if said { self.say(&reminder) }
    reminder.title = reminder.words
    self.store(reminder, before: before)
    if said { self.due.append(reminder) }
    self.plan(reminder)
    return reminder
  }

  /// A clock that was set back by less than an hour repeats nothing.
  private func isOfTheFuture(_ reminder: Reminder) -> Bool {
    let due = reminder.due.nanosecondsSince1970
    guard reminder.knownState == .missed else { return reminder.knownState != .done && due > self.now + Self.hour }
    // It was said at the end of what is missed, which may be minutes or hours after it was due, or as soon as a clock was ahead.
    return due > self.now && reminder.updatedAt.nanosecondsSince1970 > self.now + Self.hour
  }

  /// Notes what became of its times.
  private func look(at reminder: inout Reminder) {
    for index in reminder.times.indices {
      var time = reminder.times[index]
      let planned = self.planned(time)
      if let answer = planned?.answer {
        time.knownState = answer.knownOutcome.map(DueState.init) ?? .given
        (time.by, time.at) = (answer.recorder, answer.occurredAt)
      } else if let planned {
        time.by = ""
        time.clearAt()
        // A clock that was ahead has told it too early. One that was set back by less than an hour repeats nothing.
        if self.now + Self.hour <= planned.end { time.toldMissed = false }
        // What was paused over its end is over.
        let isOver = time.state.isEmpty && self.now > planned.end
        let isOpen = planned.reminds && !isOver
        time.state = time.toldMissed ? DueState.missed.rawValue : isOpen ? DueState.due.rawValue : ""
      } else if time.knownState == .due {
        time.state = ""
      }
      reminder.times[index] = time
    }
  }

  /// Gives it its state.
  ///
  /// - Returns: Whether it is to be said.
  private mutating func advance(_ reminder: inout Reminder) -> Bool {
    if reminder.open.isEmpty {
      reminder.knownState = reminder.stateOfClosed
      return false
    }
    switch reminder.knownState {
    case .snoozed:
      guard reminder.again?.isDue(at: self.now) ?? true else { return false }
      reminder.knownState = .due
      self.wait(&reminder)
      return true
    case .done, .missed, .satisfied, .waiting, .removed, nil:
      // An answer was taken back, or what was paused goes on.
      reminder.knownState = .due
      reminder.saidAt = .init(nanosecondsSince1970: self.now)
      self.wait(&reminder)
      return false
    case .due: break
    }
    for index in reminder.times.indices where reminder.times[index].knownState == .due {
      guard let end = self.end(of: reminder.times[index], in: reminder), self.now > end else { continue }
      reminder.times[index].toldMissed = true
      reminder.times[index].knownState = .missed
      self.missed.append((reminder.id, reminder.times[index]))
    }
    guard !reminder.open.isEmpty else {
      reminder.knownState = reminder.stateOfClosed
      return false
    }
    return self.again(reminder).map { $0 <= self.now } ?? false
  }

  /// Notes until when the open times are not missed: people get the time of one repetition to answer, after a snooze and after an answer was
  /// taken back.
  private func wait(_ reminder: inout Reminder) {
    let waits = reminder.open.compactMap { self.planned($0) }.map { min($0.item.again, $0.end - $0.instant) }
    reminder.patienceUntil = .init(nanosecondsSince1970: self.now + (waits.min() ?? 0))
  }

  /// When it is said again; nil = not before it is missed.
  private func again(_ reminder: Reminder) -> Int64? {
    let said = reminder.saidAt.nanosecondsSince1970
    return reminder.open.compactMap { time in
      guard let planned = self.planned(time), let end = self.end(of: time, in: reminder) else { return nil }
      // A clock that was set back a little.
      let again = min(said, self.now) + planned.item.again
      return again < end ? again : nil
    }.min()
  }

  private func end(of time: RemindedTime, in reminder: Reminder) -> Int64? {
    self.planned(time).map { max($0.end, reminder.patienceUntil.nanosecondsSince1970) }
  }

  private func planned(_ time: RemindedTime) -> PlannedTime? {
    self.times[Name(item: time.itemID, key: time.timeKey, instant: time.due.nanosecondsSince1970)]
  }

  // MARK: - What was not said yet

  /// One reminder for all that is due now.
  private mutating func begin(_ new: [PlannedTime], _ reminders: [String: Reminder]) {
    guard let first = new.map(\.instant).min(), let last = new.map(\.instant).max() else { return }
    var reminder = self.reminder(for: new, at: last, reminders)
    reminder.knownState = .due
    reminder.isLate = self.now - first > Self.minute
    self.say(&reminder)
    reminder.title = reminder.words
    self.changed.removeAll { $0.reminder.id == reminder.id }
    self.due.removeAll { $0.id == reminder.id }
    self.changed.append(Change(reminder: reminder, isNews: true))
    self.due.append(reminder)
    self.plan(reminder)
  }

  /// What was missed while nobody could say so.
  private mutating func miss(_ new: [PlannedTime], _ reminders: [String: Reminder]) {
    guard let instant = new.first?.instant else { return }
    var reminder = self.reminder(for: new, at: instant, reminders)
    for index in reminder.times.indices.suffix(new.count) {
      reminder.times[index].toldMissed = true
      reminder.times[index].knownState = .missed
      self.missed.append((reminder.id, reminder.times[index]))
    }
    if reminder.open.isEmpty { reminder.knownState = .missed }
    reminder.title = reminder.words
    self.changed.removeAll { $0.reminder.id == reminder.id }
    self.changed.append(Change(reminder: reminder, isNews: reminder.knownState == .missed))
  }

  /// The reminder of a minute with new times, besides those that it has. What was removed stays removed: its times are in none that comes.
  private func reminder(for new: [PlannedTime], at instant: Int64, _ reminders: [String: Reminder]) -> Reminder {
    var (id, number) = (Self.id(instant), 1)
    while reminders[id]?.mayGoOn == false {
      number += 1
      id = "\(Self.id(instant))-\(number)"
    }
    var reminder = reminders[id] ?? Reminder()
    if reminder.id.isEmpty {
      reminder.id = id
      reminder.knownKind = .plan
      reminder.day = self.zone.day(at: instant).description
      reminder.due = .init(nanosecondsSince1970: instant / Self.minute * Self.minute)
      reminder.createdAt = .init(nanosecondsSince1970: self.now)
    }
    reminder.times += new.sorted { ($0.instant, $0.item.name, $0.item.id) < ($1.instant, $1.item.name, $1.item.id) }
      .map(RemindedTime.init)
    reminder.updatedAt = .init(nanosecondsSince1970: self.now)
    return reminder
  }

  /// `plan:2026-11-25-0700`: the minute in UTC, which no other one shows; without capitals, as ids are typed. After one that was removed
  /// comes `plan:2026-11-25-0700-2`.
  private static func id(_ instant: Int64) -> String {
    let utc = Zone(named: "UTC") ?? .system()
    let (day, time) = utc.local(at: instant)
    return "plan:\(day)-\(time.description.filter { $0 != ":" })"
  }

  // MARK: - Notes

  private func say(_ reminder: inout Reminder) {
    reminder.said += 1
    reminder.saidAt = .init(nanosecondsSince1970: self.now)
    reminder.updatedAt = reminder.saidAt
    reminder.clearSnoozedUntil()
  }

  private mutating func store(_ reminder: Reminder, before: Reminder) {
    guard reminder != before else { return }
    var changed = reminder
    changed.updatedAt = .init(nanosecondsSince1970: self.now)
    let isNews = reminder.state != before.state || reminder.said != before.said
    self.changed.append(Change(reminder: changed, isNews: isNews))
  }

  private mutating func plan(_ reminder: Reminder) {
    if let again = reminder.again { self.comeBack(at: again.at) }
    guard reminder.knownState == .due else { return }
    if let again = self.again(reminder) { self.comeBack(at: again) }
    for time in reminder.open { if let end = self.end(of: time, in: reminder) { self.comeBack(at: end + 1) } }
  }

  private mutating func comeBack(at instant: Int64) { self.next = min(self.next ?? .max, instant) }
}

extension Reminder {
  /// The times that nobody answered, and that were not told as missed.
  var open: [RemindedTime] { self.times.filter { $0.knownState == .due } }

  /// What it is about now: what is open, else all.
  var named: [RemindedTime] { self.open.isEmpty ? self.times : self.open }

  /// `Aspirin 1 tablet, Vitamin 2 drops`.
  fileprivate var words: String { self.named.map(\.words).joined(separator: ", ") }

  /// Whether it is not removed by a person. What is removed because all of it was paused, or because the clock was ahead, may go on.
  fileprivate var mayGoOn: Bool { self.knownState != .removed || self.times.allSatisfy(\.state.isEmpty) }

  fileprivate var stateOfClosed: ReminderState {
    if self.times.contains(where: { $0.knownState == .missed }) { return .missed }
    return self.times.contains { !$0.state.isEmpty } ? .done : .removed
  }
}

extension RemindedTime {
  fileprivate init(_ planned: PlannedTime) {
    self.init()
    self.itemID = planned.item.id
    self.timeKey = planned.key
    self.due = .init(nanosecondsSince1970: planned.instant)
    self.name = planned.item.name
    self.amount = planned.amount
    self.unit = planned.item.unit
    self.knownState = .due
  }

  /// `Aspirin 1 tablet`.
  var words: String {
    [self.name, self.amount, self.amount.isEmpty ? "" : self.unit].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Whether it is a time of the plan.
  func names(_ time: PlannedTime) -> Bool {
    self.itemID == time.item.id && self.timeKey == time.key && self.due.nanosecondsSince1970 == time.instant
  }
}

extension PlanItem {
  /// After how many nanoseconds without an answer it is said again.
  fileprivate var again: Int64 { Int64(self.againMinutes == 0 ? 30 : self.againMinutes) * 60_000_000_000 }
}

extension DueState {
  fileprivate init(_ outcome: DoseOutcome) {
    switch outcome {
    case .given: self = .given
    case .partly: self = .partly
    case .skipped: self = .skipped
    }
  }
}
