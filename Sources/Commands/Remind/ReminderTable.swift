internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Reminders as table rows.
struct ReminderTable {
  static let columns = [
    Column("WHEN", "いつ"), Column("AT", "日時", drops: 1), Column("WHAT", "内容", wraps: true), Column("STATE", "状態"),
    Column("ID"),
  ]

  private let reminders: [Reminder]
  private let empty: String

  init(_ reminders: [Reminder], empty: String) {
    self.reminders = reminders
    self.empty = empty
  }

  func lines(_ session: Session) -> [String] {
    guard !self.reminders.isEmpty else { return [self.empty] }
    let say = session.language
    var table = Table(Self.columns)
    for reminder in self.reminders {
      let what = reminder.inWords(say)
      let due = reminder.comesAt
      table.add(
        due.seconds > session.now.seconds ? session.next(due) : session.relative(due), session.zone.text(due),
        reminder.note.isEmpty ? what : "\(what): \(reminder.note)",
        reminder.stateInWords(say), session.ids[reminder.id])
    }
    return table.lines(session)
  }
}

extension Reminder {
  /// What others had answered of a reminder of the plan, so that it was not recorded again.
  func answeredBefore(_ session: Session) -> [String] {
    self.times.filter(\.answeredBefore).map { time in
      let say = session.language
      let by = time.by.isEmpty ? "" : say(" by \(time.by)", "、\(time.by)")
      return Printable.text(
        say(
          "\(time.name) was recorded already, \(session.zone.text(time.at))\(by).",
          "\(time.name) はすでに記録されています (\(session.zone.text(time.at))\(by))。"))
    }
  }
}

extension DailyReminder {
  /// The settings in a sentence.
  func words(_ session: Session) -> String {
    let say = session.language
    guard self.enabled else {
      return say(
        "The daily reminder is off. `kith remind daily HH:MM` turns it on.",
        "毎日のお知らせはオフです。`kith remind daily HH:MM` でオンにします。")
    }
    let zone = self.timeZone.isEmpty ? say("the hub's time", "kithd の時間帯") : self.timeZone
    let time = "\(session.zone.text(self.nextAt)) (\(session.next(self.nextAt)))"
    let next = self.hasNextAt ? say(", next on \(time)", "、次は \(time)") : ""
    let condition = self.onlyIfNothingRecorded ? say(", on days without records", "、記録のない日だけ") : ""
    return say(
      "The daily reminder comes at \(self.time), \(zone)\(condition)\(next).",
      "毎日のお知らせは \(self.time) (\(zone))\(condition)\(next)。")
  }

  /// Its channels, and the results of its last messages.
  func deliveryLines(_ session: Session) -> [String] {
    guard self.enabled else { return [] }
    let say = session.language
    let sent = self.deliveries.map { delivery in
      let state = DeliveryEntry.with { $0.state = delivery.state }.stateInWords(session)
      let why = delivery.hasError ? ": \(Failure(status: delivery.error).read(in: say).message)" : ""
      return "  \(delivery.channel): \(state)\(why)"
    }
    let over = self.delivery == "events" ? say("kith only", "kith だけ") : self.delivery
    return [say("It goes over: \(over)", "送り先: \(over)")] + sent.flatMap(Printable.lines)
  }
}

extension Reminder {
  /// The task that it reminds of.
  func inWords(_ say: Language) -> String {
    switch self.knownKind {
    case .call: say("Call \(self.title)", "\(self.title)に電話")
    case .person, .plan, .double: self.title
    case .daily, nil: say("Record care of \(self.day)", "\(self.day)の介護を記録")
    }
  }

  fileprivate func stateInWords(_ say: Language) -> String {
    let state = self.knownState?.words(say) ?? self.state
    return self.isLate ? say("\(state) (late)", "\(state)(遅れ)") : state
  }
}
