public import Bus
internal import CivilTime
internal import KithMessages

/// The summary of a day, to read, to share and to send.
public struct SummaryPage: Page {
  private let day: String
  private let language: String

  /// Makes the page.
  ///
  /// - Parameter day: As `2026-11-24`; nil = today.
  public init(day: String?, language: String?) {
    self.day = day ?? ""
    self.language = language ?? ""
  }

  /// Asks for the summary and the channels.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    var request = CareSummaryRequest()
    request.day = self.day.isEmpty ? view.today.description : self.day
    request.language = self.language.isEmpty ? view.language.rawValue : self.language
    let summary = try await hub.ask(request)
    let day = Day(summary.day) ?? view.today
    // A browser gets empty messages, so a summary cannot go there.
    let all = view.canRecord ? try await hub.ask(ListChannelsRequest()).channels : []
    let channels = all.filter { !$0.isBrowser }
    let others = HTML(
      PageLanguage.allCases.map { language in
        "<a href=\"/summary?day=\(summary.day)&amp;language=\(language.rawValue)\" lang=\"\(language.rawValue)\">\(language.ownName)</a> "
      })
    let send: HTML =
      channels.isEmpty
      ? ""
      : Form(Methods.careShare, next: "/summary?day=\(summary.day)", view).with("day", summary.day)
        .with("language", summary.language).html(
          """
          <fieldset><legend>\(view[.sendTo])</legend>\(HTML(channels.map { """
          <label class="choice"><input type="checkbox" name="channels[]" value="\($0.name)"><span>\($0.name)</span></label>
          """ }))</fieldset><button>\(view[.send])</button>
          """)
    return Shown(
      "\(view[.summary]) – \(view.name(of: day))", in: .today, follows: ["care"],
      """
      <p class="links"><a href="/summary?day=\(day.adding(days: -1).description)">\(view.date(day.adding(days: -1)))</a> \(others)</p>
      <section class="card"><pre data-test="summary" lang="\(summary.language)">\(summary.text)</pre>
      <p class="actions"><button type="button" class="share" hidden>\(view[.share])</button></p>\(send)</section>
      """)
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
}
