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
    guard self.stats.calls > 0 else { return [session.language("No calls found.", "電話はありません。")] }
    return self.summary(session.language) + self.weeks(session) + self.people(session)
  }

  private func summary(_ say: Language) -> [String] {
    let stats = self.stats
    var lines = [
      say(
        "\(Count.of(Int(stats.calls), "call")), \(Count.decimal(stats.callsAWeek)) a week",
        "電話 \(stats.calls)回、週に\(Count.decimal(stats.callsAWeek))回")
    ]
    if stats.minutes > 0 {
      lines.append(
        say(
          "\(Count.of(Int(stats.minutes), "minute")), \(Count.decimal(stats.averageMinutes)) a call on average",
          "合計 \(stats.minutes)分、1回平均 \(Count.decimal(stats.averageMinutes))分"))
    }
    let theirs = Int(stats.theyCalled)
    let ours = Int(stats.calls) - theirs
    lines.append(
      say("They called \(Count.of(theirs, "time")), you \(Count.of(ours, "time"))", "相手から\(theirs)回、自分から\(ours)回"))
    let emotions = CallEmotion.allCases.compactMap { emotion in
      stats.emotions[emotion.rawValue].map { "\(CallEmotion.text(emotion.rawValue, say)) \(Count.grouped(Int($0)))" }
    }
    return emotions.isEmpty ? lines : lines + [emotions.joined(separator: "   ")]
  }

  private func weeks(_ session: Session) -> [String] {
    let most = Int(self.stats.weeks.map(\.calls).max() ?? 0)
    guard most > 0 else { return [] }
    var table = Table([
      Column("WEEK OF", "週"), Column("CALLS", "回数", .right), Column("MINUTES", "分", .right), Column("", name: "bar"),
    ])
    for week in self.stats.weeks {
      let bar = String(repeating: "█", count: (Int(week.calls) * Self.cells + most - 1) / most)
      table.add(week.monday, Count.grouped(Int(week.calls)), Count.grouped(Int(week.minutes)), bar)
    }
    return [""] + table.lines(session)
  }

  private func people(_ session: Session) -> [String] {
    guard !self.stats.people.isEmpty else { return [] }
    var table = Table([
      Column("PERSON", "人", wraps: true), Column("CALLS", "回数", .right), Column("LAST CALL", "最後の電話", drops: 2),
      Column("AVERAGE", "平均", .right, drops: 1),
      Column("ID"),
    ])
    for person in self.stats.people {
      table.add(
        person.personName, Count.grouped(Int(person.calls)), session.relative(person.lastCalledAt),
        person.averageMinutes > 0
          ? session.language("\(Count.decimal(person.averageMinutes)) min", "\(Count.decimal(person.averageMinutes))分")
          : "", session.ids[person.personID])
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
    let say = session.language
    guard !suggestions.isEmpty else {
      return [say("Nobody found: calls are as frequent as usual.", "いません。電話はいつもどおりです。")]
    }
    var table = Table([
      Column("PERSON", "人", wraps: true), Column("LAST CALL", "最後の電話", drops: 2), Column("USUALLY", "ふだん", drops: 1),
      Column("OVERDUE", "遅れ", .right),
      Column("ID"),
    ])
    for suggestion in suggestions {
      table.add(
        suggestion.personName, session.relative(suggestion.lastCalledAt),
        suggestion.usualDays == 0
          ? "" : say("every \(Count.of(Int(suggestion.usualDays), "day"))", "\(suggestion.usualDays)日ごと"),
        say(Count.of(Int(suggestion.overdueDays), "day"), "\(suggestion.overdueDays)日"),
        session.ids[suggestion.personID])
    }
    return table.lines(session)
  }
}
