/// A birthday or another day of a life: whole, without its year, or only the year that follows from an age.
enum SpecialDate: Equatable, Sendable {
  case day(CalendarDate)
  case dayOfYear(month: Int64, day: Int64)
  case year(Int64)

  /// Reads `YYYY-MM-DD`, `--MM-DD` or `~YYYY`.
  init?(_ text: String) {
    if text.hasPrefix("--") {
      // A leap year: 29 February is somebody's birthday.
      guard let date = CalendarDate("2000-\(text.dropFirst(2))") else { return nil }
      self = .dayOfYear(month: date.month, day: date.day)
    } else if text.hasPrefix("~") {
      guard text.utf8.count == 5, let date = CalendarDate("\(text.dropFirst())-01-01") else { return nil }
      self = .year(date.year)
    } else {
      guard let date = CalendarDate(text) else { return nil }
      self = .day(date)
    }
  }

  /// As in messages.
  var text: String {
    switch self {
    case .day(let date): date.text
    case .dayOfYear(let month, let day): "--\(CalendarDate.digits(month, 2))-\(CalendarDate.digits(day, 2))"
    case .year(let year): "~\(CalendarDate.digits(year, 4))"
    }
  }

  /// Day and month; nil when only the year is known.
  var monthAndDay: (month: Int64, day: Int64)? {
    switch self {
    case .day(let date): (date.month, date.day)
    case .dayOfYear(let month, let day): (month, day)
    case .year: nil
    }
  }

  /// Reads the date of a field of a request.
  ///
  /// - Returns: Nil for an empty text.
  /// - Throws: `invalid`, also for a day that the server would turn into another one: without a year it takes the
  ///   present one, in which 29 February may be 1 March.
  static func reading(_ text: String, field: String, year: Int64) throws(MonicaError) -> SpecialDate? {
    guard !text.isEmpty else { return nil }
    guard let date = SpecialDate(text) else {
      throw MonicaError(.invalid(field: field, "must be YYYY-MM-DD, --MM-DD without a year, or ~YYYY."))
    }
    if case .dayOfYear(let month, let day) = date, CalendarDate(year: year, month: month, day: day) == nil {
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
    guard let stamp = fields.time("date"), let date = CalendarDate(ServerTime.day(stamp)) else {
      self.date = nil
      return
    }
    if fields.flag("is_age_based") == true {
      self.date = .year(date.year)
    } else if fields.flag("is_year_unknown") == true {
      self.date = .dayOfYear(month: date.month, day: date.day)
    } else {
      self.date = .day(date)
    }
  }
}
