internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

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
      (say("Reminders", "お知らせ"), item.reminderWords(say)),
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
  /// `again after 30 minutes`, `quiet`; nothing for one that is given as needed.
  fileprivate func reminderWords(_ say: Language) -> String {
    if self.asNeeded { return "" }
    if self.quiet { return say("none: quiet", "なし") }
    let again = self.againMinutes == 0 ? 30 : self.againMinutes
    guard again < (self.missedMinutes == 0 ? 120 : self.missedMinutes) else { return say("once", "1回") }
    return say("again after \(again) minutes", "\(again)分ごと")
  }

  /// When it comes, in the language of the output.
  fileprivate func whenWords(_ say: Language) -> String { self.when(say.ofCare) }
}
