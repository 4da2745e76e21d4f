public import Bus
internal import CivilTime
internal import KithMessages

/// Numbers of the calls, as pictures: by week, by feeling and by person.
public struct CallStatisticsPage: Page {
  private let selection: CallSelection

  /// Makes the page of a query.
  init(_ query: (String) -> String?) { self.selection = CallSelection(query) }

  /// Asks for the numbers.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    var request = CallStatsRequest()
    request.filter = self.selection.filter(view.zone)
    request.timeZone = view.zone.name
    let stats = try await hub.ask(request)
    var waiting = CallStatsRequest()
    waiting.filter = request.filter
    waiting.filter.syncState = SyncState.pending.rawValue
    let hasServer = try await !hub.ask(MonicaStatusRequest()).endpoint.isEmpty
    let pending = hasServer ? try await hub.ask(waiting).calls : nil
    return Shown(
      view[.statistics], in: .calls, follows: ["calls"],
      """
      \(self.selection.form("/calls/statistics", view, hasText: false))\
      \(stats.calls == 0 ? "<p class=\"empty\">\(view[.noCalls])</p>" : self.numbers(stats, pending: pending, view))
      """)
  }

  private func numbers(_ stats: CallStatsReply, pending: UInt32?, _ view: PageView) -> HTML {
    var rows: [(Text, String)] = [
      (Text("Calls", "電話"), "\(stats.calls)"), (Text("Minutes", "分"), "\(stats.minutes)"),
      (Text("Minutes a call", "1回あたりの分"), Self.short(stats.averageMinutes)),
      (Text("Calls a week", "1週間あたり"), Self.short(stats.callsAWeek)),
      (Text("They called", "相手から"), "\(stats.theyCalled)"),
    ]
    if let pending { rows.append((Text("Not on the server yet", "サーバー未送信"), "\(pending)")) }
    let facts = HTML(rows.map { "<div><dt>\(view[$0.0])</dt><dd>\($0.1)</dd></div>" })
    let weeks = stats.weeks.reversed().map { week in
      let day = Day(week.monday)
      return (label: day.map { "\($0.components.month)/\($0.components.day)" } ?? "", value: Int(week.calls))
    }
    let emotions = CallEmotion.allCases.map { emotion in
      (label: String(view[emotion.name].prefix(1)), value: Int(stats.emotions[emotion.rawValue] ?? 0))
    }
    return """
      <section class="card"><dl class="numbers">\(facts)</dl></section>
      <section class="card"><h2>\(view[.byWeek])</h2>\(BarChart(title: view[.byWeek], bars: weeks).html)</section>
      <section class="card"><h2>\(view[.byFeeling])</h2>\(BarChart(title: view[.byFeeling], bars: emotions).html)</section>
      <section class="card"><h2>\(view[.byPerson])</h2>\(self.people(stats.people, view))</section>
      """
  }

  private func people(_ people: [PersonCalls], _ view: PageView) -> HTML {
    let rows = HTML(
      people.map { person in
        """
        <tr><th scope="row"><a href="/people/\(person.personID)">\(person.personName)</a></th><td>\(person.calls)</td>\
        <td>\(Self.short(person.averageMinutes))</td><td>\(view.dayAndTime(of: person.lastCalledAt))</td></tr>
        """
      })
    return """
      <table><thead><tr><th scope="col">\(view[.person])</th><th scope="col">\(view[.calls])</th><th scope="col">\(view[.minutes])</th>\
      <th scope="col">\(view[.lastCalled])</th></tr></thead><tbody>\(rows)</tbody></table>
      """
  }

  /// A number with one decimal: `7.5`.
  private static func short(_ number: Float) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// Numbers as bars, each with its number above and its name below. Screen readers read them as one sentence.
struct BarChart: Sendable {
  private static let (width, height, step) = (28, 100, 40)

  let title: String
  let bars: [(label: String, value: Int)]

  /// The picture.
  var html: HTML {
    let most = max(1, self.bars.map(\.value).max() ?? 1)
    let sentence = self.bars.map { "\($0.label): \($0.value)" }.joined(separator: ", ")
    let shapes = HTML(
      self.bars.enumerated().map { index, bar in
        let (x, tall) = (index * Self.step, bar.value * Self.height / most)
        return """
          <rect class="bar" x="\(x)" y="\(20 + Self.height - tall)" width="\(Self.width)" height="\(tall)" rx="3"/>\
          <text x="\(x + Self.width / 2)" y="\(14 + Self.height - tall)">\(bar.value)</text>\
          <text x="\(x + Self.width / 2)" y="\(Self.height + 36)">\(bar.label)</text>
          """
      })
    let size = "0 0 \(max(1, self.bars.count) * Self.step) \(Self.height + 44)"
    return
      "<svg class=\"chart\" viewBox=\"\(size)\" role=\"img\" aria-label=\"\(self.title): \(sentence)\">\(shapes)</svg>"
  }
}

extension Text {
  static let lastCalled = Text("last", "前回")
  fileprivate static let byWeek = Text("Calls by week", "週ごとの電話")
  fileprivate static let byFeeling = Text("Calls by feeling", "気分ごとの電話")
  fileprivate static let byPerson = Text("By person", "相手ごと")
}
