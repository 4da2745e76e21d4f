import Bus
import CivilTime
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaGateway
@testable import Storage

@Suite struct CallRuleTests {
  private static let day: Int64 = 86_400_000_000_000

  /// - Parameter day: Days after 1 January 2026, at noon UTC.
  private func fact(
    _ person: Int64 = 1, day: Int64, minutes: Int = 0, emotion: String = "", theyCalled: Bool = false,
    isRunning: Bool = false
  ) -> CallFact {
    CallFact(
      person: person, calledAt: (20_454 + day) * Self.day + Self.day / 2, minutes: minutes, emotion: emotion,
      theyCalled: theyCalled, isRunning: isRunning)
  }

  // MARK: - Groups

  @Test("groups go by the days of the time zone, and weeks begin on Monday")
  func groups() throws {
    let now = Household.start
    func title(_ text: String, zone: String = "UTC") throws -> String {
      let zone = try Zone.reading(zone)
      return CallGroups(in: zone, now: now).title(of: zone.day(at: try moment(text).nanosecondsSince1970))
    }
    #expect(try title("2026-03-06T00:00:00Z") == "today")
    #expect(try title("2026-03-07T09:00:00Z") == "today")
    #expect(try title("2026-03-05T23:59:59Z") == "yesterday")
    #expect(try title("2026-03-02T00:00:00Z") == "this_week")
    #expect(try title("2026-03-01T23:59:59Z") == "earlier")
    #expect(try title("2026-03-05T15:00:00Z", zone: "Asia/Tokyo") == "today")
    #expect(try title("2026-03-05T14:59:59Z", zone: "Asia/Tokyo") == "yesterday")
  }

  @Test("calls next to each other share a group")
  func grouping() throws {
    let calls = [0, 0, 1, 3, 30, 31].map { days in
      Call.with { $0.calledAt = .init(nanosecondsSince1970: Household.start - days * Self.day) }
    }
    let groups = CallGroups(in: try Zone.reading("UTC"), now: Household.start).group(calls)
    #expect(groups.map(\.title) == ["today", "yesterday", "this_week", "earlier"])
    #expect(groups.map(\.calls.count) == [2, 1, 1, 2])
    #expect(CallGroups(in: try Zone.reading("UTC"), now: Household.start).group([]).isEmpty)
  }

  // MARK: - Statistics

  @Test func statistics() throws {
    var statistics = CallStatistics(in: try Zone.reading("UTC"))
    // 2026-01-01 is a Thursday: days 0-3, 4-10 and 11-17 are three weeks.
    for fact in [
      self.fact(day: 0, minutes: 10, emotion: "happy"), self.fact(day: 3, minutes: 20, emotion: "happy"),
      self.fact(2, day: 12, emotion: "sad", theyCalled: true), self.fact(day: 17, minutes: 30),
    ] { statistics.count(fact) }
    #expect(statistics.mostCalled == [1, 2])
    let result = statistics.result([1: PersonName(id: "a", name: "Ann"), 2: PersonName(id: "b", name: "Bob")])
    #expect(result.calls == 4 && result.minutes == 60 && result.averageMinutes == 20 && result.theyCalled == 1)
    #expect(abs(result.callsAWeek - 4.0 / 3) < 0.001)
    #expect(result.emotions == ["happy": 2, "sad": 1])
    #expect(result.weeks.map(\.monday) == ["2026-01-12", "2026-01-05", "2025-12-29"])
    #expect(result.weeks.map(\.calls) == [2, 0, 2] && result.weeks.map(\.minutes) == [30, 0, 30])
    #expect(result.people.map(\.personName) == ["Ann", "Bob"])
    #expect(result.people.map(\.calls) == [3, 1] && result.people.map(\.averageMinutes) == [20, 0])
    #expect(result.people[0].lastCalledAt.nanosecondsSince1970 == self.fact(day: 17).calledAt)
  }

  @Test("minutes that somebody wrote on the server add up, however many")
  func statisticsOfLongCalls() throws {
    var statistics = CallStatistics(in: try Zone.reading("UTC"))
    for _ in 0..<3 { statistics.count(self.fact(day: 0, minutes: Int(UInt32.max))) }
    let result = statistics.result([:])
    #expect(result.minutes == .max && result.weeks.map(\.minutes) == [.max] && result.averageMinutes > 4e9)
  }

  @Test("of many weeks and people the newest 12 and the first 50 are given")
  func statisticsOfMany() throws {
    var statistics = CallStatistics(in: try Zone.reading("UTC"))
    for index in 0..<80 {
      for _ in 0...(index % 3) { statistics.count(self.fact(Int64(index), day: Int64(index * 7))) }
    }
    let names = Dictionary(uniqueKeysWithValues: (0..<80).map { (Int64($0), PersonName(id: "\($0)", name: "P\($0)")) })
    let result = statistics.result(names)
    #expect(result.weeks.count == 12 && result.people.count == 50)
    #expect(result.people.prefix(26).allSatisfy { $0.calls == 3 })
    #expect(result.people[0].personID == "77")
    #expect(CallStatistics(in: try Zone.reading("UTC")).result([:]) == CallStatsReply())
  }

  // MARK: - Rhythm

  private func due(_ facts: [CallFact], today: Int64) throws -> [CallRhythm.Due] {
    var rhythm = CallRhythm(in: try Zone.reading("UTC"), now: self.fact(day: today).calledAt)
    for fact in facts.shuffled() { rhythm.count(fact) }
    return rhythm.due
  }

  @Test("somebody is due when more than the middle gap has passed")
  func rhythm() throws {
    // Gaps of 7, 7 and 30 days.
    let facts = [0, 7, 14, 44].map { self.fact(day: $0) }
    #expect(try self.due(facts, today: 51).isEmpty)
    let due = try #require(try self.due(facts, today: 52).first)
    #expect(due.usualDays == 7 && due.overdueDays == 1 && due.lastCalledAt == self.fact(day: 44).calledAt)
  }

  @Test("several calls of a day are one day of the rhythm, and two days are none")
  func rhythmOfDays() throws {
    #expect(try self.due([0, 0, 0, 1].map { self.fact(day: $0) }, today: 60).isEmpty)
    let even = try self.due([0, 3, 8].map { self.fact(day: $0) }, today: 20)
    #expect(even.first?.usualDays == 4)
  }

  @Test("the most overdue by their own rhythm come first, then those called long ago")
  func orderOfSuggestions() throws {
    let weekly = [0, 7, 14].map { self.fact(1, day: $0) }
    let daily = [96, 97, 98].map { self.fact(2, day: $0) }
    let once = [self.fact(3, day: 5)]
    let twice = [self.fact(4, day: 1), self.fact(4, day: 4)]
    let lately = [self.fact(5, day: 90)]
    let due = try self.due(weekly + daily + once + twice + lately, today: 104)
    #expect(due.map(\.person) == [1, 2, 4, 3])
    #expect(due.map(\.usualDays) == [7, 1, 0, 0] && due.map(\.overdueDays) == [83, 5, 10, 9])
  }

  // MARK: - Timer

  @Test func timer() throws {
    let request = StartCallRequest.with { $0.personID = "a" }
    let call = try CallTimer.start(request, running: [], now: Household.start)
    #expect(call.isRunning && call.calledAt.nanosecondsSince1970 == Household.start)
    let other = Call.with {
      $0.id = "2"
      $0.personID = "b"
      $0.isRunning = true
    }
    #expect(throws: Failure.self) { try CallTimer.start(request, running: [call], now: 0) }
    #expect(try CallTimer.start(request, running: [other], now: 0).isRunning)
    #expect(try CallTimer.choose("", running: [other]) == other)
    #expect(try CallTimer.choose("2", running: [call, other]) == other)
    for (id, running, reason) in [
      ("", [], "CALL_NOT_RUNNING"), ("9", [other], "CALL_NOT_RUNNING"), ("", [call, other], "CALL_RUNNING"),
    ] {
      let failure = #expect(throws: Failure.self) { try CallTimer.choose(id, running: running) }
      #expect(failure?.reason == reason)
    }
  }

  @Test(
    "time is counted in minutes rounded up", arguments: [(0, 1), (1, 1), (60, 1), (61, 2), (-500, 1), (200_000, 3334)])
  func minutes(_ seconds: Int64, _ minutes: UInt32) throws {
    let call = try CallTimer.start(.with { $0.personID = "a" }, running: [], now: Household.start)
    let stopped = CallTimer.stop(call, now: Household.start + seconds * 1_000_000_000)
    #expect(stopped.durationMinutes == minutes && !stopped.isRunning)
  }

  // MARK: - Templates

  @Test("a template gives what a call leaves empty")
  func templates() throws {
    let template = CallTemplate.with {
      $0.name = " weekly "
      $0.durationMinutes = 30
      $0.emotion = "happy"
      $0.note = "news"
      $0.tags = ["family"]
      $0.theyCalled = true
    }
    var call = Call.with { $0.note = "mine" }
    try template.checked(now: 0).fill(&call)
    #expect(call.note == "mine" && call.durationMinutes == 30 && call.emotion == "happy" && call.tags == ["family"])
    #expect(call.theyCalled)
    #expect(try template.checked(now: 0).name == "weekly")
    let changes: [(inout CallTemplate) -> Void] = [
      { $0.name = "" }, { $0.name = String(repeating: "x", count: 65) }, { $0.emotion = "x" },
      { $0.durationMinutes = 2000 }, { $0.tags = ["a b"] }, { $0.note = String(repeating: "x", count: 5001) },
    ]
    for change in changes {
      var bad = template
      change(&bad)
      #expect(throws: Failure.self) { try bad.checked(now: 0) }
    }
  }

  // MARK: - Reminders of people

  @Test(
    "the next day is counted as the server counts it",
    arguments: [
      ("2026-08-31", "month", 1, "2026-08-31", "2026-08-31"),
      ("2026-08-31", "month", 1, "2026-09-01", "2026-10-01"),
      ("2026-08-31", "month", 1, "2026-10-02", "2026-11-01"),
      ("2024-02-29", "year", 1, "2025-01-01", "2025-03-01"),
      ("2024-02-29", "year", 1, "2028-02-29", "2028-03-01"),
      ("2026-01-01", "week", 2, "2026-01-02", "2026-01-15"),
      ("2026-01-01", "week", 2, "2026-01-15", "2026-01-15"),
      ("2030-01-01", "week", 1, "2026-01-15", "2030-01-01"),
      ("2025-11-30", "month", 3, "2025-12-01", "2026-03-02"),
      ("0001-01-01", "week", 0, "2026-03-06", "2026-03-09"),
    ])
  func nextDay(_ initial: String, _ frequency: String, _ every: UInt32, _ today: String, _ next: String) throws {
    let reminder = PersonReminder.with {
      $0.initialDate = initial
      $0.frequency = frequency
      $0.every = every
    }
    #expect(reminder.nextDay(from: try #require(Day(today)))?.description == next)
    #expect(PersonReminder().nextDay(from: try #require(Day(today))) == nil)
  }

  /// Created at noon UTC, when it may have been the previous day; the server moves a past date by years.
  @Test(
    "what comes once comes on its day, and not again",
    arguments: [
      ("2026-05-01", "2026-03-06", "2026-03-06", "2026-05-01"),
      ("2026-05-01", "2026-03-06", "2026-05-01", "2026-05-01"),
      ("2026-05-01", "2026-03-06", "2026-05-02", nil), ("2026-05-01", "2026-03-06", "2027-04-30", nil),
      ("2026-05-01", "2026-05-01", "2026-05-01", "2026-05-01"), ("2026-05-01", "2026-05-01", "2026-05-02", nil),
      ("2020-05-01", "2026-03-06", "2026-03-06", "2026-05-01"), ("2020-05-01", "2026-03-06", "2026-05-02", nil),
      ("2020-05-01", "9999-03-06", "2026-03-06", "2026-05-01"),
    ] as [(String, String, String, String?)])
  func onlyDay(_ initial: String, _ made: String, _ today: String, _ next: String?) throws {
    let day = try #require(Day(made))
    let reminder = PersonReminder.with {
      $0.initialDate = initial
      $0.frequency = "one_time"
      $0.createdAt.seconds = Int64(day.number) * 86_400 + 43_200
    }
    #expect(reminder.nextDay(from: try #require(Day(today)))?.description == next)
  }
}
