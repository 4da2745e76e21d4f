internal import CivilTime

/// A birthday or another important day: complete, without a year, or only a year that was computed from an age.
enum SpecialDate: Equatable, Sendable {
  case day(Day)
  case dayOfYear(month: Int, day: Int)
  case year(Int)

  /// Parses `YYYY-MM-DD`, `--MM-DD` or `~YYYY`.
  init?(_ text: String) {
    if text.hasPrefix("--") {
      // A leap year, because a birthday may be on 29 February.
      guard let date = Day("2000-\(text.dropFirst(2))") else { return nil }
      self = .dayOfYear(month: date.components.month, day: date.components.day)
    } else if text.hasPrefix("~") {
      guard text.utf8.count == 5, let date = Day("\(text.dropFirst())-01-01") else { return nil }
      self = .year(date.components.year)
    } else {
      guard let date = Day(text) else { return nil }
      self = .day(date)
    }
  }

  /// The text for messages.
  var text: String {
    switch self {
    case .day(let date): date.description
    case .dayOfYear(let month, let day): "--\(month.padded())-\(day.padded())"
    case .year(let year): "~\(year.padded(to: 4))"
    }
  }

  /// Day and month; nil if only the year is known.
  var monthAndDay: (month: Int, day: Int)? {
    switch self {
    case .day(let date): (date.components.month, date.components.day)
    case .dayOfYear(let month, let day): (month, day)
    case .year: nil
    }
  }

  /// The date as the server reads it: year, month and day in fields with a common prefix.
  func fields(_ prefix: String) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    if case .day(let date) = self { fields[prefix + "year"] = .number(date.components.year) }
    if let (month, day) = self.monthAndDay {
      fields[prefix + "month"] = .number(month)
      fields[prefix + "day"] = .number(day)
    }
    return fields
  }

  /// Parses the date in a field of a request.
  ///
  /// - Returns: nil for an empty text.
  /// - Throws: `invalid`, also for a day that the server would change: without a year it uses the present one, in which
  ///   29 February may become 1 March.
  static func reading(_ text: String, field: String, year: Int) throws(MonicaError) -> SpecialDate? {
    guard !text.isEmpty else { return nil }
    guard let date = SpecialDate(text) else {
      throw MonicaError(.invalid(field: field, "must be YYYY-MM-DD, --MM-DD without a year, or ~YYYY."))
    }
    if case .dayOfYear(let month, let day) = date, Day(year: year, month: month, day: day) == nil {
      throw MonicaError(
        .invalid(field: field, "the server keeps 29 February without a year only in leap years. Give the year."))
    }
    return date
  }
}

/// A date of a person in the server's JSON. Without a year it has the present year; of an age it has the first day of
/// the year.
struct SpecialDateResource: Decodable, Sendable {
  let date: SpecialDate?

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    guard let stamp = fields.time("date"), let date = Day(ServerTime.day(stamp)) else {
      self.date = nil
      return
    }
    let (year, month, day) = date.components
    if fields.flag("is_age_based") == true {
      self.date = .year(year)
    } else if fields.flag("is_year_unknown") == true {
      self.date = .dayOfYear(month: month, day: day)
    } else {
      self.date = .day(date)
    }
  }
}
