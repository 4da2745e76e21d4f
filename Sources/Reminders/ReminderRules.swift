internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension ReminderSettings {
  /// The settings changed by a request: the fields that it names, or the fields that are not empty if it names none.
  ///
  /// - Throws: `FIELD_INVALID`; `NOT_FOUND/RECORD_UNKNOWN` for a channel that does not exist.
  func changed(by request: ConfigureRemindersRequest, _ channels: some DatabaseView) throws(Failure) -> ReminderSettings
  {
    let change = request.settings
    let mask = try FieldMask(
      request.fields,
      given: [
        "daily_channels": !change.dailyChannels.isEmpty, "call_channels": !change.callChannels.isEmpty,
        "person_channels": !change.personChannels.isEmpty, "plan_channels": !change.planChannels.isEmpty,
        "no_plan_names": change.noPlanNames, "no_person_reminders": change.noPersonReminders,
        "person_time": !change.personTime.isEmpty, "language": !change.language.isEmpty,
      ])
    let lists: [(String, WritableKeyPath<Self, [String]>)] = [
      ("daily_channels", \.dailyChannels), ("call_channels", \.callChannels), ("person_channels", \.personChannels),
      ("plan_channels", \.planChannels),
    ]
    var settings = self
    for (field, path) in lists where mask.contains(field) {
      let wanted = change[keyPath: path]
      guard wanted.count <= 10, Set(wanted).count == wanted.count else {
        throw .invalid(field: "settings.\(field)", "must be at most 10 channels, each once.")
      }
      for name in wanted { _ = try channels.channels.require(name) }
      settings[keyPath: path] = wanted
    }
    if mask.contains("no_person_reminders") {
      settings.noPersonReminders = change.noPersonReminders
    }
    if mask.contains("no_plan_names") { settings.noPlanNames = change.noPlanNames }
    if mask.contains("person_time") {
      guard change.personTime.isEmpty || TimeOfDay(change.personTime) != nil else {
        throw .invalid(field: "settings.person_time", "must be a time as HH:MM.")
      }
      settings.personTime = change.personTime
    }
    if mask.contains("language") {
      try ReminderWords.check(change.language, field: "settings.language")
      settings.language = change.language
    }
    return settings
  }

  /// Removes a deleted channel.
  mutating func removeChannel(_ name: String) {
    self.dailyChannels.removeAll { $0 == name }
    self.callChannels.removeAll { $0 == name }
    self.personChannels.removeAll { $0 == name }
    self.planChannels.removeAll { $0 == name }
  }

  /// The names of the channels for reminders of a kind.
  func channels(of kind: ReminderKind?) -> [String] {
    switch kind {
    case .daily: self.dailyChannels
    case .call: self.callChannels
    case .plan, .double: self.planChannels
    case .person, nil: self.personChannels
    }
  }
}

/// The rules for a reminder to call a person: its time and its note.
enum CallReminderRules {
  private static let longestDays = 3660

  static func note(_ note: String) throws(Failure) -> String {
    if let fault = TextLimit.reminderNote.fault(of: note) { throw .invalid(field: "note", fault) }
    return note
  }

  /// The day and the instant; at ten if no time is given.
  static func time(
    _ request: AddCallReminderRequest, now: Int64, zone: Zone
  ) throws(Failure) -> (day: Day, instant: Int64) {
    guard request.on.isEmpty != (request.inDays == 0) else {
      throw .invalid(field: "in_days", "give a number of days, or the day as `on`.")
    }
    guard request.inDays <= Self.longestDays else {
      throw .invalid(field: "in_days", "must be at most \(Self.longestDays) days (ten years).")
    }
    let parts = request.on.split(separator: " ", omittingEmptySubsequences: false)
    let day = request.on.isEmpty ? zone.day(at: now).adding(days: Int(request.inDays)) : Day(parts[0])
    let time = parts.count > 1 ? TimeOfDay(parts[1]) : TimeOfDay(hour: 10, minute: 0)
    guard let day, let time, parts.count <= 2, let instant = zone.instant(of: day, at: time) else {
      throw .invalid(field: "on", "must be a day as YYYY-MM-DD, or a time as YYYY-MM-DD HH:MM.")
    }
    guard instant > now else { throw .invalid(field: "on", "must be in the future.") }
    guard day <= zone.day(at: now).adding(days: Self.longestDays) else {
      throw .invalid(field: "on", "must be at most ten years from now.")
    }
    return (day, instant)
  }
}
