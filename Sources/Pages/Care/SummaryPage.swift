public import Bus
internal import CivilTime
internal import KithMessages

/// The summary of a day, a week or a month, to read, to share and to send.
public struct SummaryPage: Page {
  private let day: String
  private let span: SummarySpan
  private let language: String

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - day: As `2026-11-24`; nil = today.
  ///   - span: `week` or `month`; nil = the day.
  public init(day: String?, span: String?, language: String?) {
    self.day = day ?? ""
    self.span = span.flatMap(SummarySpan.init(rawValue:)) ?? .day
    self.language = language ?? ""
  }

  /// Asks for the summary and the channels.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    var request = CareSummaryRequest()
    request.day = self.day.isEmpty ? view.today.description : self.day
    request.knownSpan = self.span
    request.language = self.language.isEmpty ? view.language.rawValue : self.language
    let summary = try await hub.ask(request)
    let day = Day(summary.day) ?? view.today
    // A browser gets empty messages, so a summary cannot go there.
    let all = view.canRecord ? try await hub.ask(ListChannelsRequest()).channels : []
    let channels = all.filter { !$0.isBrowser }
    let send: HTML =
      channels.isEmpty
      ? ""
      : Form(Methods.careShare, next: "/summary?day=\(summary.day)&span=\(self.span.rawValue)", view)
        .with("day", summary.day).with("span", self.span.rawValue).with("language", summary.language).html(
          """
          <fieldset><legend>\(view[.sendTo])</legend>\(HTML(channels.map { """
          <label class="choice"><input type="checkbox" name="channels[]" value="\($0.name)"><span>\($0.name)</span></label>
          """ }))</fieldset><button>\(view[.send])</button>
          """)
    return Shown(
      "\(view[self.span == .day ? .summary : .summaryOfDays]) – \(self.title(view, summary, day))", in: .today,
      follows: ["care"],
      """
      <p class="links">\(self.links(view, summary, day))</p>
      <section class="card"><pre data-test="summary" lang="\(summary.language)">\(summary.text)</pre>
      <p class="actions"><button type="button" class="share" hidden>\(view[.share])</button></p>\(send)</section>
      <p class="links"><a href="/export?what=report&amp;to=\(view.today.description)" data-test="report">\(view[.report])</a></p>
      """)
  }

  private func title(_ view: PageView, _ summary: CareSummaryReply, _ day: Day) -> String {
    guard self.span != .day, let first = Day(summary.from), let last = Day(summary.until) else {
      return view.name(of: day)
    }
    return "\(view.date(first)) – \(view.date(last))"
  }

  /// The time before, the other spans and the other languages.
  private func links(_ view: PageView, _ summary: CareSummaryReply, _ day: Day) -> HTML {
    let before = (Day(summary.from) ?? day).adding(days: -1)
    let spans = HTML(
      SummarySpan.allCases.filter { $0 != self.span }.map {
        "<a href=\"/summary?day=\(summary.day)&amp;span=\($0.rawValue)\" data-test=\"span-\($0.rawValue)\">\(view[$0.name])</a> "
      })
    let languages = HTML(
      PageLanguage.allCases.map {
        """
        <a href="/summary?day=\(summary.day)&amp;span=\(self.span.rawValue)&amp;language=\($0.rawValue)" lang="\($0.rawValue)">\($0.ownName)</a> 
        """
      })
    return """
      <a href="/summary?day=\(before.description)&amp;span=\(self.span.rawValue)">\(self.span == .day ? view.date(before) : view[.before])</a> \
      \(spans)\(languages)
      """
  }
}

extension SummarySpan {
  /// What it is called as a link.
  fileprivate var name: Text {
    switch self {
    case .day: Text("Day", "1日")
    case .week: Text("Week", "1週間")
    case .month: Text("Month", "1か月")
    }
  }
}

extension PageLanguage {
  /// Its name in itself.
  var ownName: String { self == .japanese ? "日本語" : "English" }
}

extension Text {
  fileprivate static let sendTo = Text("Send to", "送り先")
  fileprivate static let send = Text("Send", "送信")
  fileprivate static let share = Text("Share", "共有")
  fileprivate static let summaryOfDays = Text("Summary", "まとめ")
  fileprivate static let before = Text("Before", "前の期間")
  fileprivate static let report = Text("Report for a doctor: four weeks as PDF", "医師への報告書（4週間、PDF）")
}
