extension Card {
  /// The birthday; if there are several, the first that is a date. Without a year if the card has none, or has Apple's
  /// placeholder 1604.
  public var birthday: LabeledDate? {
    let found = birthdays
    return found.first { $0.date != nil } ?? found.first
  }

  /// Other birthdays: those beside ``birthday``, those in other calendars (X-ALTBDAY), and the birthday itself if it is
  /// not a date, such as `circa 1800`.
  public var alternateBirthdays: [LabeledDate] {
    var found = birthdays
    if let index = found.firstIndex(where: { $0.date != nil }) { found.remove(at: index) }
    return limited(found + dates(["X-ALTBDAY"], fallback: "birthday"))
  }

  private var birthdays: [LabeledDate] {
    dates(["BDAY", "X-BDAY"], fallback: "birthday") + androidDates { $0.canonical == "birthday" }
  }

  /// The other dates: ANNIVERSARY and its vendor forms, DEATHDATE, Android's events, and Apple's X-ABDATE with its
  /// label.
  public var dates: [LabeledDate] {
    limited(
      dates(Self.anniversaryNames, fallback: "anniversary") + dates(["DEATHDATE", "X-DEATHDATE"], fallback: "death")
        + dates(["X-ABDATE"], fallback: nil) + androidDates { $0.canonical != "birthday" })
  }

  /// The names of ANNIVERSARY in 4.0 and in programs.
  static let anniversaryNames = [
    "ANNIVERSARY", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY", "X-MS-ANNIVERSARY", "X-KADDRESSBOOK-X-ANNIVERSARY",
    "X-WAB-WEDDING_ANNIVERSARY",
  ]

  /// The time of the last change as the card claims it (REV), as written; its forms vary.
  public var revision: String? { firstText("REV") ?? firstText("X-REV") }

  /// Repairs and losses in values, in addition to ``warnings``: dates, character sets, and too many values of a kind.
  /// Those of pictures are in ``photo()``.
  public func valueWarnings() -> [Warning] {
    var found: [Warning] = []
    for date in [birthday].compactMap(\.self) + dates where date.date == nil && date.calendar == nil {
      found.append(Warning(.unreadableDate, line: date.lineNumber))
    }
    if let revision = property(named: "REV"), PartialDate(revision.text) == nil {
      found.append(Warning(.unreadableRevision, line: revision.lineNumber))
    }
    for line in lines where line.traits.contains(.hasCharset) {
      if !Property(line, in: storage).decodedContent.isClean {
        found.append(Warning(.undecodableCharset, line: line.number))
      }
    }
    guard lines.count > limits.valuesPerKind else { return found }
    var counts: [String: Int] = [:]
    for property in properties {
      counts[property.name, default: 0] += 1
      if counts[property.name] == limits.valuesPerKind + 1 {
        found.append(Warning(.tooManyValues, line: property.lineNumber))
      }
    }
    return found
  }

  private func dates(_ names: [String], fallback: String?) -> [LabeledDate] {
    var found: [LabeledDate] = []
    for name in names {
      for property in properties(named: name) {
        let text = property.text.trimmed
        guard !text.isEmpty else { continue }
        let scale = property.value(ofParameter: "CALSCALE")
        let calendar = scale.flatMap { $0.uppercasedASCII == "GREGORIAN" ? nil : $0 }
        found.append(
          LabeledDate(
            date: calendar == nil ? property.date : nil, text: text, calendar: calendar,
            label: label(of: property, fallback: fallback), lineNumber: property.lineNumber))
      }
    }
    return limited(found)
  }

  private func androidDates(_ isWanted: (Label) -> Bool) -> [LabeledDate] {
    androidFields(.event).filter { isWanted($0.label) }.map { field in
      LabeledDate(
        date: PartialDate(field.value)?.withoutApplesYear, text: field.value, calendar: nil, label: field.label,
        lineNumber: field.lineNumber)
    }
  }
}

extension Property {
  /// The value as a date; nil if it is not one. The year named by X-APPLE-OMIT-YEAR counts as unknown.
  var date: PartialDate? {
    guard var date = PartialDate(text)?.withoutApplesYear else { return nil }
    // A date of only a year keeps it: without the year nothing would be left.
    if let omitted = value(ofParameter: "X-APPLE-OMIT-YEAR"), date.year.map(String.init) == omitted, date.month != nil {
      date.year = nil
    }
    return date
  }
}

extension PartialDate {
  /// The date without the year 1604, which Apple's programs write for an unknown year, and which other programs keep
  /// when they drop the parameter that says so.
  var withoutApplesYear: PartialDate {
    var date = self
    if date.year == 1604, date.month != nil { date.year = nil }
    return date
  }
}

/// A date of a card, with its label.
///
/// ```swift
/// if let day = card.birthday?.date { print(day) }  // 1985-04-12, or --04-12 without a year
/// ```
public struct LabeledDate: Sendable, Hashable {
  /// The date; nil if the text has no known form, or counts in another calendar.
  public var date: PartialDate?
  /// The value as written.
  public var text: String
  /// The calendar that the card names (CALSCALE), such as `chinese`; nil for the Gregorian calendar.
  public var calendar: String?
  /// The label: `birthday`, `anniversary`, or another one.
  public var label: Label
  /// The line of its property, counted from 1 in the whole input.
  public var lineNumber: Int
}
