internal import Bus
internal import CareTally
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// The pages of a report of care for a doctor: the plan, what was given, what was measured, and the entries.
final class CareDocument: Document {
  private(set) var warnings: [String] = []
  private let report: CareReport
  private let say: CareLanguage
  private let words: ReportWords
  private let phrases: CarePhrases
  private let zone: Zone
  private let days: [Day]

  init(_ report: CareReport) {
    self.report = report
    self.say = report.language == "ja" ? .japanese : .english
    self.words = self.say == .japanese ? .japanese : .english
    self.zone = Zone(named: report.timeZone) ?? .system()
    self.phrases = CarePhrases(self.say, in: self.zone, saysMonth: true)
    self.days = report.days.compactMap { Day($0.day) }
  }

  private static let heading = "Sans Bold 13"

  func print() -> Bool {
    let title = self.say("Care report", "介護の報告書")
    let range = self.words.range(self.report.from, self.report.until)
    let head = [title, self.recipient, range].filter { !$0.isEmpty }.joined(separator: " · ")
    guard let pages = PageWriter(title: title, language: self.words.language, head: head) else { return false }
    self.printHead(title, pages)
    self.printPlan(pages)
    self.printChanges(pages)
    self.printGiven(pages)
    self.printMeasurements(pages)
    self.printEntries(pages)
    self.warnings = pages.sayMissing(self.words.missing)
    return pages.finish()
  }

  private func printHead(_ title: String, _ pages: PageWriter) {
    pages.line(title, font: "Sans Bold 18", gap: 6)
    let name = self.recipient
    if !name.isEmpty { pages.line(self.say("For: \(name)", "対象: \(name)"), font: "Sans Bold 11") }
    pages.line("\(self.words.range(self.report.from, self.report.until)) (\(self.zone.name))")
    let made = self.zone.local(at: self.report.madeAt.nanosecondsSince1970)
    pages.line("\(self.words.madeOn(made.day.description)) \(made.time)", gap: 8)
    pages.line(
      self.say(
        "Kith is no medical device. This is what people entered; it is no advice, and no judgement of any value.",
        "Kithは医療機器ではありません。この報告書は入力された記録そのもので、助言や値の判断は含みません。"), gap: 4)
    pages.rule()
  }

  /// The person cared for; empty if unknown.
  private var recipient: String {
    let (name, honorific) = (self.report.recipient.onOneLine, self.report.honorific.onOneLine)
    return name.isEmpty || honorific.isEmpty ? name : self.say(name, "\(name) \(honorific)")
  }

  private func begin(_ heading: String, following: Double = 50, _ pages: PageWriter) {
    pages.skip(8)
    pages.line(heading, font: Self.heading, gap: 5, following: following)
  }

  // MARK: - The plan

  private func printPlan(_ pages: PageWriter) {
    self.begin(
      self.say("Plan, as of \(self.words.day(self.report.until))", "予定（\(self.words.day(self.report.until))現在）"), pages)
    let items = self.report.items.map { $0.versions.last?.item ?? $0 }.sorted {
      (self.rank($0), $0.name, $0.id) < (self.rank($1), $1.name, $1.id)
    }
    guard !items.isEmpty else { return pages.line(self.say("There is no plan in this time.", "この期間の予定はありません。")) }
    let head = self.planRow(
      self.say("What", "項目"), self.say("How much", "量"), self.say("When", "いつ"), self.say("Note", "メモ"),
      font: PageWriter.bold)
    pages.row(head)
    for item in items {
      let rules = [item.when(self.say), self.limits(item), self.span(item)].filter { !$0.isEmpty }
      pages.row(
        self.planRow(
          item.name, self.phrases.item("", item.amount, item.unit), rules.joined(separator: "\n"), item.note),
        repeating: head)
    }
  }

  /// What is given now comes first, and what is over comes last.
  private func rank(_ item: PlanItem) -> Int {
    let isOver = !item.until.isEmpty && item.until < self.report.until
    return isOver ? PlanState.allCases.count : PlanState.allCases.firstIndex(of: item.knownState ?? .active) ?? 0
  }

  private func planRow(
    _ name: String, _ amount: String, _ when: String, _ note: String, font: String = PageWriter.plain
  ) -> [PageWriter.Cell] {
    [
      .init(text: name, x: 0, width: 125, font: font), .init(text: amount, x: 130, width: 80, font: font),
      .init(text: when, x: 215, width: 145, font: font),
      .init(text: note, x: 365, width: PageWriter.width - 365, font: font),
    ]
  }

  private func limits(_ item: PlanItem) -> String {
    [
      item.leastMinutes == 0
        ? "" : self.say("at least \(item.leastMinutes) min apart", "間隔は\(item.leastMinutes)分以上"),
      item.mostPerDay == 0 ? "" : self.say("at most \(item.mostPerDay) a day", "1日\(item.mostPerDay)回まで"),
    ].filter { !$0.isEmpty }.joined(separator: self.say(", ", "、"))
  }

  /// The first and the last day, and whether it goes on.
  private func span(_ item: PlanItem) -> String {
    let days =
      item.until.isEmpty
      ? self.say("since \(item.from)", "\(item.from)から")
      : self.say("\(item.from) to \(item.until)", "\(item.from)〜\(item.until)")
    guard let state = item.knownState, state != .active else { return days }
    return [days, self.say(state.english, state.japanese)].joined(separator: self.say(", ", "、"))
  }

  /// What the plan said before and after each change in the time.
  private func printChanges(_ pages: PageWriter) {
    let start = Day(self.report.from).map { self.zone.start(of: $0) } ?? .min
    var changes: [(at: Int64, name: String, text: String)] = []
    for item in self.report.items {
      var before = ""
      for version in item.versions {
        let after = self.text(of: version.item)
        let instant = version.validFrom.nanosecondsSince1970
        if instant >= start, after != before {
          changes.append(
            (
              instant, version.item.name,
              before.isEmpty ? self.say("added: \(after)", "追加: \(after)") : "\(before) → \(after)"
            ))
        }
        before = after
      }
    }
    self.begin(self.say("Changes of the plan", "予定の変更"), pages)
    guard !changes.isEmpty else {
      return pages.line(self.say("The plan did not change in this time.", "この期間の変更はありません。"))
    }
    for change in changes.sorted(by: { ($0.at, $0.name) < ($1.at, $1.name) }) {
      pages.row([
        .init(text: self.moment(change.at), x: 0, width: 85), .init(text: change.name, x: 90, width: 120),
        .init(text: change.text, x: 215, width: PageWriter.width - 215),
      ])
    }
  }

  private func text(of item: PlanItem) -> String {
    [
      self.phrases.item(item.name, item.amount, item.unit), item.when(self.say), self.limits(item), self.span(item),
    ].filter { !$0.isEmpty }.joined(separator: self.say(", ", "、"))
  }

  /// `17 Nov 20:00`.
  private func moment(_ instant: Int64) -> String {
    let (day, time) = self.zone.local(at: instant)
    return "\(self.words.shortDay(day)) \(time)"
  }

  // MARK: - What was given

  private func printGiven(_ pages: PageWriter) {
    self.begin(self.say("What was given", "実施"), pages)
    let tallies = PlanTally.all(of: self.report.days)
    guard !tallies.isEmpty else {
      return pages.line(
        self.say("Nothing of the plan was due or given in this time.", "この期間に予定や実施の記録はありません。"))
    }
    for tally in tallies { pages.line(self.phrases.line(tally)) }
    pages.skip(4)
    let table = GivenTable(self.report.days, in: self.zone, self.say, self.words)
    table.print(pages)
    let answered = self.report.days.flatMap(\.dues).filter { due in
      due.isLate || !due.doubles.isEmpty || due.knownState == .skipped || due.knownState == .partly
        || !due.dose.note.isEmpty
    }.map { due in
      (due.due, self.phrases.item(due.item.name, due.amount, due.item.unit), self.phrases.outcome(due))
    }
    self.list(self.say("Reasons and notes", "理由とメモ"), answered, pages)
    let others = self.report.days.flatMap { day in
      day.others.map { dose in
        (
          dose.occurredAt, self.phrases.item(dose.itemName, dose.amount, dose.unit),
          self.phrases.outcome(dose, on: Day(day.day))
        )
      }
    }
    self.list(self.say("Given as needed, or besides", "必要時・予定外"), others, pages)
  }

  private func list(
    _ heading: String, _ lines: [(at: Google_Protobuf_Timestamp, what: String, text: String)], _ pages: PageWriter
  ) {
    guard !lines.isEmpty else { return }
    pages.skip(6)
    pages.line(heading, font: PageWriter.bold, following: 20)
    for line in lines {
      pages.row([
        .init(text: self.moment(line.at.nanosecondsSince1970), x: 0, width: 85),
        .init(text: line.what, x: 90, width: 150), .init(text: line.text, x: 245, width: PageWriter.width - 245),
      ])
    }
  }

  // MARK: - Measurements

  private func printMeasurements(_ pages: PageWriter) {
    let tallies = MeasurementTally.all(of: self.report.measurements)
    self.begin(
      self.say("Measurements", "測定"), following: tallies.isEmpty ? 20 : MeasurementChart.height + 60, pages)
    guard !tallies.isEmpty else {
      return pages.line(self.say("Nothing was measured in this time.", "この期間の測定はありません。"))
    }
    for tally in tallies {
      pages.skip(4)
      pages.line(self.phrases.line(tally), font: PageWriter.bold, following: MeasurementChart.height + 30)
      if tally.values.count > 1, let first = Day(self.report.from), let last = Day(self.report.until) {
        MeasurementChart(tally, from: first, through: last, in: self.zone, self.say, self.words).print(pages)
      }
      let head = self.valueRow(
        self.say("When", "いつ"), self.say("Value", "値"), self.say("Note", "メモ"), self.say("By", "記録者"),
        font: PageWriter.bold)
      pages.row(head, following: 14)
      for value in tally.values {
        pages.row(
          self.valueRow(
            self.moment(value.instant), self.phrases.value(value.record), value.record.note, value.record.recorder),
          repeating: head)
      }
    }
  }

  private func valueRow(
    _ when: String, _ value: String, _ note: String, _ by: String, font: String = PageWriter.plain
  ) -> [PageWriter.Cell] {
    [
      .init(text: when, x: 0, width: 85, font: font),
      .init(text: value, x: 90, width: 95, font: font, alignment: .right),
      .init(text: note, x: 200, width: 195, font: font),
      .init(text: by, x: 400, width: PageWriter.width - 400, font: font),
    ]
  }

  // MARK: - Entries

  private func printEntries(_ pages: PageWriter) {
    self.begin(self.say("Care entries", "介護の記録"), pages)
    guard !self.report.entries.isEmpty else {
      return pages.line(self.say("There are no entries in this time.", "この期間の記録はありません。"))
    }
    var current: Day?
    for entry in self.report.entries {
      let (day, time) = self.zone.local(at: entry.occurredAt.nanosecondsSince1970)
      let heading = self.words.day(day.description)
      if day != current {
        pages.skip(3)
        pages.line(heading, font: PageWriter.bold, following: 20)
        current = day
      }
      let memo = entry.memo.isEmpty || entry.transcript.isEmpty ? entry.memo : self.say("memo: ", "メモ: ") + entry.memo
      let check = entry.knownReview == .needed ? self.say("(please check)", "(要確認)") : ""
      let text = [entry.transcript, check, memo].filter { !$0.isEmpty }.joined(separator: "\n")
      let category = CareCategory(rawValue: entry.category).map(self.say.name) ?? entry.category
      pages.row(
        [
          .init(text: time.description, x: 0, width: 40), .init(text: category, x: 45, width: 90),
          .init(text: text, x: 140, width: 255),
          .init(text: entry.recorder, x: 400, width: PageWriter.width - 400),
        ], repeating: [.init(text: self.words.continued(heading), x: 0, width: PageWriter.width, font: PageWriter.bold)]
      )
    }
  }
}
