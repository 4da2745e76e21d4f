internal import KithMessages

/// The pages of a report of calls: its filter, totals, and the calls of each day.
final class CallDocument: Document {
  private(set) var warnings: [String] = []
  private let report: CallReport
  private let words: ReportWords

  init(_ report: CallReport) {
    self.report = report
    self.words = report.language == "ja" ? .japanese : .english
  }

  func print() -> Bool {
    guard let pages = PageWriter(title: self.words.title, language: self.words.language) else { return false }
    self.printHead(pages)
    for day in self.report.days { self.print(day, pages) }
    if self.report.days.isEmpty { pages.row([self.line(self.words.nothing)]) }
    self.warnings = pages.sayMissing(self.words.missing)
    return pages.finish()
  }

  private func printHead(_ pages: PageWriter) {
    let (report, words) = (self.report, self.words)
    pages.row([self.line(words.title, font: "Sans Bold 18")], gap: 6)
    let subjects = [
      report.personName, words.emotion(report.emotion), report.tag.isEmpty ? "" : "#\(report.tag)",
    ].filter { !$0.isEmpty }
    if !subjects.isEmpty { pages.row([self.line(subjects.joined(separator: " · "), font: "Sans Bold 11")]) }
    let range = words.range(report.from, report.to)
    pages.row([self.line("\(range) (\(report.timeZone))")], gap: 10)
    let stats = report.stats
    var totals = [words.calls(stats.calls), words.total(stats.minutes)]
    if stats.averageMinutes > 0 { totals.append(words.average(stats.averageMinutes)) }
    if stats.calls > 0 { totals.append(words.aWeek(stats.callsAWeek)) }
    if stats.theyCalled > 0 { totals.append(words.received(stats.theyCalled)) }
    for total in totals { pages.row([self.line(total)]) }
    // In the order of the scale, whatever the order of the map.
    let emotions = ReportWords.emotions.compactMap { name in
      stats.emotions[name].map { "\(words.emotion(name)) \($0)" }
    }
    if !emotions.isEmpty { pages.row([self.line(emotions.joined(separator: ", "))]) }
    pages.row([self.line(words.madeOn(report.madeOn))], gap: 12)
    pages.row(self.cells(words.time, words.person, words.minutes, words.feeling, words.note, font: PageWriter.bold))
    pages.rule()
  }

  private func print(_ day: CallReportDay, _ pages: PageWriter) {
    let date = self.words.day(day.date)
    pages.skip(6)
    pages.row([self.line(date, font: PageWriter.bold)], following: 24)
    for entry in day.entries {
      let call = entry.call
      let person = call.personName + (call.theyCalled ? "\n\(self.words.theyCalled)" : "")
      let tags = call.tags.map { "#\($0)" }.joined(separator: " ")
      let pictures = call.attachments.count { $0.mediaType.hasPrefix("image/") }
      let note = [call.note, tags, pictures == 0 ? "" : self.words.pictures(pictures)].filter { !$0.isEmpty }.joined(
        separator: "\n")
      let minutes = call.durationMinutes == 0 ? "" : "\(call.durationMinutes)"
      pages.row(
        self.cells(entry.time, person, minutes, self.words.emotion(call.emotion), note),
        repeating: [self.line(self.words.continued(date), font: PageWriter.bold)])
    }
  }

  private func line(_ text: String, font: String = PageWriter.plain) -> PageWriter.Cell {
    PageWriter.Cell(text: text, x: 0, width: PageWriter.width, font: font)
  }

  private func cells(
    _ time: String, _ person: String, _ minutes: String, _ feeling: String, _ note: String,
    font: String = PageWriter.plain
  ) -> [PageWriter.Cell] {
    [
      .init(text: time, x: 0, width: 40, font: font), .init(text: person, x: 45, width: 110, font: font),
      .init(text: minutes, x: 160, width: 35, font: font, alignment: .right),
      .init(text: feeling, x: 205, width: 65, font: font),
      .init(text: note, x: 275, width: PageWriter.width - 275, font: font),
    ]
  }
}
