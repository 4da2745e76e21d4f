internal import CivilTime
internal import KithMessages

/// The words of a summary in one language.
struct CareWords: Sendable {
  private let isJapanese: Bool

  init(_ language: CareLanguage) { self.isJapanese = language == .japanese }

  func name(of category: CareCategory) -> String { self.isJapanese ? category.japanese : category.english }

  func title(_ first: Day, _ last: Day) -> String {
    let (year, month, day) = first.components
    guard day == 1, last.adding(days: 1).components.day == 1 else {
      return self.isJapanese
        ? "【介護記録】\(self.date(first))〜\(self.date(last))" : "[Care log] \(self.date(first)) to \(self.date(last))"
    }
    return self.isJapanese ? "【介護記録】\(year)年\(month)月" : "[Care log] \(Self.englishMonths[month - 1]) \(year)"
  }

  func title(_ date: Day) -> String { (self.isJapanese ? "【介護記録】" : "[Care log] ") + self.date(date) }

  private func date(_ date: Day) -> String {
    let (year, month, day) = date.components
    return self.isJapanese
      ? "\(year)年\(month)月\(day)日(\(Self.japaneseDays[date.weekday]))"
      : "\(Self.englishDays[date.weekday]) \(day) \(Self.englishMonths[month - 1]) \(year)"
  }

  func address(_ name: String, honorific: String) -> String {
    self.isJapanese && !name.isEmpty && !honorific.isEmpty ? "\(name) \(honorific)" : name
  }

  func recipient(_ name: String) -> String { self.isJapanese ? "対象: \(name)" : "For: \(name)" }

  func recorders(_ names: [String]) -> String {
    self.isJapanese
      ? "記録者: \(names.joined(separator: "、"))" : "Recorded by: \(names.joined(separator: ", "))"
  }

  var timelineHeading: String { self.isJapanese ? "■ 時系列" : "Timeline" }
  var countsHeading: String { self.isJapanese ? "■ 分類別の件数" : "Counts" }
  var memosHeading: String { self.isJapanese ? "■ 自由メモ" : "Free memos" }
  var planHeading: String { self.isJapanese ? "■ 予定と実施" : "Plan" }
  var measurementsHeading: String { self.isJapanese ? "■ 測定" : "Measurements" }
  var daysHeading: String { self.isJapanese ? "■ 日ごとの件数" : "Days" }
  var noEntries: String { self.isJapanese ? "記録はありません" : "No entries" }
  var noMemos: String { self.isJapanese ? "なし" : "None" }
  var empty: String { self.isJapanese ? "(内容未入力)" : "(no text entered)" }
  var pending: String { self.isJapanese ? "(文字起こし待ち)" : "(waiting for transcription)" }
  var unreviewed: String { self.isJapanese ? "(要確認)" : " (please check)" }
  var footer: String {
    self.isJapanese
      ? "※ 「要確認」は自動文字起こしのままです。薬の名前と量は必ずご確認ください。"
      : "Note: \"please check\" marks unreviewed automatic transcription. Always confirm medicine names and amounts."
  }

  func attached(_ memo: String) -> String { self.isJapanese ? "(メモ: \(memo))" : " (memo: \(memo))" }

  func line(time: String, category: CareCategory, text: String) -> String {
    self.isJapanese ? "\(time) \(self.name(of: category)) \(text)" : "\(time) \(self.name(of: category)): \(text)"
  }

  /// What was to be given, and what became of it.
  func line(_ what: String, _ outcome: String) -> String { "\(what): \(outcome)" }

  func memo(time: String, text: String) -> String { self.isJapanese ? "・\(time) \(text)" : "- \(time) \(text)" }

  func counts(_ counts: [(CareCategory, Int)]) -> [String] {
    let total = counts.reduce(0) { $0 + $1.1 }
    return [self.list(counts), self.isJapanese ? "合計 \(total)件" : "Total: \(total)"]
  }

  /// The counts of one day of many.
  func day(_ day: String, _ counts: [(CareCategory, Int)]) -> String {
    "\(day) \(self.list(counts.filter { $0.1 > 0 }))"
  }

  private func list(_ counts: [(CareCategory, Int)]) -> String {
    self.isJapanese
      ? counts.map { "\(self.name(of: $0)) \($1)件" }.joined(separator: " / ")
      : counts.map { "\(self.name(of: $0)): \($1)" }.joined(separator: ", ")
  }

  private static let japaneseDays = ["月", "火", "水", "木", "金", "土", "日"]
  private static let englishDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let englishMonths = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
}
