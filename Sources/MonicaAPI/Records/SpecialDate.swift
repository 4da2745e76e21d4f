internal import CivilTime

/// A birthday or another day of a life: whole, without its year, or only the year that follows from an age.
enum SpecialDate: Equatable, Sendable {
  case day(Day)
  case dayOfYear(month: Int, day: Int)
  case year(Int)

  /// Reads `YYYY-MM-DD`, `--MM-DD` or `~YYYY`.
  init?(_ text: String) {
    if text.hasPrefix("--") {
      // A leap year: 29 February is somebody's birthday.
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

  /// As in messages.
  var text: String {
    switch self {
    case .day(let date): date.description
    case .dayOfYear(let month, let day): "--\(month.padded())-\(day.padded())"
    case .year(let year): "~\(year.padded(to: 4))"
    }
  }

  /// Day and month; nil when only the year is known.
  var monthAndDay: (month: Int, day: Int)? {
    switch self {
    case .day(let date): (date.components.month, date.components.day)
    case .dayOfYear(let month, let day): (month, day)
    case .year: nil
    }
  }

  /// What is known of its day, as the server takes it: year, month and day in fields whose names begin alike.
  func fields(_ prefix: String) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    if case .day(let date) = self { fields[prefix + "year"] = .number(date.components.year) }
    if let (month, day) = self.monthAndDay {
      fields[prefix + "month"] = .number(month)
      fields[prefix + "day"] = .number(day)
    }
    return fields
  }

  /// Reads the date of a field of a request.
  ///
  /// - Returns: Nil for an empty text.
  /// - Throws: `invalid`, also for a day that the server would turn into another one: without a year it takes the
  ///   present one, in which 29 February may be 1 March.
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

/// A date of a person in the server's JSON. Without a year it has the present one, of an age the first day of the year.
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
