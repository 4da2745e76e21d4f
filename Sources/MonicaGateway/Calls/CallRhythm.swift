internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// How often somebody is called, and so who is due.
struct CallRhythm {
  private struct Person {
    var name: String
    var last: Int64
    /// Days with a call.
    var days: Set<Int>
  }

  /// Days with a call that make a rhythm.
  private static let leastDays = 3
  /// Of somebody without a rhythm: days after which nothing was heard for long.
  private static let longAgo = 90

  private let time: LocalTime
  private let today: Int
  private var people: [String: Person] = [:]

  /// - Parameter now: Nanoseconds since 1970.
  init(in time: LocalTime, now: Int64) {
    self.time = time
    self.today = time.day(now).daysSince1970
  }

  /// Takes a call into account; in any order.
  mutating func count(_ call: CallFact) {
    let day = self.time.day(call.calledAt).daysSince1970
    guard var person = self.people[call.personID] else {
      self.people[call.personID] = Person(name: call.personName, last: call.calledAt, days: [day])
      return
    }
    person.last = max(person.last, call.calledAt)
    person.days.insert(day)
    self.people[call.personID] = person
  }

  /// Those who are due: the most overdue by their own rhythm first, then those without a rhythm by how long ago it was.
  var suggestions: [CallSuggestion] {
    var due: [(suggestion: CallSuggestion, lateness: Double)] = []
    var distant: [CallSuggestion] = []
    for (id, person) in self.people {
      let days = person.days.sorted()
      guard let last = days.last else { continue }
      var suggestion = CallSuggestion()
      suggestion.personID = id
      suggestion.personName = person.name
      suggestion.lastCalledAt = .init(nanosecondsSince1970: person.last)
      let since = self.today - last
      if days.count >= Self.leastDays {
        let usual = Self.median(zip(days.dropFirst(), days).map { $0 - $1 })
        guard since > usual else { continue }
        suggestion.usualDays = UInt32(clamping: usual)
        suggestion.overdueDays = UInt32(clamping: since - usual)
        due.append((suggestion, Double(since) / Double(usual)))
      } else if since >= Self.longAgo {
        suggestion.overdueDays = UInt32(clamping: since - Self.longAgo)
        distant.append(suggestion)
      }
    }
    due.sort { ($1.lateness, $0.suggestion.personID) < ($0.lateness, $1.suggestion.personID) }
    distant.sort { ($0.lastCalledAt.seconds, $0.personID) < ($1.lastCalledAt.seconds, $1.personID) }
    return due.map(\.suggestion) + distant
  }

  /// The middle one; of an even number the mean of the two in the middle, rounded up. At least a day, as the gaps are.
  private static func median(_ gaps: [Int]) -> Int {
    let sorted = gaps.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle] + 1) / 2 : sorted[middle]
  }
}
