internal import CivilTime
internal import KithMessages

/// A sentence as words, each with its place in what was said: English words, or the characters of Japanese.
struct Utterance: Sendable {
  /// One word or character, or a number.
  struct Token: Sendable {
    /// In lower case, with numbers in digits.
    let word: String
    /// Where it stands in the text.
    let range: Range<String.Index>
    /// Whether a comma, a stop or a colon follows it.
    var hasPause = false

    /// The number that it is; nil for another word.
    var number: Int? { self.word.utf8.count <= 4 ? Int(self.word) : nil }
  }

  /// As it was said.
  let text: String
  let language: CareLanguage
  /// Its words.
  let tokens: [Token]
  /// Whether it ends with a question mark.
  let isAsked: Bool

  init(_ text: String, _ language: CareLanguage) {
    self.text = text
    self.language = language
    self.isAsked = text.last { !$0.isWhitespace }.map { "?？".contains($0) } ?? false
    var tokens: [Token] = []
    var index = text.startIndex
    while index < text.endIndex {
      let rest = text[index...]
      if let (length, word) = language == .japanese ? Self.japanese(rest) : Self.english(rest) {
        let end = text.index(index, offsetBy: length)
        tokens.append(Token(word: word, range: index..<end))
        index = end
      } else {
        if !tokens.isEmpty, ",.:;!、。，．：「『(（…".contains(text[index]) { tokens[tokens.count - 1].hasPause = true }
        index = text.index(after: index)
      }
    }
    self.tokens = tokens
  }

  /// What was said in some of the words, without marks and blanks around it.
  func said(_ tokens: Range<Int>) -> String {
    guard !tokens.isEmpty else { return "" }
    let (first, last) = (self.tokens[tokens.lowerBound], self.tokens[tokens.upperBound - 1])
    return String(self.text[first.range.lowerBound..<last.range.upperBound])
  }

  /// Some words as one text, as the lexicon has them.
  func phrase(_ tokens: Range<Int>) -> String {
    self.tokens[tokens].map(\.word).joined(separator: self.language == .japanese ? "" : " ")
  }

  // MARK: - English

  private static let englishNumbers: [String: Int] = [
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "twenty-five": 25,
    "thirty-five": 35, "forty-five": 45, "fifty-five": 55,
  ]

  private static func english(_ text: Substring) -> (length: Int, word: String)? {
    var end = text.startIndex
    while end < text.endIndex {
      let character = text[end]
      let next = text.index(after: end)
      let goesOn = next < text.endIndex && (text[next].isLetter || text[next].isNumber)
      // An apostrophe, a dot, a colon or a hyphen is part of a word: "didn't", "a.m.", "8:30", "twenty-five".
      guard character.isLetter || character.isNumber || "'’.:-".contains(character) && goesOn && end > text.startIndex
      else { break }
      end = next
    }
    guard end > text.startIndex else { return nil }
    let plain = DayWords.narrow(text[..<end]).replacing("’", with: "'")
    let isWord = plain.allSatisfy { $0.isLetter || $0 == "." }
    let word = Self.englishNumbers[plain].map(String.init) ?? (isWord ? plain.filter { $0 != "." } : plain)
    return (text.distance(from: text.startIndex, to: end), word)
  }

  // MARK: - Japanese

  private static let kanjiDigits: [Character] = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"]
  /// What a number in kanji stands before. Elsewhere it may be part of a name, such as 健二.
  private static let counters: Set<Character> = [
    "時", "分", "日", "錠", "割", "杯", "回", "個", "枚", "粒", "包", "本", "滴", "週", "月", "年", "単", "膳", "切", "袋", "カ", "か", "ヶ",
  ]

  private static func japanese(_ text: Substring) -> (length: Int, word: String)? {
    guard let first = text.first, first.isLetter || first.isNumber || first == "ー" || first == "%" else { return nil }
    let kanji = text.prefix { $0 == "十" || Self.kanjiDigits.contains($0) }
    if !kanji.isEmpty {
      guard let next = text[kanji.endIndex...].first, Self.counters.contains(next), let number = Self.number(kanji)
      else {
        return (1, String(first))
      }
      return (kanji.count, String(number))
    }
    let digits = text.prefix { $0.isNumber || ":：.．".contains($0) }
    let isClock = digits.last?.isNumber ?? false
    let word = isClock ? digits : digits.prefix { $0.isNumber }
    return word.isEmpty ? (1, DayWords.narrow(text.prefix(1))) : (word.count, DayWords.narrow(word))
  }

  /// 0 to 99; nil for anything else.
  private static func number(_ kanji: Substring) -> Int? {
    let parts = kanji.split(separator: "十", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ $0.count <= 1 }) else { return nil }
    let digits = parts.map { part in part.first.flatMap(Self.kanjiDigits.firstIndex(of:)) }
    return parts.count == 1 ? digits[0] : (digits[0] ?? 1) * 10 + (digits[1] ?? 0)
  }
}
