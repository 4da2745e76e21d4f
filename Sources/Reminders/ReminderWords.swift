internal import Bus
internal import CarePlan
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

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
  ///
  /// - Parameter plan: The zone of the care plan.
  func title(of reminder: Reminder, _ plan: Zone) -> String {
    switch reminder.knownKind {
    case .plan:
      self.isJapanese
        ? "\(self.clock(reminder.due, plan))の予定\(reminder.said > 1 ? "(再度)" : reminder.isLate ? "(遅れ)" : "")"
        : "Care plan, \(self.clock(reminder.due, plan))\(reminder.said > 1 ? ", again" : reminder.isLate ? ", late" : "")"
    case .double: self.isJapanese ? "二重の記録" : "Recorded twice"
    case .call: self.isJapanese ? "電話: \(reminder.title)" : "Call \(reminder.title)"
    case .person: reminder.title
    case .daily, nil: self.isJapanese ? "介護記録" : "Care log"
    }
  }

  /// What a button of a message says.
  func label(of action: ReminderLink.Action) -> String {
    switch action {
    case .skip: self.isJapanese ? "スキップ" : "Skip"
    case .done: self.isJapanese ? "完了" : "Done"
    case .snooze: self.isJapanese ? "30分後に" : "In 30 minutes"
    }
  }

  /// - Parameters:
  ///   - plan: The zone of the care plan.
  ///   - named: Whether it says what is due of the care plan.
  func text(of reminder: Reminder, _ plan: Zone, named: Bool) -> String {
    switch reminder.knownKind {
    case .daily: return self.isJapanese ? "本日の介護の記録を入力してください。" : "Please record today's care."
    case .call, .person, nil: return reminder.note
    case .double:
      guard !named else { return reminder.title }
      return self.isJapanese ? "同じ予定が2回記録されました。" : "Something of the care plan was recorded twice."
    case .plan:
      let count = reminder.named.count
      guard named else {
        return self.isJapanese ? "\(count)件の予定があります。" : count == 1 ? "1 thing is due." : "\(count) things are due."
      }
      return self.lines(
        reminder.named.map { $0.due == reminder.due ? $0.words : "\(self.clock($0.due, plan)) \($0.words)" })
    }
  }

  // MARK: - The care plan

  /// `Aspirin of 8:00 was recorded twice: 8:05 Taro, 8:10 Hanako`
  func double(_ time: PlannedTime, _ zone: Zone) -> String {
    let given = self.list(time.given, zone)
    let due = self.clock(.init(nanosecondsSince1970: time.instant), zone)
    let count = time.given.count
    return self.isJapanese
      ? "\(due)の\(time.item.name)が\(count)回記録されました: \(given)"
      : "\(time.item.name) of \(due) was recorded \(count == 2 ? "twice" : "\(count) times"): \(given)"
  }

  /// `Paracetamol was recorded again too soon: 8:05 Taro, 8:10 Hanako`
  func double(_ double: DoubleDose, _ zone: Zone) -> String {
    let (name, given) = (double.dose.itemName, self.list(double.all, zone))
    switch (double.kind, self.isJapanese) {
    case (.again, true): return "\(name)が\(double.all.count)回記録されました: \(given)"
    case (.again, false): return "\(name) was recorded \(double.all.count) times: \(given)"
    case (.tooSoon, true): return "\(name)が決めた間隔より早く記録されました: \(given)"
    case (.tooSoon, false): return "\(name) was recorded again too soon: \(given)"
    case (.tooOften, true): return "\(name)が1日の上限を超えて記録されました: \(given)"
    case (.tooOften, false): return "\(name) was recorded too often in a day: \(given)"
    }
  }

  /// `8:05 Taro, 8:10 Hanako`
  private func list(_ doses: [Dose], _ zone: Zone) -> String {
    let given = doses.map { dose in
      [self.clock(dose.occurredAt, zone), dose.recorder].filter { !$0.isEmpty }.joined(separator: " ")
    }
    return given.joined(separator: self.isJapanese ? "、" : ", ")
  }

  var missedTitle: String { self.isJapanese ? "未実施の予定" : "Care plan, missed" }

  func missed(_ times: [RemindedTime], _ zone: Zone, today: Day, named: Bool) -> String {
    let count = times.count
    guard named else {
      return self.isJapanese
        ? "\(count)件の予定が記録されていません。" : count == 1 ? "1 thing was not recorded." : "\(count) things were not recorded."
    }
    return self.lines(
      times.map { time in
        let day = zone.day(at: time.due.nanosecondsSince1970)
        return "\(day == today ? "" : "\(day) ")\(self.clock(time.due, zone)) \(time.words)"
      })
  }

  /// At most twelve lines: a message is read at a glance.
  private func lines(_ all: [String]) -> String {
    guard all.count > Self.mostLines else { return all.joined(separator: "\n") }
    let more = all.count - Self.mostLines + 1
    return (all.prefix(Self.mostLines - 1) + [self.isJapanese ? "ほか\(more)件" : "and \(more) more"]).joined(
      separator: "\n")
  }

  private static let mostLines = 12

  private func clock(_ time: Google_Protobuf_Timestamp, _ zone: Zone) -> String {
    zone.time(at: time.nanosecondsSince1970).description
  }
}
