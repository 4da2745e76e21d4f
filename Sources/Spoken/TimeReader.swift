internal import CivilTime

/// Finds the parts of a time in a sentence. What they mean, `DayWords` and `DayText` say, as of what is typed.
enum TimeReader {
  /// The longest part of a time that begins at a word of an English sentence.
  static func english(_ utterance: Utterance, _ index: Int) -> (word: TimeWord, count: Int)? {
    let words = utterance.tokens[index...].prefix(6).map(\.word)
    return self.longest([
      self.englishClock(words), self.englishSpan(words), self.englishPart(words), self.englishDay(words),
    ])
  }

  /// The longest part of a time that begins at a character of a Japanese sentence.
  static func japanese(_ utterance: Utterance, _ index: Int) -> (word: TimeWord, count: Int)? {
    let words = utterance.tokens[index...].prefix(8).map(\.word)
    return self.longest([
      self.japaneseClock(words), self.japaneseSpan(words), self.japanesePart(words), self.japaneseDay(words),
    ])
  }

  private typealias Found = (word: TimeWord, count: Int)

  private static func longest(_ found: [Found?]) -> Found? {
    var longest: Found?
    for case let found? in found where found.count > longest?.count ?? 0 { longest = found }
    return longest
  }

  /// What a clock shows; nil if the text is none.
  private static func clock(_ text: String, isSure: Bool, count: Int) -> Found? {
    guard let second = DayWords.clock(text) else { return nil }
    return (.clock(secondOfDay: second, isSure: isSure || !(1...11).contains(second / 3600)), count)
  }

  private static func fromNow(_ text: String, count: Int) -> Found? {
    guard let (number, unit) = DayWords.span(text) else { return nil }
    return switch unit {
    case .minute: (.fromNow(Int64(number) * 60), count)
    case .hour: (.fromNow(Int64(number) * 3600), count)
    default: DayText(text).map { (.day($0), count) }
    }
  }

  // MARK: - English

  private static func englishClock(_ words: [String]) -> Found? {
    let isAt = ["at", "around", "about"].contains(words.first)
    let rest = Array(words.dropFirst(isAt ? 1 : 0))
    guard let first = rest.first else { return nil }
    let before = words.count - rest.count
    if first == "noon" || first == "midnight" { return self.clock(first, isSure: true, count: before + 1) }
    if let past = self.englishPast(rest) { return self.withHalf(past.text, rest, past.count, before) }
    if first.hasSuffix("am") || first.hasSuffix("pm"), first.first?.isNumber == true {
      return self.clock(first, isSure: true, count: before + 1)
    }
    if first.contains(":") { return self.withHalf(first, rest, 1, before) }
    guard let hour = Int(first), (0...23).contains(hour) else { return nil }
    if rest.dropFirst().first == "o'clock" { return self.withHalf("\(hour):00", rest, 2, before) }
    if let minute = rest.dropFirst().first.flatMap(self.minute) {
      // "Eight thirty" is a time behind "at", or with a half of the day; "eight thirty" alone may be two numbers.
      let both = self.minute(rest, minute)
      let text = "\(hour):\(both.minute.padded())"
      return self.withHalf(text, rest, both.count, before, isTime: isAt)
    }
    return self.withHalf("\(hour):00", rest, 1, before, isTime: isAt)
  }

  /// A time with the half of the day behind it, if there is one.
  ///
  /// - Parameter isTime: Whether it is one without it.
  private static func withHalf(
    _ text: String, _ words: [String], _ count: Int, _ before: Int, isTime: Bool = true
  ) -> Found? {
    if let half = words.dropFirst(count).first, half == "am" || half == "pm" {
      return self.clock(text + half, isSure: true, count: before + count + 1)
    }
    return isTime ? self.clock(text, isSure: text.hasPrefix("0"), count: before + count) : nil
  }

  /// "Half past eight", "a quarter to nine", "ten past eight".
  private static func englishPast(_ words: [String]) -> (text: String, count: Int)? {
    var rest = words[...]
    if rest.first == "a" { rest = rest.dropFirst() }
    guard let first = rest.first else { return nil }
    let minutes = first == "half" ? 30 : first == "quarter" ? 15 : Int(first)
    rest = rest.dropFirst()
    if rest.first == "minutes" { rest = rest.dropFirst() }
    guard let minutes, (1...30).contains(minutes), let sign = rest.first,
      let hour = rest.dropFirst().first.flatMap(Int.init),
      (1...12).contains(hour)
    else { return nil }
    let count = words.count - rest.count + 2
    switch sign {
    case "past", "after": return ("\(hour):\(minutes.padded())", count)
    case "to", "before": return ("\(hour == 1 ? 12 : hour - 1):\((60 - minutes).padded())", count)
    default: return nil
    }
  }

  private static func minute(_ word: String) -> Int? {
    if word == "oh" { return 0 }
    return Int(word).flatMap { (10...59).contains($0) ? $0 : nil }
  }

  /// "Thirty", "twenty five", "oh five" behind an hour.
  private static func minute(_ words: [String], _ minute: Int) -> (minute: Int, count: Int) {
    guard let ones = words.dropFirst(2).first.flatMap(Int.init), (1...9).contains(ones), minute % 10 == 0 else {
      return (minute, 2)
    }
    return (minute + ones, 3)
  }

  private static func englishSpan(_ words: [String]) -> Found? {
    for count in stride(from: min(6, words.count), through: 2, by: -1) {
      let text = words.prefix(count).joined(separator: " ")
      let spoken = [
        "half an hour ago": "30 min ago", "an hour and a half ago": "90 min ago", "an hour ago": "1 hour ago",
        "a minute ago": "1 min ago", "a quarter of an hour ago": "15 min ago", "in an hour": "in 1 hour",
        "in half an hour": "in 30 min",
      ]
      if let found = self.fromNow(spoken[text] ?? text, count: count) { return found }
    }
    return nil
  }

  private static let englishParts: [String: TimeWord.Part] = [
    "morning": .morning, "afternoon": .afternoon, "evening": .evening, "night": .evening,
  ]

  private static func englishPart(_ words: [String]) -> Found? {
    if words.first == "tonight" { return (.part(.evening, offset: 0), 1) }
    if let part = self.englishParts[words.first ?? ""] { return (.part(part, offset: nil), 1) }
    guard words.count > 1, let part = self.englishParts[words[1]] else { return nil }
    return switch words[0] {
    case "this": (.part(part, offset: 0), 2)
    case "last": (.part(part, offset: -1), 2)
    case "at": (.part(part, offset: nil), 2)
    default: nil
    }
  }

  private static func englishDay(_ words: [String]) -> Found? {
    for count in stride(from: min(4, words.count), to: 0, by: -1) {
      var text = words.prefix(count).joined(separator: " ")
      if text.hasSuffix("'s") { text.removeLast(2) }
      // A number alone is a day of nothing.
      let isWhole = ![words[0], words[count - 1]].contains { ["the", "on", "at"].contains($0) }
      if isWhole, text.contains(where: \.isLetter), let day = DayText(text) {
        return (.day(day), count)
      }
    }
    return nil
  }

  // MARK: - Japanese

  private static func japaneseClock(_ words: [String]) -> Found? {
    let half = ["午前", "午後"].first { words.prefix(2).joined() == $0 }
    let rest = words.dropFirst(half == nil ? 0 : 2)
    guard let first = rest.first, first.first?.isNumber == true else { return nil }
    if first.contains(":") {
      return self.clock(
        (half ?? "") + first, isSure: half != nil || first.hasPrefix("0"), count: words.count - rest.count + 1)
    }
    guard rest.dropFirst().first == "時", rest.dropFirst(2).first != "間" else { return nil }
    let tail = Array(rest.dropFirst(2).prefix(2))
    let count = tail.first == "半" ? 3 : tail.last == "分" && tail.count == 2 ? 4 : 2
    let text = (half ?? "") + rest.prefix(count).joined()
    return self.clock(text, isSure: half != nil, count: words.count - rest.count + count)
  }

  private static func japaneseSpan(_ words: [String]) -> Found? {
    guard let number = words.first.flatMap(Int.init) else { return nil }
    if words.dropFirst().prefix(4).joined() == "時間半前" { return (.fromNow(-Int64(number) * 3600 - 1800), 5) }
    for count in 2...5 where count <= words.count {
      if let found = self.fromNow(words.prefix(count).joined(), count: count) { return found }
    }
    return nil
  }

  private static let japaneseParts: [(String, TimeWord.Part, Int?)] = [
    ("今朝", .morning, 0), ("けさ", .morning, 0), ("今夜", .evening, 0), ("今晩", .evening, 0), ("昨夜", .evening, -1),
    ("昨晩", .evening, -1), ("ゆうべ", .evening, -1), ("夕べ", .evening, -1), ("夕方", .evening, nil), ("午前", .morning, nil),
    ("午後", .afternoon, nil), ("昼間", .noon, nil), ("朝", .morning, nil), ("昼", .noon, nil), ("夜", .evening, nil),
    ("晩", .evening, nil),
  ]

  private static func japanesePart(_ words: [String]) -> Found? {
    let text = words.joined()
    guard let (word, part, offset) = self.japaneseParts.first(where: { text.hasPrefix($0.0) }) else { return nil }
    return (.part(part, offset: offset), word.count)
  }

  private static func japaneseDay(_ words: [String]) -> Found? {
    for count in stride(from: words.count, through: 2, by: -1) {
      if let day = DayText(words.prefix(count).joined()) { return (.day(day), count) }
    }
    return nil
  }
}
