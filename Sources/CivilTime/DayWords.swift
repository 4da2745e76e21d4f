/// The words of days and times, in English and Japanese.
package enum DayWords {
  /// A unit of what is counted from now.
  package enum Unit {
    case minute, hour, day, week, month, year
  }

  /// Words for days from today, weeks and months.
  package static let days: [String: DayText] = [
    "today": .offset(0), "今日": .offset(0), "本日": .offset(0), "きょう": .offset(0),
    "yesterday": .offset(-1), "昨日": .offset(-1), "きのう": .offset(-1),
    "day before yesterday": .offset(-2), "一昨日": .offset(-2), "おととい": .offset(-2),
    "tomorrow": .offset(1), "明日": .offset(1), "あした": .offset(1), "あす": .offset(1),
    "day after tomorrow": .offset(2), "明後日": .offset(2), "あさって": .offset(2),
    "this week": .week(0), "今週": .week(0), "last week": .week(-1), "先週": .week(-1), "next week": .week(1),
    "来週": .week(1), "先々週": .week(-2), "再来週": .week(2),
    "this month": .month(0), "今月": .month(0), "last month": .month(-1), "先月": .month(-1), "next month": .month(1),
    "来月": .month(1),
  ]

  /// The beginnings of the names of months.
  static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  private static let weekdays = [
    ["monday", "mon", "月曜"], ["tuesday", "tue", "火曜"], ["wednesday", "wed", "水曜"], ["thursday", "thu", "木曜"],
    ["friday", "fri", "金曜"], ["saturday", "sat", "土曜"], ["sunday", "sun", "日曜"],
  ]

  private static let units: [(names: Set<String>, unit: Unit)] = [
    (["min", "mins", "minute", "minutes", "分"], .minute), (["h", "hour", "hours", "時間"], .hour),
    (["day", "days", "日"], .day), (["week", "weeks", "週間"], .week),
    (["month", "months", "か月", "ヶ月", "カ月", "ヵ月"], .month), (["year", "years", "年"], .year),
  ]

  /// A text in lower case with plain digits, without articles and doubled blanks.
  package static func plain(_ text: some StringProtocol) -> String {
    self.narrow(text).split(separator: " ").filter { !["the", "on", "at"].contains($0) }.joined(separator: " ")
  }

  /// A text in lower case with plain digits and signs instead of fullwidth ones.
  package static func narrow(_ text: some StringProtocol) -> String {
    var narrow = String.UnicodeScalarView()
    for scalar in text.lowercased().unicodeScalars {
      // Fullwidth digits and signs, and the ideographic space.
      let isWide = (0xFF01...0xFF5E).contains(scalar.value)
      narrow.append(isWide ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar.value == 0x3000 ? " " : scalar)
    }
    return String(narrow)
  }

  /// 0 = Monday; nil for another word.
  package static func weekday(_ text: some StringProtocol) -> Int? {
    let text = text.hasSuffix("曜日") ? String(text.dropLast()) : String(text)
    return self.weekdays.firstIndex { $0.contains(text) }
  }

  /// `3 days ago`, `in 3 days`, `3日前`, `3日後`: how many of which unit, negative in the past.
  package static func span(_ text: String) -> (count: Int, unit: Unit)? {
    var rest = text[...]
    let sign: Int
    if rest.hasPrefix("in ") {
      (rest, sign) = (rest.dropFirst(3), 1)
    } else if rest.hasSuffix(" ago") {
      (rest, sign) = (rest.dropLast(4), -1)
    } else if rest.hasSuffix("前") || rest.hasSuffix("後") {
      sign = rest.hasSuffix("前") ? -1 : 1
      rest = rest.dropLast()
    } else {
      return nil
    }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let name = String(rest.dropFirst(digits.count).drop { $0 == " " })
    // A number of six digits is more than a lifetime of days and overflows nothing.
    guard let count = Int(digits), count < 1_000_000, let unit = self.units.first(where: { $0.names.contains(name) })
    else { return nil }
    return (sign * count, unit.unit)
  }

  /// Seconds since midnight of `14:30`, `14:30:15`, `8pm`, `8:30 am`, `noon`, `20時`, `午後8時半`, `9時5分`.
  package static func clock(_ text: some StringProtocol) -> Int? {
    var text = String(text.filter { $0 != " " })
    if text == "noon" || text == "正午" { return 43_200 }
    if text == "midnight" { return 0 }
    var half: Int?
    for (word, hours) in [("am", 0), ("pm", 12)] where text.hasSuffix(word) {
      (half, text) = (hours, String(text.dropLast(2)))
    }
    for (word, hours) in [("午前", 0), ("午後", 12)] where text.hasPrefix(word) {
      (half, text) = (hours, String(text.dropFirst(2)))
    }
    let isJapanese = text.contains("時")
    if isJapanese {
      text = text.replacing("時半", with: ":30").replacing("時", with: ":").replacing("分", with: "")
      if text.hasSuffix(":") { text += "00" }
    } else if half != nil, !text.contains(":") {
      text += ":00"
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { (1...2).contains($0.utf8.count) ? UInt8($0) : nil }.map(Int.init)
    guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] < (half == nil ? 24 : 13),
      numbers.dropFirst().allSatisfy({ $0 < 60 }), half == nil || isJapanese || numbers[0] > 0
    else { return nil }
    let hour = half.map { numbers[0] % 12 + $0 } ?? numbers[0]
    return hour * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
  }

  /// A time of day as fields have it, `20:00`; text that is none, unchanged, which kithd refuses.
  package static func time(_ text: String) -> String {
    guard let second = self.clock(self.plain(text)), second % 60 == 0 else { return text }
    return TimeOfDay(hour: second / 3600, minute: second / 60 % 60)?.description ?? text
  }
}
