internal import Bus
internal import CivilTime
internal import FailureWords
internal import KithMessages
internal import SwiftProtobuf
internal import Wyoming

/// What the house says, in one language. It is spoken by a machine, so that every sentence stands by itself.
struct HouseWords: Sendable {
  /// The entries that are read out at most, and the characters of each.
  private static let (mostEntries, longestText) = (6, 80)

  let say: CareLanguage
  let zone: Zone
  let today: Day

  init(_ language: CareLanguage, zone: Zone = .system(), today: Day = Day(number: 0)) {
    (self.say, self.zone, self.today) = (language, zone, today)
  }

  // MARK: - What was done

  func recorded(_ record: CareRecord) -> String {
    let category = self.name(record)
    let time = self.moment(record)
    let text = record.memo.isEmpty ? "" : self.say(": \(record.memo)", "。\(record.memo)")
    return self.say("Recorded: \(category), \(time)\(text).", "\(time)、\(category)を記録しました\(text)。")
  }

  func undone(_ kept: SpokenHouse.Kept) -> String {
    switch kept {
    case .entry(let record): self.undone(record)
    case .planned(let doses, let values, _):
      self.say("Taken back: \(self.list(doses, values)).", "\(self.list(doses, values))を取り消しました。")
    }
  }

  private func undone(_ record: CareRecord) -> String {
    self.say(
      "Taken back: \(self.name(record)), \(self.moment(record)).",
      "\(self.moment(record))の\(self.name(record))を取り消しました。")
  }

  var nothingToUndo: String {
    self.say(
      "There is nothing to take back. I take back the entry that was recorded last from here, within ten minutes.",
      "取り消すものがありません。取り消せるのは、ここで最後に記録したもので、10分以内のものだけです。")
  }

  func reminder(_ reminder: Reminder, of name: String) -> String {
    let local = self.zone.local(at: reminder.due.seconds * 1_000_000_000)
    return self.say(
      "I will remind you to call \(name): \(self.day(local.day)) at \(local.time).",
      "\(self.day(local.day))\(local.time)に、\(name)さんへの電話をお知らせします。")
  }

  func daily(_ daily: DailyReminder) -> String {
    guard daily.enabled else { return self.say("The daily reminder is off.", "毎日のリマインダーを止めました。") }
    return self.say("I will remind you every day at \(daily.time).", "毎日\(daily.time)にお知らせします。")
  }

  func nobody(_ name: String) -> String {
    self.say(
      "I know nobody called \(name). Nothing was set. Say the name as it is written in Kith.",
      "\(name)さんという人が見つかりません。登録していません。登録してある名前で言ってください。")
  }

  func several(_ name: String) -> String {
    self.say(
      "Several people are called \(name). Nothing was set. Say the whole name.",
      "\(name)さんは何人もいます。登録していません。フルネームで言ってください。")
  }

  // MARK: - What was recorded

  func last(_ record: CareRecord?, _ category: CareCategory) -> String {
    let name = self.say.name(of: category)
    guard let record else {
      return self.say("\(name): nothing is recorded yet.", "\(name)の記録はまだありません。")
    }
    let text = self.text(record)
    return self.say(
      "\(name) was last recorded \(self.moment(record))\(text.isEmpty ? "" : ": \(text)").",
      "最後の\(name)は\(self.moment(record))です。\(text.isEmpty ? "" : "\(text)。")")
  }

  /// The entries of a day, in the order of their times.
  func list(_ records: [CareRecord], _ day: Day, _ category: CareCategory?) -> String {
    let name = category.map { self.say.name(of: $0) }
    let when = self.day(day)
    guard !records.isEmpty else {
      let of = name.map { self.say("\($0): nothing", "\($0)の記録は") } ?? self.say("Nothing", "記録は")
      return self.say("\(of) is recorded \(when).", "\(when)の\(of)ありません。")
    }
    let ordered = records.sorted {
      ($0.occurredAt.seconds, $0.occurredAt.nanos) < ($1.occurredAt.seconds, $1.occurredAt.nanos)
    }
    let shown = ordered.suffix(Self.mostEntries).map { record in
      let text = self.text(record)
      let head = "\(self.time(record)) \(self.name(record))"
      return text.isEmpty ? head : self.say("\(head), \(text)", "\(head)、\(text)")
    }
    let count = records.count
    let entries = count == 1 ? "1 entry" : "\(count) entries"
    let newest = count > shown.count ? self.say(" The last \(shown.count):", "最後の\(shown.count)件は、") : ""
    let head = "\(when.prefix(1).uppercased())\(when.dropFirst()): \(entries)\(name.map { " of \($0)" } ?? "")"
    return self.say(
      "\(head).\(newest) \(shown.joined(separator: "; ")).",
      "\(when)の\(name ?? "")記録は\(count)件です。\(newest)\(shown.joined(separator: "。"))。")
  }

  // MARK: - Failures

  /// What is said while the hub does not answer.
  var away: WyomingAnswer {
    WyomingAnswer(
      text: self.say(
        "Kith does not answer now. Nothing was recorded. Please try again later.",
        "Kithが応答しません。記録していません。あとでもう一度言ってください。"), isHandled: false)
  }

  /// What is said if the hub did not answer while it may have stored something.
  var unconfirmed: WyomingAnswer {
    WyomingAnswer(
      text: self.say(
        "Kith has not confirmed it. Say it once more within two minutes: it is recorded only once.",
        "Kithがまだ確認していません。2分以内にもう一度言ってください。二重には記録されません。"), isHandled: false)
  }

  func failed(_ failure: Failure) -> WyomingAnswer {
    switch failure.code {
    case .unavailable: return self.away
    case .deadlineExceeded: return self.unconfirmed
    default:
      let why = self.say(failure.message, failure.inJapanese.message)
      return WyomingAnswer(text: self.say("That did not work: \(why)", "できませんでした。\(why)"), isHandled: false)
    }
  }

  // MARK: - Parts

  private func name(_ record: CareRecord) -> String {
    record.knownCategory.map { self.say.name(of: $0) } ?? record.category
  }

  private func text(_ record: CareRecord) -> String {
    let text = record.memo.isEmpty ? record.transcript : record.memo
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > Self.longestText ? "\(line.prefix(Self.longestText))…" : line
  }

  private func time(_ record: CareRecord) -> String {
    self.zone.time(at: record.occurredAt.seconds * 1_000_000_000).description
  }

  private func moment(_ record: CareRecord) -> String { self.moment(record.occurredAt) }

  /// `today at 08:00`, 今日08:00.
  func moment(_ stamp: Google_Protobuf_Timestamp) -> String {
    let local = self.zone.local(at: stamp.seconds * 1_000_000_000)
    return self.say("\(self.day(local.day)) at \(local.time)", "\(self.day(local.day))\(local.time)")
  }

  private func day(_ day: Day) -> String {
    switch day.number - self.today.number {
    case 0: return self.say("today", "今日")
    case -1: return self.say("yesterday", "昨日")
    case 1: return self.say("tomorrow", "明日")
    default:
      let (_, month, number) = day.components
      let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
      ]
      return self.say("on \(number) \(months[month - 1])", "\(month)月\(number)日")
    }
  }
}
