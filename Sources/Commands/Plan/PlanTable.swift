internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// A day of the plan.
struct PlanBoard {
  private let day: PlanDay

  init(_ day: PlanDay) { self.day = day }

  func lines(_ session: Session) -> [String] {
    let (day, say, style) = (self.day, session.language, session.console.style)
    guard !day.dues.isEmpty || !day.needed.isEmpty || !day.others.isEmpty || !day.orderSoon.isEmpty else {
      return [
        say(
          "Nothing is planned for \(day.day). Add something: kith plan add",
          "\(day.day) の予定はありません。追加するには: kith plan add")
      ]
    }
    let zone = Zone(named: day.timeZone) ?? session.zone
    var table = Table([
      Column("TIME", "時刻"), Column("WHAT", "項目", wraps: true), Column("HOW MUCH", "量"),
      Column("STATE", "状態", wraps: true),
    ])
    for due in day.dues {
      table.add(
        zone.time(at: due.due.nanosecondsSince1970).description, due.item.name,
        DoseText.amount(due.amount, due.item.unit), due.words(in: zone, session))
    }
    for dose in day.others {
      table.add(
        zone.time(at: dose.occurredAt.nanosecondsSince1970).description, dose.itemName,
        DoseText.amount(dose.amount, dose.unit), DoseText.words(dose, in: zone, session))
    }
    for need in day.needed {
      let last =
        need.hasLast
        ? say("last \(session.relative(need.last.occurredAt))", "前回\(session.relative(need.last.occurredAt))") : ""
      let often = need.today > 0 ? say(Count.of(Int(need.today), "time") + " today", "今日\(need.today)回") : ""
      let from =
        need.hasEarliest
        ? say(
          "not before \(zone.time(at: need.earliest.nanosecondsSince1970))",
          "次は\(zone.time(at: need.earliest.nanosecondsSince1970))以降") : ""
      table.add(
        say("as needed", "必要時"), need.item.name, DoseText.amount(need.item.amount, need.item.unit),
        [often, last, from].filter { !$0.isEmpty }.joined(separator: say(", ", "、")))
    }
    let order = day.orderSoon.map { item in
      style.notice(
        say(
          "Order \(item.name) soon: \(item.stock) \(item.unit) left.",
          "\(item.name) は残り\(item.stock)\(item.unit)です。注文してください。"))
    }
    return [style.bold(day.day)] + table.lines(session) + order
  }
}

extension PlanDue {
  /// The state in words, with who gave it.
  fileprivate func words(in zone: Zone, _ session: Session) -> String {
    let (say, style) = (session.language, session.console.style)
    let doubles = self.doubles.map { style.bad(say("given again ", "再度: ") + DoseText.words($0, in: zone, session)) }
    let state =
      switch self.knownState {
      case .coming, nil: say("coming", "これから")
      case .due: style.notice(say("due", "時間です"))
      case .missed: style.bad(say("missed", "未実施"))
      case .given, .partly, .skipped:
        DoseText.words(self.dose, in: zone, session) + (self.isLate ? say(" (late)", "（遅れ）") : "")
      }
    return ([state] + doubles).joined(separator: say("; ", "、"))
  }
}

/// What was recorded, and what a person should know of it.
struct DoseText {
  private let reply: DoseReply

  init(_ reply: DoseReply) { self.reply = reply }

  func lines(_ session: Session) -> [String] {
    let (dose, say, zone) = (self.reply.dose, session.language, Self.zone(self.reply, session))
    let state = dose.hasDeletedAt ? say("taken back", "取り消しました") : Self.words(dose, in: zone, session)
    let amount = Self.amount(dose.amount, dose.unit)
    let due = dose.hasDue ? say(" for \(zone.text(dose.due))", " (\(zone.text(dose.due)) の分)") : ""
    let first = [dose.itemName, amount].filter { !$0.isEmpty }.joined(separator: " ") + due + ": " + state
    let left =
      self.reply.item.stock.isEmpty
      ? []
      : [
        say("Left: ", "残り: ") + Self.amount(self.reply.item.stock, self.reply.item.unit)
          + (self.reply.item.orderSoon ? say(": order soon", "（注文してください）") : "")
      ]
    return [first] + Self.sentences(self.reply, session).map(session.console.style.notice) + left + [
      "ID  \(session.ids[dose.id])"
    ]
  }

  /// The question before something is recorded that was warned of.
  static func question(_ reply: DoseReply, _ session: Session) -> String {
    (Self.sentences(reply, session) + [session.language("Record it all the same?", "それでも記録しますか?")]).joined(
      separator: " ")
  }

  /// `given 8:10 by Taro`.
  static func words(_ dose: Dose, in zone: Zone, _ session: Session) -> String {
    let (say, time) = (session.language, zone.time(at: dose.occurredAt.nanosecondsSince1970).description)
    let by = dose.recorder.isEmpty ? "" : say(" by \(dose.recorder)", "、\(dose.recorder)")
    switch dose.knownOutcome {
    case .skipped:
      let why = dose.reason.isEmpty ? "" : ": \(dose.reason)"
      return say("skipped\(by)\(why)", "スキップ\(by)\(why)")
    case .partly: return say("partly given \(time)\(by)", "\(time) に一部実施\(by)")
    case .given, nil: return say("given \(time)\(by)", "\(time) に実施\(by)")
    }
  }

  /// `2 tablets`.
  static func amount(_ amount: String, _ unit: String) -> String {
    [amount, amount.isEmpty ? "" : unit].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// That of the item's times.
  private static func zone(_ reply: DoseReply, _ session: Session) -> Zone {
    Zone(named: reply.item.timeZone) ?? session.zone
  }

  private static func sentences(_ reply: DoseReply, _ session: Session) -> [String] {
    let (say, zone, item) = (session.language, Self.zone(reply, session), reply.item)
    return reply.warnings.map { warning in
      let (at, by) = (zone.text(warning.at), warning.by.isEmpty ? "" : say(" by \(warning.by)", "、\(warning.by)"))
      switch warning.knownKind {
      case .given:
        return say("\(item.name) was recorded already, \(at)\(by).", "\(item.name) はすでに記録されています (\(at)\(by))。")
      case .early where warning.doseID.isEmpty:
        return say(
          "It is too early: \(item.name) is due \(zone.text(warning.earliest)).",
          "まだ早すぎます。\(item.name) の予定は \(zone.text(warning.earliest)) です。")
      case .early:
        return say(
          "It is too early: \(item.name) was given \(at)\(by); not before \(zone.text(warning.earliest)).",
          "まだ早すぎます。前回 \(at)\(by)、次は \(zone.text(warning.earliest)) 以降です。")
      case .most:
        return say(
          "\(item.name) was given \(Count.of(Int(warning.count), "time")) that day; the plan says \(warning.most) at most.",
          "\(item.name) はその日すでに\(warning.count)回です。予定では1日\(warning.most)回までです。")
      case .inactive:
        return say(
          "\(item.name) is \(item.state) in the plan.",
          "\(item.name) は予定では「\(item.knownState?.words(say) ?? item.state)」です。")
      case nil: return warning.kind
      }
    }
  }
}

/// The history as table rows.
struct DoseTable {
  private let reply: ListDosesReply

  init(_ reply: ListDosesReply) { self.reply = reply }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    guard !self.reply.doses.isEmpty else { return [say("Nothing was given yet.", "まだ記録はありません。")] }
    var table = Table(
      [
        Column("WHEN", "いつ"), Column("WHAT", "項目", wraps: true), Column("HOW MUCH", "量"),
        Column("STATE", "状態", wraps: true),
        Column("NOTE", "メモ", drops: 1, wraps: true), Column("ID"),
      ], hidesEmpty: true)
    for dose in self.reply.doses {
      let state = dose.hasDeletedAt ? say("taken back", "取り消し") : DoseText.words(dose, in: session.zone, session)
      table.add(
        session.zone.text(dose.occurredAt), dose.itemName, DoseText.amount(dose.amount, dose.unit), state, dose.note,
        session.ids[dose.id])
    }
    return table.lines(session) + PageOptions.more(self.reply.nextCursor, say)
  }
}

/// The items as table rows.
struct PlanItemTable {
  private let items: [PlanItem]

  init(_ items: [PlanItem]) { self.items = items }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    guard !self.items.isEmpty else {
      return [say("The plan is empty. Add something: kith plan add", "予定はありません。追加するには: kith plan add")]
    }
    var table = Table(
      [
        Column("NAME", "名前", wraps: true), Column("WHEN", "いつ", wraps: true), Column("HOW MUCH", "量"),
        Column("LEFT", "残り", drops: 1), Column("STATE", "状態"), Column("ID"),
      ], hidesEmpty: true)
    for item in self.items {
      table.add(
        item.name, item.whenWords(say), DoseText.amount(item.amount, item.unit), item.stock,
        item.knownState == .active ? "" : item.knownState?.words(say) ?? item.state, session.ids[item.id])
    }
    return table.lines(session)
  }
}

/// One item in full.
struct PlanItemCard {
  private let item: PlanItem

  init(_ item: PlanItem) { self.item = item }

  func lines(_ session: Session) -> [String] {
    let (item, say) = (self.item, session.language)
    let left = DoseText.amount(item.stock, item.unit) + (item.orderSoon ? say(": order soon", "（注文してください）") : "")
    var rows: [Details.Row] = [
      (say("Kind", "種類"), item.knownKind?.words(say) ?? item.kind),
      (say("When", "いつ"), item.whenWords(say)), (say("How much", "量"), DoseText.amount(item.amount, item.unit)),
      (say("Form", "剤形"), item.knownForm?.words(say) ?? item.form),
      (
        say("Least", "間隔"), item.leastMinutes == 0 ? "" : say("\(item.leastMinutes) minutes", "\(item.leastMinutes)分以上")
      ),
      (say("Most", "上限"), item.mostPerDay == 0 ? "" : say("\(item.mostPerDay) a day", "1日\(item.mostPerDay)回")),
      (say("From", "開始"), item.from), (say("Until", "終了"), item.until), (say("Left", "残り"), left),
      (say("State", "状態"), item.knownState?.words(say) ?? item.state), (say("Note", "メモ"), item.note),
      (say("Time zone", "タイムゾーン"), item.timeZone), ("ID", session.ids[item.id]),
    ]
    rows += item.versions.map { version in
      let old = version.item
      return (
        say("From", "以前") + " \(session.zone.text(version.validFrom))",
        [
          old.name, old.whenWords(say), DoseText.amount(old.amount, old.unit),
          old.knownState == .active ? "" : old.knownState?.words(say) ?? "",
        ]
        .filter { !$0.isEmpty }.joined(separator: say(", ", "、"))
      )
    }
    return Details(title: item.name, rows: rows).lines(session)
  }
}

extension PlanItem {
  /// `8:00 and 20:00 on mon, thu`, `every 8 hours`, `as needed`.
  fileprivate func whenWords(_ say: Language) -> String {
    if self.asNeeded { return say("as needed", "必要時") }
    if self.everyHours > 0 { return say("every \(Count.of(Int(self.everyHours), "hour"))", "\(self.everyHours)時間ごと") }
    let groups = Dictionary(grouping: self.times, by: \.weekdays)
    return groups.sorted { ($0.key.count, $0.key.joined()) < ($1.key.count, $1.key.joined()) }.map { days, times in
      let clocks = times.map { $0.amount.isEmpty ? $0.time : "\($0.time) (\($0.amount))" }.sorted().joined(
        separator: ", ")
      let names = days.map { Weekday(rawValue: $0)?.words(say) ?? $0 }.joined(separator: ", ")
      return days.isEmpty ? clocks : say("\(clocks) on \(names)", "\(names) \(clocks)")
    }.joined(separator: say("; ", "、"))
  }
}
