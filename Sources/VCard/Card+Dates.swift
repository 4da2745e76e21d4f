extension Card {
  /// The birthday (BDAY); its year is missing when the card has none or Apple's 1604 stands for it.
  public var birthday: LabeledDate? { dates(["BDAY"], fallback: "birthday").first }

  /// Birthdays in other calendars (X-ALTBDAY).
  public var alternateBirthdays: [LabeledDate] { dates(["X-ALTBDAY"], fallback: "birthday") }

  /// The other dates: ANNIVERSARY and its vendor forms, DEATHDATE, and Apple's X-ABDATE with its label.
  public var dates: [LabeledDate] {
    limited(
      dates(["ANNIVERSARY", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY"], fallback: "anniversary")
        + dates(["DEATHDATE"], fallback: "death") + dates(["X-ABDATE"], fallback: nil))
  }

  /// When the card says it was last changed (REV), as written; it is a claim and its forms vary.
  public var revision: String? { firstText("REV") }

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
        var date = calendar == nil ? PartialDate(text) : nil
        if let omitted = property.value(ofParameter: "X-APPLE-OMIT-YEAR"), date?.year.map(String.init) == omitted {
          date?.year = nil
        }
        found.append(
          LabeledDate(
            date: date, text: text, calendar: calendar, label: label(of: property, fallback: fallback),
            lineNumber: property.lineNumber))
      }
    }
    return limited(found)
  }
}
