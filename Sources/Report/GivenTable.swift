internal import Bus
internal import CareTally
internal import CivilTime
internal import KithMessages

/// What became of each time of each day, as signs: a row for a time of an item, a column for a day.
struct GivenTable {
  private let days: [PlanDay]
  private let zone: Zone
  private let say: CareLanguage
  private let words: ReportWords

  init(_ days: [PlanDay], in zone: Zone, _ say: CareLanguage, _ words: ReportWords) {
    self.days = days
    self.zone = zone
    self.say = say
    self.words = words
  }

  /// The days beside each other.
  private static let columns = 14
  /// An item of more times a day than these has one row.
  private static let mostRows = 8
  private static let label = 200.0
  private static let column = 21.0
  private static let small = "Sans 8"

  /// The signs, in those characters that every font of Japanese has.
  private static let given = "●"

  private func sign(_ due: PlanDue) -> String {
    let sign =
      switch due.knownState {
      case .given: due.isLate ? "▲" : Self.given
      case .partly: "△"
      case .skipped: "○"
      case .missed: "×"
      case .due: "?"
      case .coming, nil: ""
      }
    return sign + String(repeating: Self.given, count: due.doubles.count)
  }

  private var legend: String {
    [
      "● " + self.say("given", "実施"), "▲ " + self.say("given late", "遅れて実施"), "△ " + self.say("partly", "一部"),
      "○ " + self.say("skipped", "スキップ"), "× " + self.say("missed", "未実施"), "●● " + self.say("given again", "再度実施"),
      "? " + self.say("not recorded yet", "未記録"), self.say("empty: not due, or still to come", "空欄: 予定なし・これから"),
    ].joined(separator: "   ")
  }

  private struct Row: Hashable {
    let name: String
    let item: String
    /// Empty if all times of the item are in one row.
    let time: String
  }

  /// Prints the legend and, for each two weeks, the table.
  func print(_ pages: PageWriter) {
    guard self.days.contains(where: { $0.dues.contains { $0.knownState != .coming } }) else { return }
    pages.line(self.legend, font: Self.small, following: 40)
    var rest = self.days[...]
    while !rest.isEmpty {
      self.print(Array(rest.prefix(Self.columns)), pages)
      rest = rest.dropFirst(Self.columns)
    }
  }

  private func print(_ days: [PlanDay], _ pages: PageWriter) {
    let dues = days.flatMap(\.dues)
    guard !dues.isEmpty else { return }
    let byItem = Dictionary(grouping: dues, by: \.item.id)
    let crowded = byItem.filter { Set($0.value.map(self.time)).count > Self.mostRows }
    func row(_ due: PlanDue) -> Row {
      let isCrowded = crowded[due.item.id] != nil
      return Row(
        name: byItem[due.item.id]?.last?.item.name ?? "", item: due.item.id, time: isCrowded ? "" : self.time(due))
    }
    let rows = Set(dues.map(row)).sorted { ($0.name, $0.item, $0.time) < ($1.name, $1.item, $1.time) }
    let head = self.cells(
      self.title(days), days.map { Day($0.day).map(self.name) ?? "" }, font: Self.small)
    pages.skip(4)
    pages.row(head, following: 20)
    pages.rule()
    for one in rows {
      let signs = days.map { day in
        day.dues.filter { row($0) == one }.map(self.sign).joined(separator: one.time.isEmpty ? "" : " ")
      }
      pages.row(
        self.cells([one.time, one.name.onOneLine].filter { !$0.isEmpty }.joined(separator: "  "), signs),
        repeating: head)
    }
  }

  private func time(_ due: PlanDue) -> String {
    self.zone.time(at: due.due.nanosecondsSince1970).description
  }

  /// The first and the last day of a table.
  private func title(_ days: [PlanDay]) -> String {
    let ends = [days.first, days.last].compactMap { $0.flatMap { Day($0.day) } }.map(self.words.shortDay)
    return ends.joined(separator: self.say(" – ", "～"))
  }

  /// The day of the month above the day of the week.
  private func name(_ day: Day) -> String {
    let weekday = Weekday.allCases[day.weekday]
    return "\(day.components.day)\n\(self.say(String(weekday.english.prefix(2)), weekday.japanese))"
  }

  private func cells(_ label: String, _ signs: [String], font: String = PageWriter.plain) -> [PageWriter.Cell] {
    [.init(text: label, x: 0, width: Self.label - 6, font: font)]
      + signs.enumerated().map { index, sign in
        .init(
          text: sign, x: Self.label + Double(index) * Self.column, width: Self.column, font: font, alignment: .centre)
      }
  }
}
