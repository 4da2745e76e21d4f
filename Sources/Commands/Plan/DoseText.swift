internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

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

  /// `from 2026-11-01 until 2026-11-20`.
  private static func days(_ item: PlanItem, _ say: Language) -> String {
    [
      item.from.isEmpty ? "" : say("from \(item.from)", "\(item.from)から"),
      item.until.isEmpty ? "" : say("until \(item.until)", "\(item.until)まで"),
    ].filter { !$0.isEmpty }.joined(separator: say(" ", ""))
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
      case .inactive where item.knownState == .active:
        return say(
          "\(item.name) is in the plan \(Self.days(item, say)).", "\(item.name) の予定は\(Self.days(item, say))です。")
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
