internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// Counts calls, added one by one in any order.
struct CallStatistics {
  private struct Week {
    var calls: UInt32 = 0
    var minutes: UInt64 = 0
  }

  private struct Person {
    var calls: UInt32 = 0
    var minutes: UInt64 = 0
    var timed: UInt32 = 0
    var last = Int64.min
  }

  private static let weekLimit = 12
  private static let peopleLimit = 50

  private let zone: Zone
  private var reply = CallStatsReply()
  private var minutes: UInt64 = 0
  private var timed: UInt32 = 0
  /// By the day number of the week's Monday.
  private var weeks: [Int: Week] = [:]
  /// By the row of the person.
  private var people: [Int64: Person] = [:]

  init(in zone: Zone) { self.zone = zone }

  /// Adds a call. A call with a running timer is ignored: its duration is not known yet.
  mutating func count(_ call: CallFact) {
    guard !call.isRunning else { return }
    let minutes = UInt64(clamping: call.minutes)
    self.reply.calls += 1
    self.minutes += minutes
    if minutes > 0 { self.timed += 1 }
    if !call.emotion.isEmpty { self.reply.emotions[call.emotion, default: 0] += 1 }
    if call.theyCalled { self.reply.theyCalled += 1 }
    let monday = self.zone.day(at: call.calledAt).monday.number
    self.weeks[monday, default: Week()].calls += 1
    self.weeks[monday, default: Week()].minutes += minutes
    var person = self.people[call.person] ?? Person()
    person.calls += 1
    person.minutes += minutes
    if minutes > 0 { person.timed += 1 }
    person.last = max(person.last, call.calledAt)
    self.people[call.person] = person
  }

  /// The rows of the people with the most calls, whom the result names.
  var mostCalled: [Int64] {
    self.people.sorted { ($1.value.calls, $1.value.last, $0.key) < ($0.value.calls, $0.value.last, $1.key) }
      .prefix(Self.peopleLimit).map(\.key)
  }

  /// Returns the counts.
  ///
  /// - Parameter names: The names of ``mostCalled``.
  func result(_ names: [Int64: PersonName]) -> CallStatsReply {
    var reply = self.reply
    reply.minutes = UInt32(clamping: self.minutes)
    if self.timed > 0 { reply.averageMinutes = Float(self.minutes) / Float(self.timed) }
    if let first = self.weeks.keys.min(), let last = self.weeks.keys.max() {
      reply.callsAWeek = Float(reply.calls) / Float((last - first) / 7 + 1)
      let oldest = max(first, last - 7 * (Self.weekLimit - 1))
      reply.weeks = stride(from: last, through: oldest, by: -7).map { monday in
        var week = WeekOfCalls()
        week.monday = Day(number: monday).description
        week.calls = self.weeks[monday]?.calls ?? 0
        week.minutes = UInt32(clamping: self.weeks[monday]?.minutes ?? 0)
        return week
      }
    }
    reply.people = self.mostCalled.compactMap { row in
      guard let person = self.people[row], let name = names[row] else { return nil }
      var calls = PersonCalls()
      calls.personID = name.id
      calls.personName = name.name
      calls.calls = person.calls
      calls.lastCalledAt = .init(nanosecondsSince1970: person.last)
      if person.timed > 0 { calls.averageMinutes = Float(person.minutes) / Float(person.timed) }
      return calls
    }
    return reply
  }
}
