internal import Bus
internal import CivilTime
internal import Fields
internal import KithMessages

/// The limits and rules of care entries.
enum CareRules {
  /// The largest summary in bytes. A message body has room for twice as many, because JSON may need two bytes for one.
  static let summaryLimit = 120 << 10
  /// The largest recording in bytes.
  static let soundLimit: UInt64 = 32 << 20

  static func category(_ name: String) throws(Failure) -> CareCategory {
    guard let category = CareCategory(named: name) else {
      let names = CareCategory.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(field: "category", name.isEmpty ? "give one of \(names)." : "must be one of \(names).")
    }
    return category
  }

  static func text(_ text: String, limit: TextLimit = .memo, field: String) throws(Failure) {
    if let fault = limit.fault(of: text) { throw .invalid(field: field, fault) }
  }

  /// One of a few words; empty for any.
  static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ word: String, of type: Word.Type, field: String
  ) throws(Failure) {
    guard word.isEmpty || Word(rawValue: word) != nil else {
      throw .invalid(field: field, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")), or empty.")
    }
  }

  /// How long sound that could not be transcribed is kept, in nanoseconds.
  static func kept(_ settings: CareSettings) -> Int64 {
    Int64(settings.keepAudioHours == 0 ? 72 : settings.keepAudioHours) * 3_600_000_000_000
  }

  static func name(_ name: String, field: String) throws(Failure) {
    try self.text(name, limit: .name, field: field)
  }

  /// A time at which something may have happened: from 1970 to an hour from now.
  static func time(_ nanoseconds: Int64, now: Int64, field: String = "occurred_at") throws(Failure) {
    try PastTime.check(nanoseconds, now: now, field: field)
  }

  static func day(_ text: String, field: String = "day") throws(Failure) -> Day {
    guard let day = Day(text) else { throw .invalid(field: field, "must be a day as YYYY-MM-DD.") }
    return day
  }

  static func language(_ name: String, field: String = "language") throws(Failure) -> CareLanguage {
    guard let language = CareLanguage(named: name) else { throw .invalid(field: field, "must be ja or en.") }
    return language
  }

  /// Settings changed by a request: the fields that it names, or the fields that are not empty if it names none.
  static func settings(
    _ current: CareSettings, changed change: CareSettings, fields: [String]
  ) throws(Failure) -> CareSettings {
    var settings = current
    let texts: [(String, WritableKeyPath<CareSettings, String>)] = [
      ("recipient", \.recipient), ("honorific", \.honorific), ("recorder", \.recorder), ("language", \.language),
      ("time_zone", \.timeZone),
    ]
    let mask = try FieldMask(
      fields,
      given: [
        "recipient": !change.recipient.isEmpty, "honorific": !change.honorific.isEmpty,
        "recorder": !change.recorder.isEmpty, "language": !change.language.isEmpty,
        "time_zone": !change.timeZone.isEmpty, "keep_audio_hours": change.keepAudioHours > 0,
      ])
    for (name, path) in texts where mask.contains(name) {
      try self.name(change[keyPath: path], field: "settings.\(name)")
      settings[keyPath: path] = change[keyPath: path]
    }
    if mask.contains("keep_audio_hours") {
      guard change.keepAudioHours <= 8760 else {
        throw .invalid(field: "settings.keep_audio_hours", "must be at most 8760 hours (a year).")
      }
      settings.keepAudioHours = change.keepAudioHours
    }
    if !settings.language.isEmpty { _ = try self.language(settings.language, field: "settings.language") }
    _ = try Zone.reading(settings.timeZone)
    return settings
  }
}

extension CareCategory {
  /// Parses a category in any common spelling: `medical_visit`, `medical-visit`, `medicalVisit`, `Medical visit`.
  init?(named name: String) {
    if let category = Self(rawValue: name) {
      self = category
      return
    }
    let letters = name.lowercased().filter(\.isLetter)
    guard let category = Self.allCases.first(where: { $0.rawValue.filter(\.isLetter) == letters }) else { return nil }
    self = category
  }
}
