extension VersionedCard {
  /// The properties that hold a date, by their names in either version.
  static let dates: Set<String> = Set(Card.anniversaryNames).union([
    "BDAY", "X-BDAY", "DEATHDATE", "X-DEATHDATE", "X-ABDATE",
  ])

  /// Fills a draft with a date in the form of the version.
  ///
  /// 4.0 has partial dates, other calendars, and texts. 3.0 has only whole dates; an unknown year becomes Apple's 1604,
  /// and other values become an X- property.
  func fillDate(_ draft: inout Draft, _ property: Property) {
    let text = property.text.trimmed
    draft.setKind(nil)
    let isGregorian = property.value(ofParameter: "CALSCALE").map { $0.uppercasedASCII == "GREGORIAN" } ?? true
    guard isGregorian, let date = property.date else {
      draft.value = .text(text)
      if draft.name == "BDAY", version == .v3_0 {
        draft.name = "X-BDAY"
      } else if isGregorian, version == .v4_0 {
        draft.setKind("text")
      }
      return
    }
    let time = Timestamp(text)
    draft.parameters.removeAll { $0.name == "X-APPLE-OMIT-YEAR" }
    if version == .v4_0 {
      draft.value = .raw(time.map { date.year == nil ? date.basic : $0.basic } ?? date.basic)
    } else if let time, date.year != nil {
      draft.setKind("date-time")
      draft.value = .raw(time.extended)
    } else if let month = date.month, let day = date.day {
      draft.value = .raw(PartialDate(year: date.year ?? 1604, month: month, day: day).description)
      if date.year == nil { draft.parameters.append(Parameter("X-APPLE-OMIT-YEAR", "1604")) }
    } else {
      if draft.name == "BDAY" { draft.name = "X-BDAY" }
      draft.value = .raw(date.description)
    }
  }
}

extension PartialDate {
  /// The date without the hyphens that 4.0 refuses: `19850412`, `1985-04`, `1985`, `--0412`, `--04`, `---12`.
  fileprivate var basic: String {
    guard month != nil, day != nil else { return description }
    return (year == nil ? "--" : "") + description.filter(\.isNumber)
  }
}

/// A day with a time of day, in either form of ISO 8601: `1995-10-31T22:27:10Z` or `19951031T222710Z`.
struct Timestamp {
  /// `19951031T222710Z`, with the zone as `Z`, `-0500` or nothing.
  let basic: String
  /// `1995-10-31T22:27:10Z`, with the zone as `Z`, `-05:00` or nothing.
  let extended: String

  /// Parses a day with a time; fractions of a second are dropped.
  init?(_ text: String) {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard parts.count == 2, let date = PartialDate(String(parts[0])), date.year != nil, date.month != nil,
      date.day != nil
    else { return nil }
    let zoneStart = parts[1].firstIndex { $0 == "Z" || $0 == "+" || $0 == "-" } ?? parts[1].endIndex
    var zone = parts[1][zoneStart...].filter { $0 != ":" }
    if zone.utf8.count == 3, zone != "Z" { zone += "00" }
    let clock = parts[1][..<zoneStart].prefix { $0 != "." && $0 != "," }.filter { $0 != ":" }
    func isDigits(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy(\.isDigit) }
    guard [4, 6].contains(clock.utf8.count), isDigits(clock), zone.isEmpty || zone == "Z" || zone.utf8.count == 5,
      isDigits(zone.dropFirst())
    else { return nil }
    let time = clock.utf8.count == 4 ? clock + "00" : clock
    basic = date.description.filter(\.isNumber) + "T" + time + zone
    let pairs = [time.prefix(2), time.dropFirst(2).prefix(2), time.suffix(2)].joined(separator: ":")
    extended =
      date.description + "T" + pairs + (zone.utf8.count == 5 ? zone.prefix(3) + ":" + zone.suffix(2) : zone[...])
  }
}
