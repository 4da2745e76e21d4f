/// A date that may lack parts (RFC 6350 4.3.1), such as a birthday without a year.
///
/// It is not a calendar day: it may stand for many days, or be 29 February of a year that has none.
///
/// ```swift
/// PartialDate("--0412")?.description  // "--04-12"
/// PartialDate("12.04.1985")?.year  // 1985
/// ```
public struct PartialDate: Sendable, Hashable {
  /// The year, 1 to 9999.
  public var year: Int?
  /// The month, 1 to 12.
  public var month: Int?
  /// The day of the month, 1 to 31.
  public var day: Int?

  /// Makes a date.
  public init(year: Int? = nil, month: Int? = nil, day: Int? = nil) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Parses a date of a card. A time after `T` or a blank is ignored, and the year 0000 counts as unknown.
  ///
  /// The standard forms are `19850412`, `1985-04-12`, `1985-04`, `1985`, `--0412`, `--04-12`, `--04` and `---12`. Other
  /// forms are accepted only if they mean the same day everywhere: `1985/04/12`, `1985.04.12`, `1985年4月12日` and `1985년
  /// 4월 12일` start with the year; `12.04.1985` and `12.04.` have dots, so the day comes first. `04/12/1985` is refused:
  /// it may be in April or December.
  ///
  /// - Parameter text: The date. Any other text, and a date that no calendar has, gives nil.
  public init?(_ text: String) {
    let text = text.trimmed
    guard let date = Self(standard: text) ?? Self(national: text), date.isValid else { return nil }
    self = date
  }

  private init?(standard text: String) {
    var bytes = Array(text.utf8)
    if let time = bytes.firstIndex(where: { $0.uppercasedASCII == UInt8(ascii: "T") || $0 == ASCII.space }) {
      bytes.removeSubrange(time...)
    }
    let hyphen = UInt8(ascii: "-")
    let leading = bytes.prefix { $0 == hyphen }.count
    let fields = bytes.dropFirst(leading).split(separator: hyphen, omittingEmptySubsequences: false)
    guard let first = fields.first, !first.isEmpty, fields.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return nil }
    // A month or day of one digit counts as two.
    let digits = fields.map { max(2, $0.count) }
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
    switch (leading, digits) {
    case (0, [8]):
      self.init(
        number(first.prefix(4)), month: number(first.dropFirst(4).prefix(2)), day: number(first.suffix(2)))
    case (0, [4]): self.init(year: number(first))
    case (0, [4, 2]): self.init(year: number(first), month: number(fields[1]))
    case (0, [4, 2, 2]): self.init(number(first), month: number(fields[1]), day: number(fields[2]))
    case (2, [4]): self.init(month: number(first.prefix(2)), day: number(first.suffix(2)))
    case (2, [2]): self.init(month: number(first))
    case (2, [2, 2]): self.init(month: number(first), day: number(fields[1]))
    case (3, [2]): self.init(day: number(first))
    default: return nil
    }
  }

  /// Parses national forms by their pattern: `4/2/2` is four digits, a slash, and so on.
  private init?(national text: String) {
    guard text.utf8.count <= 64 else { return nil }
    var numbers: [Int] = []
    var pattern = ""
    var width = 0
    func closeNumber() {
      if width > 0 { pattern += width <= 2 ? "2" : String(width) }
      width = 0
    }
    for scalar in text.unicodeScalars {
      if let digit = Self.digit(scalar) {
        if width == 0 { numbers.append(0) }
        width += 1
        guard width <= 4 else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + digit
        continue
      }
      closeNumber()
      // Hours and a colon: a time begins.
      if scalar == ":", numbers.count == 4, pattern.hasSuffix("2") {
        numbers.removeLast()
        pattern.removeLast()
        if pattern.hasSuffix("T") { pattern.removeLast() }
        break
      }
      if scalar != " " { pattern.unicodeScalars.append(scalar) }
    }
    closeNumber()
    switch pattern {
    case "4/2/2", "4.2.2", "4.2.2.", "4年2月2日", "4년2월2일": self.init(numbers[0], month: numbers[1], day: numbers[2])
    case "2.2.4": self.init(numbers[2], month: numbers[1], day: numbers[0])
    case "2.2.": self.init(month: numbers[1], day: numbers[0])
    case "2月2日", "2월2일": self.init(month: numbers[0], day: numbers[1])
    case "4年2月", "4년2월": self.init(year: numbers[0], month: numbers[1])
    case "4年", "4년": self.init(year: numbers[0])
    default: return nil
    }
  }

  /// A day whose year 0 means an unknown year.
  private init(_ year: Int, month: Int, day: Int) {
    self.init(year: year == 0 ? nil : year, month: month, day: day)
  }

  /// The value of a digit, also of a full-width one as Japanese programs write it.
  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    switch scalar {
    case "0"..."9": Int(scalar.value - 0x30)
    case "\u{FF10}"..."\u{FF19}": Int(scalar.value - 0xFF10)
    default: nil
    }
  }

  private var isValid: Bool {
    let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if let year, year == 0 { return false }
    if let month, !(1...12 ~= month) { return false }
    if let day, !(1...(month.map { lengths[$0 - 1] } ?? 31) ~= day) { return false }
    return true
  }
}

extension PartialDate: CustomStringConvertible {
  /// The date as `1985-04-12`, `1985-04`, `1985`, `--04-12`, `--04` or `---12`.
  public var description: String {
    func padded(_ number: Int, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
    switch (year, month, day) {
    case (let year?, let month?, let day?): return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
    case (let year?, let month?, nil): return padded(year, 4) + "-" + padded(month, 2)
    case (let year?, nil, _): return padded(year, 4)
    case (nil, let month?, let day?): return "--" + padded(month, 2) + "-" + padded(day, 2)
    case (nil, let month?, nil): return "--" + padded(month, 2)
    case (nil, nil, let day?): return "---" + padded(day, 2)
    case (nil, nil, nil): return ""
    }
  }
}
