internal import KithMessages

/// Values that were measured, in English.
enum MeasuredEnglish {
  /// The values of a sentence; nil if it has any word that is not known here.
  static func values(_ words: [String], subjects: Set<String>) -> [MeasuredValue]? {
    var reader = WordReader(words)
    reader.skip(Self.fillers)
    if reader.take(Self.commands) { reader.skip(["that", "the", "a", "as"]) }
    guard Self.skipSubject(&reader, subjects) else { return nil }
    var values: [MeasuredValue] = []
    repeat {
      guard let value = Self.value(&reader) else { return nil }
      guard !values.contains(where: { $0.kind == value.kind }) else { return nil }
      values.append(value)
      reader.skip(["and", "with", "her", "his", "a", "the"], count: 2)
    } while !reader.isAtEnd && !reader.isAt(Self.ends)
    reader.skip(Self.ends)
    return reader.isAtEnd ? values : nil
  }

  private static let fillers = ["please", "kith", "hey", "ok", "okay", "um", "uh", "so", "well"]
  private static let commands = ["log", "record", "note down", "write down"]
  private static let ends = ["please", "now", "just now", "today", "again", "thanks", "thank you"]
  private static let joints = [
    "is", "was", "of", "at", "reads", "reading", "measured", "it was", "are", "were", "as", "came out at",
  ]

  /// "Her", "mum's", "she has a": at most one person.
  private static func skipSubject(_ reader: inout WordReader, _ subjects: Set<String>) -> Bool {
    reader.skip(["today", "just now", "now"], count: 1)
    let owners = Set(subjects.filter { $0.hasSuffix("'s") && !["she's", "he's"].contains($0) })
    if reader.take(owners.flatMap { [$0, "my \($0)", "our \($0)"] }) { return true }
    if reader.take(Array(subjects)) {
      // "She weighs", "she has a temperature of".
      if reader.isAt(["weighs", "weighed"]) { return true }
      let hasVerb = reader.take(["has", "had", "has got"])
      reader.skip(["a", "the"], count: 1)
      return hasVerb
    }
    reader.skip(["her", "his", "the", "a"], count: 1)
    return true
  }

  private static let kinds: [(words: [String], kind: MeasurementKind)] = [
    (["blood pressure reading", "blood pressure", "bp", "pressure"], .bloodPressure),
    (["body temperature", "temperature", "temp", "fever"], .temperature),
    (["pulse rate", "pulse", "heart rate", "heartbeat"], .pulse),
    (["body weight", "weight", "weighs", "weighed", "weighing"], .weight),
    (
      [
        "oxygen saturation", "blood oxygen", "oxygen level", "oxygen", "saturation", "spo2", "sp o2", "sats", "o2 sats",
        "o2 saturation",
      ],
      .oxygen
    ),
    (["blood sugar level", "blood sugar", "blood glucose", "glucose level", "glucose", "sugar level"], .glucose),
    (["pain level", "pain score", "pain"], .pain), (["fluid intake", "fluids in", "fluid in"], .fluidIn),
    (["urine output", "fluid output", "fluids out", "fluid out"], .fluidOut),
  ]

  private static func value(_ reader: inout WordReader) -> MeasuredValue? {
    guard let kind = Self.kinds.first(where: { reader.take($0.words) })?.kind else { return nil }
    reader.skip(Self.joints, count: 2)
    let isLarge = [.bloodPressure, .pulse, .weight, .glucose, .temperature, .fluidIn, .fluidOut].contains(kind)
    guard let number = reader.number(isLarge: isLarge, hasTenths: kind == .temperature) else { return nil }
    guard kind == .bloodPressure else {
      if kind == .pain {
        reader.skip(["out of 10", "out of ten"], count: 1)
        guard Double(number) ?? 99 <= 10 else { return nil }
      }
      return MeasuredValue(kind, number, unit: Self.unit(&reader, of: kind))
    }
    guard reader.take(["over", "/", "on"]), let lower = reader.number(isLarge: true, hasTenths: false) else {
      return nil
    }
    return MeasuredValue(kind, number, lower: lower, unit: Self.unit(&reader, of: kind))
  }

  private static let units: [MeasurementKind: [(words: [String], unit: String)]] = [
    .temperature: [
      (
        ["degrees celsius", "degrees centigrade", "degrees c", "degree celsius", "celsius", "centigrade", "° c", "c"],
        "°C"
      ),
      (["degrees fahrenheit", "degrees f", "degree fahrenheit", "fahrenheit", "° f", "f"], "°F"),
    ],
    .bloodPressure: [
      (["mmhg", "mm hg", "millimetres of mercury", "millimeters of mercury"], "mmHg"), (["kpa"], "kPa"),
    ],
    .pulse: [(["beats per minute", "beats a minute", "per minute", "a minute", "bpm", "beats"], "/min")],
    .weight: [
      (["kilograms", "kilogram", "kilos", "kilo", "kgs", "kg"], "kg"), (["pounds", "pound", "lbs", "lb"], "lb"),
    ],
    .oxygen: [(["percent", "per cent", "%"], "%")],
    .glucose: [
      (
        ["milligrams per decilitre", "milligrams per deciliter", "mg/dl", "mg dl", "mg / dl", "mg per dl"],
        "mg/dL"
      ),
      (
        [
          "millimoles per litre", "millimoles per liter", "millimoles", "mmol/l", "mmol / l", "mmol per litre",
          "mmol l", "mmol",
        ], "mmol/L"
      ),
    ],
    .fluidIn: Self.fluids, .fluidOut: Self.fluids,
  ]

  private static let fluids: [(words: [String], unit: String)] = [
    (["millilitres", "milliliters", "millilitre", "milliliter", "mls", "ml", "cc"], "ml"),
    (["fluid ounces", "ounces", "fl oz", "oz"], "fl oz"),
  ]

  private static func unit(_ reader: inout WordReader, of kind: MeasurementKind) -> String? {
    let unit = Self.units[kind]?.first { reader.take($0.words) }?.unit
    if unit == nil, kind == .temperature { reader.skip(["degrees", "°"], count: 1) }
    return unit
  }
}

/// Words that are read one after the other.
struct WordReader: Sendable {
  private let words: [String]
  private var index = 0

  init(_ words: [String]) { self.words = words }

  var isAtEnd: Bool { self.index >= self.words.count }

  /// Whether one of some phrases comes next.
  func isAt(_ phrases: [String]) -> Bool { self.length(phrases) != nil }

  /// Takes the longest of some phrases that comes next.
  mutating func take(_ phrases: [String]) -> Bool {
    guard let length = self.length(phrases) else { return false }
    self.index += length
    return true
  }

  /// Takes phrases as long as they come.
  mutating func skip(_ phrases: [String], count: Int = 4) {
    var left = count
    while left > 0, self.take(phrases) { left -= 1 }
  }

  private func length(_ phrases: [String]) -> Int? {
    let rest = self.words[self.index...]
    return phrases.map { $0.split(separator: " ").map(String.init) }.filter { rest.starts(with: $0) }.map(\.count).max()
  }

  // MARK: - Numbers

  private static let small: [String: Int] = {
    let names = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
      "thirteen", "fourteen",
      "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ]
    var numbers = Dictionary(uniqueKeysWithValues: zip(names, 0...))
    for (tens, name) in zip(2..., ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]) {
      numbers[name] = tens * 10
    }
    return numbers
  }()

  private func whole(at offset: Int) -> Int? {
    let index = self.index + offset
    guard index < self.words.count else { return nil }
    let word = self.words[index]
    return Self.small[word] ?? (word.utf8.count <= 4 && word.allSatisfy(\.isASCII) ? Int(word) : nil)
  }

  private func word(at offset: Int) -> String {
    let index = self.index + offset
    return index < self.words.count ? self.words[index] : ""
  }

  /// A number in digits or in words; nil if none comes next.
  ///
  /// - Parameters:
  ///   - isLarge: Whether "one thirty" is 130.
  ///   - hasTenths: Whether "thirty seven two" is 37.2.
  mutating func number(isLarge: Bool, hasTenths: Bool) -> String? {
    if let literal = self.literal(isLarge: isLarge) {
      self.index += 1
      return literal
    }
    guard let (value, count) = self.integer(isLarge: isLarge) else { return nil }
    let isSpelt = self.word(at: 0).first?.isNumber != true
    self.index += count
    if self.take(["point"]) {
      guard let digits = self.digits() else { return nil }
      return "\(value).\(digits)"
    }
    if hasTenths, value >= 30, let tenth = self.whole(at: 0), (0...9).contains(tenth),
      isSpelt || self.word(at: 0).utf8.count == 1
    {
      self.index += 1
      return "\(value).\(tenth)"
    }
    return "\(value)"
  }

  /// "37.2"; and "1:30", which is what a recognizer of speech writes for "one thirty".
  private func literal(isLarge: Bool) -> String? {
    let word = self.word(at: 0)
    guard word.first?.isNumber == true, word.allSatisfy(\.isASCII) else { return nil }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 4 && $0.allSatisfy(\.isNumber) }) {
      guard parts[1].utf8.count <= 2 else { return nil }
      return word
    }
    let clock = word.split(separator: ":", omittingEmptySubsequences: false)
    guard isLarge, clock.count == 2, clock[0].utf8.count == 1, clock[1].utf8.count == 2, let hundreds = Int(clock[0]),
      let rest = Int(clock[1]), hundreds > 0, rest >= 10
    else { return nil }
    return "\(hundreds * 100 + rest)"
  }

  private func integer(isLarge: Bool) -> (value: Int, count: Int)? {
    var offset = 0
    let value: Int
    if ["a", "one", "1"].contains(self.word(at: 0)), self.word(at: 1) == "hundred" {
      (value, offset) = (100, 2)
    } else if self.word(at: 0) == "hundred" {
      (value, offset) = (100, 1)
    } else if let first = self.whole(at: 0) {
      if self.word(at: 1) == "hundred", (1...9).contains(first) {
        (value, offset) = (first * 100, 2)
      } else if isLarge, (1...3).contains(first), let (rest, count) = self.belowHundred(at: 1), rest >= 10,
        self.word(at: 0).first?.isLetter == true
      {
        return (first * 100 + rest, count + 1)
      } else if isLarge, (1...3).contains(first), ["oh", "o"].contains(self.word(at: 1)), let ones = self.whole(at: 2),
        (1...9).contains(ones)
      {
        return (first * 100 + ones, 3)
      } else {
        return self.belowHundred(at: 0) ?? (first, 1)
      }
    } else {
      return nil
    }
    if self.word(at: offset) == "and" { offset += 1 }
    if let (rest, count) = self.belowHundred(at: offset) { return (value + rest, offset + count) }
    if self.word(at: offset - 1) == "and" { offset -= 1 }
    return (value, offset)
  }

  /// 1 to 99, as "thirty", "thirty five" or "35".
  private func belowHundred(at offset: Int) -> (value: Int, count: Int)? {
    guard let first = self.whole(at: offset), (1...99).contains(first) else { return nil }
    guard first >= 20, first % 10 == 0, self.word(at: offset).first?.isLetter == true,
      let ones = self.whole(at: offset + 1),
      (1...9).contains(ones), self.word(at: offset + 1).first?.isLetter == true
    else { return (first, 1) }
    return (first + ones, 2)
  }

  /// Digits behind a point: "two", "25".
  private mutating func digits() -> String? {
    var digits = ""
    while digits.utf8.count < 2, let digit = self.whole(at: 0) ?? (["oh", "o"].contains(self.word(at: 0)) ? 0 : nil),
      (0...9).contains(digit)
    {
      digits += "\(digit)"
      self.index += 1
    }
    if digits.isEmpty, let number = self.whole(at: 0), number < 100 {
      self.index += 1
      digits = "\(number)"
    }
    return digits.isEmpty ? nil : digits
  }
}
