extension Card {
  /// The birthday: of several the first that is a date. Its year is missing when the card has none or Apple's 1604 stands for it.
  public var birthday: LabeledDate? {
    let found = birthdays
    return found.first { $0.date != nil } ?? found.first
  }

  /// Birthdays beside ``birthday``, in other calendars too (X-ALTBDAY), and the birthday itself where it is no date, such as
  /// `circa 1800`: a text that is shown.
  public var alternateBirthdays: [LabeledDate] {
    var found = birthdays
    if let index = found.firstIndex(where: { $0.date != nil }) { found.remove(at: index) }
    return limited(found + dates(["X-ALTBDAY"], fallback: "birthday"))
  }

  private var birthdays: [LabeledDate] {
    dates(["BDAY", "X-BDAY"], fallback: "birthday") + androidDates { $0.canonical == "birthday" }
  }

  /// The other dates: ANNIVERSARY and its vendor forms, DEATHDATE, Android's events, and Apple's X-ABDATE with its label.
  public var dates: [LabeledDate] {
    limited(
      dates(Self.anniversaryNames, fallback: "anniversary") + dates(["DEATHDATE", "X-DEATHDATE"], fallback: "death")
        + dates(["X-ABDATE"], fallback: nil) + androidDates { $0.canonical != "birthday" })
  }

  /// ANNIVERSARY as 4.0 and as programs name it.
  static let anniversaryNames = [
    "ANNIVERSARY", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY", "X-MS-ANNIVERSARY", "X-KADDRESSBOOK-X-ANNIVERSARY",
    "X-WAB-WEDDING_ANNIVERSARY",
  ]

  /// When the card says it was last changed (REV), as written; it is a claim and its forms vary.
  public var revision: String? { firstText("REV") ?? firstText("X-REV") }

  /// The repairs and losses in values, beside ``warnings``: dates, character sets, and how many values of a kind there are.
  /// Those of pictures come with ``photo()``.
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
  /// The value as a date; nil when it is none. The year that X-APPLE-OMIT-YEAR names is not known.
  var date: PartialDate? {
    guard var date = PartialDate(text)?.withoutApplesYear else { return nil }
    // A year alone stays: without it there would be no date.
    if let omitted = value(ofParameter: "X-APPLE-OMIT-YEAR"), date.year.map(String.init) == omitted, date.month != nil {
      date.year = nil
    }
    return date
  }
}

extension PartialDate {
  /// The same without the year 1604, which Apple's programs write for a year that is not known, and other programs keep when they
  /// drop the parameter that says so.
  var withoutApplesYear: PartialDate {
    var date = self
    if date.year == 1604, date.month != nil { date.year = nil }
    return date
  }
}

/// A day that the card remembers, with its label.
public struct LabeledDate: Sendable, Hashable {
  /// The date; nil when the text is none of the known forms, or counts in another calendar.
  public var date: PartialDate?
  /// The value as written.
  public var text: String
  /// The calendar the card names (CALSCALE), such as `chinese`; nil for the Gregorian one.
  public var calendar: String?
  /// What it is: `birthday`, `anniversary`, or another.
  public var label: Label
  /// The line of its property, counted from 1 in the whole input.
  public var lineNumber: Int
}
