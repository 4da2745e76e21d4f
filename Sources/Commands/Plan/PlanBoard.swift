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
