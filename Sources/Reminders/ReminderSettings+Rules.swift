internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension ReminderSettings {
  /// The settings with the named fields of another message; none named: those that are not empty.
  ///
  /// - Throws: `FIELD_INVALID`; `NOT_FOUND/RECORD_UNKNOWN` for a channel that is not there.
  func changed(by request: ConfigureRemindersRequest, _ channels: some DatabaseView) throws(Failure) -> ReminderSettings
  {
    let known = [
      "daily_channels", "call_channels", "person_channels", "no_person_reminders", "person_time", "language",
    ]
    if let unknown = request.fields.first(where: { !known.contains($0) }) {
      throw .invalid(field: "fields", "'\(unknown.prefix(64))' is none of \(known.joined(separator: ", ")).")
    }
    func isNamed(_ field: String, _ isSet: Bool) -> Bool {
      request.fields.contains(field) || request.fields.isEmpty && isSet
    }
    let (change, names) = (request.settings, [\Self.dailyChannels, \.callChannels, \.personChannels])
    var settings = self
    for (field, path) in zip(known, names) where isNamed(field, !change[keyPath: path].isEmpty) {
      let wanted = change[keyPath: path]
      guard wanted.count <= 10, Set(wanted).count == wanted.count else {
        throw .invalid(field: "settings.\(field)", "may be 10 channels, each once.")
      }
      for name in wanted { _ = try channels.channels.require(name) }
      settings[keyPath: path] = wanted
    }
    if isNamed("no_person_reminders", change.noPersonReminders) {
      settings.noPersonReminders = change.noPersonReminders
    }
    if isNamed("person_time", !change.personTime.isEmpty) {
      guard change.personTime.isEmpty || TimeOfDay(change.personTime) != nil else {
        throw .invalid(field: "settings.person_time", "must be a time as HH:MM.")
      }
      settings.personTime = change.personTime
    }
    if isNamed("language", !change.language.isEmpty) {
      try ReminderWords.check(change.language, field: "settings.language")
      settings.language = change.language
    }
    return settings
  }

  /// Forgets a channel that is not there any more.
  mutating func removeChannel(_ name: String) {
    self.dailyChannels.removeAll { $0 == name }
    self.callChannels.removeAll { $0 == name }
    self.personChannels.removeAll { $0 == name }
  }

  /// The names of the channels that reminders of a kind go over.
  func channels(of kind: String) -> [String] {
    switch kind {
    case "daily": self.dailyChannels
    case "call": self.callChannels
    default: self.personChannels
    }
  }
}
