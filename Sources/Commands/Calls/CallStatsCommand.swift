internal import ArgumentParser
internal import CivilTime
internal import KithMessages

struct CallStatsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Show how often and how long calls are, by week and by person.",
    discussion: "Example: kith call stats --person ann")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var filter: CallFilterOptions

  func run(_ session: Session) async throws {
    var request = CallStatsRequest()
    request.filter = try await self.filter.filter(session)
    request.timeZone = session.zone.name
    let reply = try await session.ask(request)
    try await session.show(reply, CallStats(reply).lines(session))
  }
}

/// Call statistics as lines.
struct CallStats {
  private static let cells = 24

  private let stats: CallStatsReply

  init(_ stats: CallStatsReply) { self.stats = stats }

  func lines(_ session: Session) -> [String] {
    guard self.stats.calls > 0 else { return ["No calls found."] }
    return self.summary + self.weeks(session) + self.people(session)
  }

  private var summary: [String] {
    let stats = self.stats
    var lines = ["\(Count.of(Int(stats.calls), "call")), \(Count.decimal(stats.callsAWeek)) a week"]
    if stats.minutes > 0 {
      lines.append(
        "\(Count.of(Int(stats.minutes), "minute")), \(Count.decimal(stats.averageMinutes)) a call on average")
    }
    let theirs = Int(stats.theyCalled)
    lines.append("They called \(Count.of(theirs, "time")), you \(Count.of(Int(stats.calls) - theirs, "time"))")
    let emotions = Emotion.allCases.compactMap { emotion in
      stats.emotions[emotion.rawValue].map { "\(Emotion.words(emotion.rawValue)) \(Count.grouped(Int($0)))" }
    }
    return emotions.isEmpty ? lines : lines + [emotions.joined(separator: "   ")]
  }

  private func weeks(_ session: Session) -> [String] {
    let most = Int(self.stats.weeks.map(\.calls).max() ?? 0)
    guard most > 0 else { return [] }
    var table = Table([Column("WEEK OF"), Column("CALLS", .right), Column("MINUTES", .right), Column("", name: "bar")])
    for week in self.stats.weeks {
      let bar = String(repeating: "█", count: (Int(week.calls) * Self.cells + most - 1) / most)
      table.add(week.monday, Count.grouped(Int(week.calls)), Count.grouped(Int(week.minutes)), bar)
    }
    return [""] + table.lines(session)
  }

  private func people(_ session: Session) -> [String] {
    guard !self.stats.people.isEmpty else { return [] }
    var table = Table([
      Column("PERSON"), Column("CALLS", .right), Column("LAST CALL", drops: 2), Column("AVERAGE", .right, drops: 1),
      Column("ID"),
    ])
    for person in self.stats.people {
      table.add(
        person.personName, Count.grouped(Int(person.calls)), RelativeTime.words(person.lastCalledAt, now: session.now),
        person.averageMinutes > 0 ? "\(Count.decimal(person.averageMinutes)) min" : "", session.ids[person.personID])
    }
    return [""] + table.lines(session)
  }
}

struct SuggestCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest", abstract: "Suggest whom to call: people whose last call is longer ago than usual.",
    discussion: "Example: kith call suggest")

  @OptionGroup var global: GlobalOptions

  @Option(help: "How many people.")
  var limit: UInt32 = 10

  func run(_ session: Session) async throws {
    var request = SuggestCallsRequest()
    request.limit = self.limit
    let reply = try await session.ask(request)
    try await session.show(reply, Self.lines(reply.suggestions, session))
  }

  private static func lines(_ suggestions: [CallSuggestion], _ session: Session) -> [String] {
    guard !suggestions.isEmpty else { return ["Nobody found: calls are as frequent as usual."] }
    var table = Table([
      Column("PERSON"), Column("LAST CALL", drops: 2), Column("USUALLY", drops: 1), Column("OVERDUE", .right),
      Column("ID"),
    ])
    for suggestion in suggestions {
      table.add(
        suggestion.personName, RelativeTime.words(suggestion.lastCalledAt, now: session.now),
        suggestion.usualDays == 0 ? "" : "every \(Count.of(Int(suggestion.usualDays), "day"))",
        Count.of(Int(suggestion.overdueDays), "day"),
        session.ids[suggestion.personID])
    }
    return table.lines(session)
  }
}
