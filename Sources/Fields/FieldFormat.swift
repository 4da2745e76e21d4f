internal import CivilTime
internal import KithMessages

/// Normalizes and checks a text by its format.
extension FieldRules.Format {
  /// The normal form of a text; nil if it is not of the format, and for formats without a normal form.
  func formed(_ text: String) -> String? {
    switch self {
    case .amount: Self.amount(text)
    case .country: Country.code(text)
    default: nil
    }
  }

  /// The fault of the characters of a text; nil if there is none.
  func fault(ofCharacters text: String) -> String? {
    switch self {
    case .any:
      text.unicodeScalars.contains("\u{0}") ? "must not have the character U+0000." : nil
    case .line, .word, .latitude, .longitude:
      text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        ? "must be one line, without control characters." : nil
    case .name, .day, .partialDay, .time, .amount, .country: nil
    }
  }

  /// The fault of a text that is not empty; nil if there is none.
  ///
  /// - Parameter now: Set if a day must not be in the future, in nanoseconds since 1970; one day ahead is accepted.
  func fault(of text: String, now: Int64?) -> String? {
    switch self {
    case .word: Self.isWord(text) ? nil : "must be one word of letters, digits, '-' and '_'."
    case .day: Self.day(text, now: now)
    case .partialDay: Self.partialDay(text, now: now)
    case .amount:
      Self.amount(text) == nil ? "must be an amount such as 12 or 12.50, without currency or unit." : nil
    case .country:
      Country.code(text) == nil ? "must be a country by its ISO 3166 code of two letters, such as JP." : nil
    case .latitude: Self.degrees(text, 90)
    case .longitude: Self.degrees(text, 180)
    case .time: TimeOfDay(text) == nil ? "must be a time as HH:MM." : nil
    // protoc-gen-kith refuses NAME in a message that has a table.
    case .any, .line, .name: nil
    }
  }

  /// On the server, a tag is a word in a text.
  private static func isWord(_ tag: String) -> Bool {
    tag.unicodeScalars.allSatisfy { scalar in
      scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || scalar.properties.generalCategory == .nonspacingMark || scalar.properties.generalCategory == .spacingMark
    }
  }

  private static func day(_ text: String, now: Int64?) -> String? {
    guard let day = Day(text) else { return "must be a day that exists, as YYYY-MM-DD." }
    return self.future(day, now: now)
  }

  private static func partialDay(_ text: String, now: Int64?) -> String? {
    let day: Day? =
      if text.hasPrefix("--") {
        // 2000 is a leap year and has a 29 February.
        Day("2000" + text.dropFirst())
      } else if text.hasPrefix("~") {
        Day(text.dropFirst() + "-01-01")
      } else {
        Day(text)
      }
    guard let day else { return "must be a day that exists: YYYY-MM-DD, --MM-DD without a year, or ~YYYY." }
    return text.hasPrefix("--") ? nil : self.future(day, now: now)
  }

  private static func future(_ day: Day, now: Int64?) -> String? {
    guard let now else { return nil }
    let tomorrow = Day(number: Int(now / 86_400_000_000_000) + 1)
    return day > tomorrow ? "lies in the future." : nil
  }

  /// The amount with two decimals, as the server returns it; nil if the text is not an amount.
  private static func amount(_ text: String) -> String? {
    guard let quantity = Quantity(text) else { return nil }
    let (whole, rest) = (quantity.hundredths / 100, quantity.hundredths % 100)
    return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func degrees(_ text: String, _ limit: Double) -> String? {
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
    guard isDecimal, let number = Double(text), abs(number) <= limit else {
      return "must be decimal degrees from -\(Int(limit)) to \(Int(limit)), such as 35.68."
    }
    return nil
  }
}
