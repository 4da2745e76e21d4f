internal import CivilTime
internal import KithMessages

/// The texts of a report in one language.
struct ReportWords: Sendable {
  /// The names on the wire, in the order of printing.
  static let emotions = ["happy", "neutral", "sad", "frustrated", "excited"]

  let language: String
  let title: String
  let time: String
  let person: String
  let minutes: String
  let feeling: String
  let note: String
  let theyCalled: String
  let nothing: String
  let missing: String
  private let emotionNames: [String]

  static let english = ReportWords(
    language: "en", title: "Calls", time: "Time", person: "Person", minutes: "Min.", feeling: "Feeling", note: "Note",
    theyCalled: "they called", nothing: "There are no calls in this range.",
    missing: "Some characters could not be printed, because no font on this machine has them.",
    emotionNames: ["Happy", "Neutral", "Sad", "Frustrated", "Excited"])

  static let japanese = ReportWords(
    language: "ja", title: "通話の記録", time: "時刻", person: "相手", minutes: "分", feeling: "気持ち", note: "メモ",
    theyCalled: "着信", nothing: "この期間の通話はありません。", missing: "このコンピューターのフォントにないため、印刷できない文字がありました。",
    emotionNames: ["うれしい", "ふつう", "かなしい", "いらいら", "わくわく"])

  private var isJapanese: Bool { self.language == "ja" }

  func emotion(_ name: String) -> String {
    Self.emotions.firstIndex(of: name).map { self.emotionNames[$0] } ?? name
  }

  func calls(_ count: UInt32) -> String { self.isJapanese ? "通話 \(count) 件" : count == 1 ? "1 call" : "\(count) calls" }

  func total(_ minutes: UInt32) -> String {
    let (hours, rest) = (minutes / 60, minutes % 60)
    return self.isJapanese ? "合計 \(hours) 時間 \(rest) 分" : "\(hours) h \(rest) min in total"
  }

  func average(_ minutes: Float) -> String {
    self.isJapanese ? "平均 \(Self.tenths(minutes)) 分" : "\(Self.tenths(minutes)) min on average"
  }

  func aWeek(_ calls: Float) -> String {
    self.isJapanese ? "1 週間に \(Self.tenths(calls)) 件" : "\(Self.tenths(calls)) calls a week"
  }

  func received(_ count: UInt32) -> String {
    self.isJapanese ? "うち着信 \(count) 件" : "\(count) of them made by the other side"
  }

  func pictures(_ count: Int) -> String {
    self.isJapanese ? "写真 \(count) 枚" : count == 1 ? "1 picture" : "\(count) pictures"
  }

  func madeOn(_ date: String) -> String { self.isJapanese ? "作成日 \(self.day(date))" : "Made on \(self.day(date))" }

  func continued(_ day: String) -> String { self.isJapanese ? "\(day)（続き）" : "\(day) (continued)" }

  func range(_ from: String, _ to: String) -> String {
    switch (from.isEmpty, to.isEmpty) {
    case (true, true): self.isJapanese ? "全期間" : "All calls"
    case (false, true): self.isJapanese ? "\(self.day(from)) 以降" : "From \(self.day(from))"
    case (true, false): self.isJapanese ? "\(self.day(to)) まで" : "Until \(self.day(to))"
    case (false, false): self.isJapanese ? "\(self.day(from)) ～ \(self.day(to))" : "\(self.day(from)) – \(self.day(to))"
    }
  }

  /// "5 Jan".
  func shortDay(_ date: Day) -> String {
    let (_, month, day) = date.components
    return self.isJapanese ? "\(month)月\(day)日" : "\(day) \(Self.months[month - 1].prefix(3))"
  }

  /// "Monday, 5 January 2026"; the text itself if it is not a day.
  func day(_ text: String) -> String {
    guard let date = Day(text) else { return text }
    let (year, month, day) = date.components
    if self.isJapanese {
      return "\(year)年\(month)月\(day)日（\(["月", "火", "水", "木", "金", "土", "日"][date.weekday])）"
    }
    let weekday = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][date.weekday]
    return "\(weekday), \(day) \(Self.months[month - 1]) \(year)"
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  private static func tenths(_ number: Float) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
