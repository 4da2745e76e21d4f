/// A date of which parts may be missing (RFC 6350 4.3.1), such as a birthday without its year.
///
/// It is no day of the calendar: it may stand for many of them, or be the 29 February of a year that has none, as cards say.
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

  /// Reads `19850412`, `1985-04-12`, `1985-04`, `1985`, `--0412`, `--04-12`, `--04` or `---12`; a time after `T` or a blank is
  /// left out.
  ///
  /// - Parameter text: The date; nil comes back for anything else, and for a date that no calendar has.
  public init?(_ text: String) {
    var bytes = Array(text.trimmed.utf8)
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
        year: number(first.prefix(4)), month: number(first.dropFirst(4).prefix(2)), day: number(first.suffix(2)))
    case (0, [4]): self.init(year: number(first))
    case (0, [4, 2]): self.init(year: number(first), month: number(fields[1]))
    case (0, [4, 2, 2]): self.init(year: number(first), month: number(fields[1]), day: number(fields[2]))
    case (2, [4]): self.init(month: number(first.prefix(2)), day: number(first.suffix(2)))
    case (2, [2]): self.init(month: number(first))
    case (2, [2, 2]): self.init(month: number(first), day: number(fields[1]))
    case (3, [2]): self.init(day: number(first))
    default: return nil
    }
    guard isValid else { return nil }
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
