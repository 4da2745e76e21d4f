internal import CivilTime
internal import KithMessages

/// Values that were measured, in Japanese.
enum MeasuredJapanese {
  /// The values of a sentence; nil if it has anything that is not known here.
  static func values(_ text: String, subjects: Set<String>) -> [MeasuredValue]? {
    var reader = TextReader(text)
    reader.skip(["えーと", "えっと", "じゃあ", "今", "さっき", "先ほど", "に", "の", "は"])
    if reader.take(Array(subjects)) {
      reader.skip(["さん", "様", "ちゃん"])
      guard reader.take(["の", "は", "が"]) else { return nil }
    }
    reader.skip(["今", "さっき", "先ほど", "の", "に", "は"])
    var values: [MeasuredValue] = []
    repeat {
      guard let value = Self.value(&reader) else { return nil }
      guard !values.contains(where: { $0.kind == value.kind }) else { return nil }
      values.append(value)
      guard !reader.isAtEnd, !reader.isAt(Self.ends) else { break }
      reader.skip(["で", "と"], count: 1)
    } while !reader.isAtEnd
    _ = reader.take(Self.ends)
    return reader.isAtEnd ? values : nil
  }

  private static let ends = [
    "です", "でした", "だった", "だったよ", "でしたよ", "ですよ", "ありました", "あった", "になりました", "を記録して", "を記録してください", "記録して", "記録してください",
    "を記録", "と記録して", "と記録してください", "記録", "を記録しておいて", "お願いします",
  ]

  private static let kinds: [(words: [String], kind: MeasurementKind)] = [
    (["血圧"], .bloodPressure), (["体温", "熱", "お熱"], .temperature), (["脈拍数", "脈拍", "脈", "心拍数", "心拍"], .pulse),
    (["体重"], .weight), (["酸素飽和度", "血中酸素", "酸素", "サチュレーション", "spo2"], .oxygen), (["血糖値", "血糖"], .glucose),
    (["痛み"], .pain), (["水分摂取量", "水分摂取"], .fluidIn), (["尿量"], .fluidOut),
  ]

  private static func value(_ reader: inout TextReader) -> MeasuredValue? {
    guard let kind = Self.kinds.first(where: { reader.take($0.words) })?.kind else { return nil }
    reader.skip(["は", "が", "も", "の値"], count: 1)
    if kind == .bloodPressure { return Self.pressure(&reader) }
    guard var number = reader.number() else { return nil }
    var unit: String?
    if kind == .temperature {
      if reader.take(["度"]) {
        unit = "°C"
        if !number.contains("."), !reader.hasGap, let tenth = reader.number() {
          guard tenth.utf8.count == 1 else { return nil }
          reader.skip(["分"], count: 1)
          number += ".\(tenth)"
        }
      } else if reader.take(["°c", "℃", "c"]) {
        unit = "°C"
      }
    } else {
      unit = Self.units[kind]?.first { reader.take($0.words) }?.unit
    }
    if kind == .pain, Double(number) ?? 99 > 10 { return nil }
    return MeasuredValue(kind, number, unit: unit)
  }

  private static func pressure(_ reader: inout TextReader) -> MeasuredValue? {
    let (upper, lower) = (["上が", "上は", "上", "最高血圧", "最高"], ["下が", "下は", "下", "最低血圧", "最低"])
    reader.skip(upper, count: 1)
    guard let value = reader.number() else { return nil }
    reader.skip(["mmhg", "ミリ"], count: 1)
    let isJoined = reader.take(["の", "と", "で", "たい", "対"])
    let isNamed = reader.take(lower)
    guard isJoined || isNamed || reader.hasSlash, let low = reader.number() else { return nil }
    reader.skip(["mmhg", "ミリ"], count: 1)
    return MeasuredValue(.bloodPressure, value, lower: low, unit: nil)
  }

  private static let units: [MeasurementKind: [(words: [String], unit: String)]] = [
    .pulse: [(["回毎分", "拍", "回", "bpm"], "/min")], .weight: [(["キログラム", "キロ", "kg"], "kg"), (["ポンド"], "lb")],
    .oxygen: [(["%", "パーセント"], "%")],
    .glucose: [(["mg/dl", "ミリグラム", "mgdl"], "mg/dL"), (["mmol/l", "ミリモル", "mmoll", "mmol"], "mmol/L")],
    .fluidIn: [(["ミリリットル", "ミリ", "ml", "cc"], "ml")], .fluidOut: [(["ミリリットル", "ミリ", "ml", "cc"], "ml")],
  ]
}

/// Characters that are read one after the other; marks and blanks do not count.
struct TextReader: Sendable {
  private let characters: [Character]
  /// Before which characters there is a mark or a blank, and before which a slash.
  private let gaps: Set<Int>
  private let slashes: Set<Int>
  private var index = 0

  init(_ text: String) {
    var (characters, gaps, slashes): ([Character], Set<Int>, Set<Int>) = ([], [], [])
    for character in DayWords.narrow(text) {
      if character == "/" { slashes.insert(characters.count) }
      guard character.isLetter || character.isNumber || ".%℃°ー".contains(character) else {
        gaps.insert(characters.count)
        continue
      }
      characters.append(character)
    }
    while characters.last == "." { characters.removeLast() }
    (self.characters, self.gaps, self.slashes) = (characters, gaps, slashes)
  }

  var isAtEnd: Bool { self.index >= self.characters.count }
  /// Whether there is a mark or a blank here.
  var hasGap: Bool { self.gaps.contains(self.index) }
  /// Whether a slash comes next.
  var hasSlash: Bool { self.slashes.contains(self.index) }

  /// Whether one of some words is all that is left.
  func isAt(_ words: [String]) -> Bool { words.contains { self.characters[self.index...].elementsEqual($0) } }

  /// Takes the longest of some words that comes next.
  mutating func take(_ words: [String]) -> Bool {
    let rest = self.characters[self.index...]
    guard let length = words.filter({ rest.starts(with: $0) }).map(\.count).max() else { return false }
    self.index += length
    return true
  }

  /// Takes words as long as they come.
  mutating func skip(_ words: [String], count: Int = 4) {
    var left = count
    while left > 0, self.take(words) { left -= 1 }
  }

  // MARK: - Numbers

  private static let digits: [Character] = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"]

  /// A number in digits or in kanji; nil if none comes next.
  mutating func number() -> String? {
    // "36 5" is two numbers.
    let end = self.gaps.filter { $0 > self.index }.min() ?? self.characters.count
    let rest = self.characters[self.index..<max(self.index, min(end, self.characters.count))]
    let latin = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    if !latin.isEmpty {
      var text = String(latin)
      while text.hasSuffix(".") { text.removeLast() }
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count), parts.allSatisfy({ (1...4).contains($0.utf8.count) }) else { return nil }
      self.index += text.count
      return self.withPoint(text)
    }
    let kanji = rest.prefix { "百十零".contains($0) || Self.digits.contains($0) }
    guard let whole = Self.whole(Array(kanji)) else { return nil }
    self.index += kanji.count
    return self.withPoint("\(whole)")
  }

  /// 「三十七点二」
  private mutating func withPoint(_ whole: String) -> String {
    let rest = self.characters[self.index...]
    guard !whole.contains("."), rest.first == "点", let next = rest.dropFirst().first else { return whole }
    guard let digit = Self.digits.firstIndex(of: next) ?? next.wholeNumberValue, (0...9).contains(digit) else {
      return whole
    }
    self.index += 2
    return "\(whole).\(digit)"
  }

  /// 「百三十」, 「三十七」, 「一三〇」; nil for anything else.
  private static func whole(_ kanji: [Character]) -> Int? {
    guard !kanji.isEmpty else { return nil }
    if !kanji.contains(where: { "百十".contains($0) }) {
      guard kanji.count <= 3 else { return nil }
      return kanji.reduce(Int?(0)) { sum, character in
        guard let sum, let digit = character == "零" ? 0 : Self.digits.firstIndex(of: character) else { return nil }
        return sum * 10 + digit
      }
    }
    var (rest, value) = (kanji[...], 0)
    for (sign, weight) in [(Character("百"), 100), ("十", 10)] {
      guard let place = rest.firstIndex(of: sign) else { continue }
      let before = rest[..<place]
      guard before.count <= 1 else { return nil }
      guard let factor = before.first.map({ Self.digits.firstIndex(of: $0) }) ?? 1, factor > 0 else { return nil }
      value += factor * weight
      rest = rest[(place + 1)...]
    }
    guard rest.count <= 1 else { return nil }
    guard let last = rest.first else { return value }
    guard let ones = Self.digits.firstIndex(of: last), ones > 0 else { return nil }
    return value + ones
  }
}
