internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// What a field of a record must be: how it is put in order, and what is wrong with it.
///
/// A rule looks at fields that a person has just set. What came from the server is as it is: an older text that is too long
/// here is no reason to refuse another change of its record.
struct FieldRule<Record: Sendable>: Sendable {
  /// The field that a fault is told of.
  let field: String
  /// The fields whose change the rule looks at.
  let watched: [String]
  /// Puts the field in order, as the server would: blanks at its ends go.
  let tidy: @Sendable (inout Record) -> Void
  /// What is wrong and what would be right; nil when nothing is.
  ///
  /// The second argument is the time of day in nanoseconds since 1970.
  let fault: @Sendable (Record, Int64) -> String?

  private init(
    _ field: String, watched: [String] = [], tidy: @escaping @Sendable (inout Record) -> Void = { _ in },
    fault: @escaping @Sendable (Record, Int64) -> String?
  ) {
    self.field = field
    self.watched = [field] + watched
    self.tidy = tidy
    self.fault = fault
  }

  /// A rule over one or more fields.
  static func rule(
    _ field: String, also others: [String] = [], _ fault: @escaping @Sendable (Record, Int64) -> String?
  ) -> Self {
    Self(field, watched: others, fault: fault)
  }

  /// A text of one line.
  ///
  static func line(
    _ field: String, _ path: any WritableKeyPath<Record, String> & Sendable, limit: TextLimit = .line,
    isRequired: Bool = false, _ fault: @escaping @Sendable (String) -> String? = { _ in nil }
  ) -> Self {
    Self(field, tidy: { $0[keyPath: path].trim() }) { record, _ in
      let text = record[keyPath: path]
      if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
        return "must be one line, without control characters."
      }
      return Self.length(of: text, limit: limit, isRequired: isRequired) ?? (text.isEmpty ? nil : fault(text))
    }
  }

  /// A text of any number of lines.
  static func text(
    _ field: String, _ path: any WritableKeyPath<Record, String> & Sendable, limit: TextLimit, isRequired: Bool = false
  ) -> Self {
    Self(field, tidy: { $0[keyPath: path].trim() }) { record, _ in
      let text = record[keyPath: path]
      if text.unicodeScalars.contains("\u{0}") { return "must not have the character U+0000." }
      return Self.length(of: text, limit: limit, isRequired: isRequired)
    }
  }

  /// One of a few words.
  static func choice(
    _ field: String, _ path: any WritableKeyPath<Record, String> & Sendable, _ choices: [String],
    isRequired: Bool = false
  ) -> Self {
    Self(field) { record, _ in
      let text = record[keyPath: path]
      let isKnown = text.isEmpty ? !isRequired : choices.contains(text)
      return isKnown ? nil : "must be one of \(choices.joined(separator: ", "))\(isRequired ? "" : ", or empty")."
    }
  }

  /// A day as YYYY-MM-DD.
  ///
  /// - Parameter isPast: Whether it has happened. A day ahead is accepted: it is tomorrow elsewhere.
  static func day(
    _ field: String, _ path: any WritableKeyPath<Record, String> & Sendable, isRequired: Bool = false,
    isPast: Bool = false
  ) -> Self {
    Self(field, tidy: { $0[keyPath: path].trim() }) { record, now in
      let text = record[keyPath: path]
      guard !text.isEmpty else { return isRequired ? "must not be empty; give a day as YYYY-MM-DD." : nil }
      guard let day = Day(text) else { return "must be a day that exists, as YYYY-MM-DD." }
      return isPast ? Self.future(day, now: now) : nil
    }
  }

  /// A day of which only a part may be known: YYYY-MM-DD, --MM-DD or ~YYYY.
  static func partialDay(_ field: String, _ path: any WritableKeyPath<Record, String> & Sendable) -> Self {
    Self(field, tidy: { $0[keyPath: path].trim() }) { record, now in
      let text = record[keyPath: path]
      guard !text.isEmpty else { return nil }
      let day: Day? =
        if text.hasPrefix("--") {
          // Of a leap year, so that there is a 29 February.
          Day("2000" + text.dropFirst())
        } else if text.hasPrefix("~") {
          Day(text.dropFirst() + "-01-01")
        } else {
          Day(text)
        }
      guard let day else { return "must be a day that exists: YYYY-MM-DD, --MM-DD without a year, or ~YYYY." }
      return text.hasPrefix("--") ? nil : Self.future(day, now: now)
    }
  }

  /// A moment that has come, or will within a day.
  static func moment(
    _ field: String, _ get: @escaping @Sendable (Record) -> Google_Protobuf_Timestamp?
  ) -> Self {
    Self(field) { record, now in
      guard let time = get(record) else { return "must be given: a moment as in 2026-01-31T14:05:00Z." }
      return Self.fault(of: time, now: now)
    }
  }

  /// A number.
  static func number(
    _ field: String, _ path: any WritableKeyPath<Record, UInt32> & Sendable, in range: ClosedRange<UInt32>
  ) -> Self {
    Self(field) { record, _ in
      range.contains(record[keyPath: path])
        ? nil : "is \(record[keyPath: path]); must be from \(range.lowerBound) to \(range.upperBound)."
    }
  }

  /// Names, each once.
  static func names(
    _ field: String, _ path: any WritableKeyPath<Record, [String]> & Sendable, count: Int = 50,
    limit: TextLimit = .line,
    _ fault: @escaping @Sendable (String) -> String? = { _ in nil }
  ) -> Self {
    Self(
      field,
      tidy: { record in
        var seen: Set<String> = []
        record[keyPath: path] = record[keyPath: path].map(\.trimmed).filter { seen.insert($0).inserted }
      }
    ) { record, _ in
      let names = record[keyPath: path]
      guard names.count <= count else { return "has \(names.count) entries; at most \(count) are kept." }
      for name in names {
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
          return "each must be one line, without control characters."
        }
        if let fault = Self.length(of: name, limit: limit, isRequired: true) ?? fault(name) { return "each \(fault)" }
      }
      return nil
    }
  }

  /// A text that is brought into one form.
  ///
  /// - Parameter form: Gives the form; nil for a text that is none.
  static func formed(
    _ field: String, _ path: any WritableKeyPath<Record, String> & Sendable, _ what: String,
    _ form: @escaping @Sendable (String) -> String?
  ) -> Self {
    Self(
      field,
      tidy: { record in
        record[keyPath: path].trim()
        if let formed = form(record[keyPath: path]) { record[keyPath: path] = formed }
      }
    ) { record, _ in
      let text = record[keyPath: path]
      return text.isEmpty || form(text) != nil ? nil : what
    }
  }

  /// What is wrong with a moment that has come.
  static func fault(of time: Google_Protobuf_Timestamp, now: Int64) -> String? {
    guard (0..<1_000_000_000).contains(time.nanos), time.seconds >= -62_135_596_800 else {
      return "is no moment in time."
    }
    return time.seconds > now / 1_000_000_000 + 86_400 ? "lies in the future. Check the day and the time zone." : nil
  }

  private static func future(_ day: Day, now: Int64) -> String? {
    let tomorrow = Day(number: Int(now / 86_400_000_000_000) + 1)
    return day > tomorrow ? "lies in the future." : nil
  }

  private static func length(of text: String, limit: TextLimit, isRequired: Bool) -> String? {
    text.isEmpty ? (isRequired ? "must not be empty." : nil) : limit.fault(of: text)
  }
}

extension String {
  /// Without white space at its ends, as the server stores it (Laravel's `TrimStrings`).
  var trimmed: String {
    guard let start = self.firstIndex(where: { !$0.isWhitespace }),
      let end = self.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }

  /// Takes white space at the ends away.
  mutating func trim() { self = self.trimmed }
}
