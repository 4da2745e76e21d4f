internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

/// How often a person is called, and who is therefore due for a call.
struct CallRhythm {
  /// A person who is due for a call.
  struct Due: Equatable, Sendable {
    /// The row of the person.
    let person: Int64
    /// Nanoseconds since 1970.
    let lastCalledAt: Int64
    /// The median gap between days with a call; 0 without a rhythm.
    let usualDays: Int
    let overdueDays: Int
  }

  private struct Person {
    var last: Int64
    /// The days with a call.
    var days: Set<Int>
  }

  /// The fewest days with a call that make a rhythm.
  private static let leastDays = 3
  /// The days after which a person without a rhythm is due.
  private static let longAgo = 90

  private let zone: Zone
  private let today: Int
  private var people: [Int64: Person] = [:]

  /// - Parameter now: Nanoseconds since 1970.
  init(in zone: Zone, now: Int64) {
    self.zone = zone
    self.today = zone.day(at: now).number
  }

  /// Adds a call; in any order.
  mutating func count(_ call: CallFact) {
    let day = self.zone.day(at: call.calledAt).number
    guard var person = self.people[call.person] else {
      self.people[call.person] = Person(last: call.calledAt, days: [day])
      return
    }
    person.last = max(person.last, call.calledAt)
    person.days.insert(day)
    self.people[call.person] = person
  }

  /// The people who are due: first those with a rhythm, the most overdue first; then those without, the longest ago
  /// first.
  var due: [Due] {
    var rhythmic: [(due: Due, lateness: Double)] = []
    var distant: [Due] = []
    for (row, person) in self.people {
      let days = person.days.sorted()
      guard let last = days.last else { continue }
      let since = self.today - last
      if days.count >= Self.leastDays {
        let usual = Self.median(zip(days.dropFirst(), days).map { $0 - $1 })
        guard since > usual else { continue }
        let due = Due(person: row, lastCalledAt: person.last, usualDays: usual, overdueDays: since - usual)
        rhythmic.append((due, Double(since) / Double(usual)))
      } else if since >= Self.longAgo {
        distant.append(
          Due(person: row, lastCalledAt: person.last, usualDays: 0, overdueDays: since - Self.longAgo))
      }
    }
    rhythmic.sort { ($1.lateness, $0.due.person) < ($0.lateness, $1.due.person) }
    distant.sort { ($0.lastCalledAt, $0.person) < ($1.lastCalledAt, $1.person) }
    return rhythmic.map(\.due) + distant
  }

  /// The median; of an even number the mean of the two in the middle, rounded up. At least one day, as every gap is.
  private static func median(_ gaps: [Int]) -> Int {
    let sorted = gaps.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle] + 1) / 2 : sorted[middle]
  }
}
