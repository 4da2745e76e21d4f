internal import Bus
internal import KithMessages
internal import Storage

/// The texts of messages about reminders, in Japanese or English.
struct ReminderWords: Sendable {
  private let isJapanese: Bool

  init(isJapanese: Bool) { self.isJapanese = isJapanese }

  /// Chooses the requested language, else that of the reminder settings, of the care settings, or of the locale.
  ///
  /// - Throws: `FIELD_INVALID` for another language; a failure of the store.
  init(_ language: String, _ view: some DatabaseView) throws(Failure) {
    try Self.check(language, field: "language")
    let wanted = [
      language, try view.reminders.settings().language, try view.care.settings().language,
      RuntimeLocations.variable("LANG") ?? "",
    ]
    self.isJapanese = (wanted.first { !$0.isEmpty } ?? "").hasPrefix("ja")
  }

  /// - Throws: `FIELD_INVALID` unless the text is empty or one of the languages.
  static func check(_ language: String, field: String) throws(Failure) {
    guard ["", "ja", "en"].contains(language) else { throw .invalid(field: field, "must be ja or en.") }
  }

  var testTitle: String { self.isJapanese ? "Kith からのテスト" : "Test from Kith" }
  var testText: String {
    self.isJapanese ? "この通知が届いていれば、設定は完了です。" : "If you can read this, the channel works."
  }

  /// Names no care, only that something is due: anybody may see the message.
  func title(of reminder: Reminder) -> String {
    switch reminder.knownKind {
    case .call: self.isJapanese ? "電話: \(reminder.title)" : "Call \(reminder.title)"
    case .person: reminder.title
    case .daily, nil: self.isJapanese ? "介護記録" : "Care log"
    }
  }

  /// What a button of a message says.
  func label(of action: ReminderLink.Action) -> String {
    switch action {
    case .done: self.isJapanese ? "完了" : "Done"
    case .snooze: self.isJapanese ? "30分後に" : "In 30 minutes"
    }
  }

  func text(of reminder: Reminder) -> String {
    guard reminder.knownKind == .daily else { return reminder.note }
    return self.isJapanese ? "本日の介護の記録を入力してください。" : "Please record today's care."
  }
}
