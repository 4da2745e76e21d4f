internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// A day of the care plan: what is due with its buttons, and what was given with who gave it.
struct PlanList: Sendable {
  let view: PageView
  /// The page that is shown after a press.
  let next: String

  /// The day; nothing for a household without a plan.
  func html(_ day: PlanDay) -> HTML {
    guard !day.dues.isEmpty || !day.needed.isEmpty || !day.others.isEmpty || !day.orderSoon.isEmpty else { return "" }
    let zone = Zone(named: day.timeZone) ?? self.view.zone
    let dues = HTML(day.dues.map { self.due($0, zone) })
    let others = HTML(
      day.others.map {
        "<li data-test=\"plan-other\"><span>\($0.itemName) \(self.recorded($0, zone))</span>\(self.undo($0))</li>"
      })
    let needed = HTML(day.needed.map { self.need($0, zone) })
    let order = HTML(
      day.orderSoon.map {
        "<p class=\"mark\">\(self.view[.order, ["name": $0.name, "left": "\($0.stock) \($0.unit)"]])</p>"
      })
    return """
      <section class="card" data-test="plan"><h2>\(self.view[.plan])</h2><ul>\(dues)\(others)\(needed)</ul>\(order)</section>
      """
  }

  private func due(_ due: PlanDue, _ zone: Zone) -> HTML {
    let what: HTML = """
      <strong>\(Self.clock(due.due, zone))</strong> \(due.item.name) <span class="words">\(Self.amount(due.amount, due.item.unit))</span>
      """
    let doubles = HTML(
      due.doubles.map {
        " <strong class=\"mark\">\(self.view[.again]) \(self.recorded($0, zone))</strong>\(self.undo($0))"
      })
    let state: HTML =
      switch due.knownState {
      case .given, .partly, .skipped:
        "\(self.recorded(due.dose, zone))\(due.isLate ? " \(self.view[.late])" : "")\(doubles)"
      case .missed: "<strong class=\"mark\">\(self.view[.missed])</strong>"
      case .due: "<strong>\(self.view[.isDue])</strong>"
      case .coming, nil: ""
      }
    let isAnswered = due.hasDose
    return """
      <li data-test="plan-due"><span>\(what) \(state)</span>\
      \(isAnswered ? self.undo(due.dose) : self.buttons(due.item, due.due))</li>
      """
  }

  private func need(_ need: PlanNeed, _ zone: Zone) -> HTML {
    let last: HTML = need.hasLast ? " \(self.view[.last]) \(self.view.dayAndTime(of: need.last.occurredAt))" : ""
    let count = need.item.mostPerDay == 0 ? "\(need.today)" : "\(need.today)/\(need.item.mostPerDay)"
    let isMost = need.item.mostPerDay > 0 && need.today >= need.item.mostPerDay
    let times: HTML = need.today > 0 ? " \(self.view[.timesToday, ["count": count]])" : ""
    let often: HTML = isMost ? "<strong class=\"mark\">\(times)</strong>" : times
    // Shown before the button: a person who gives it all the same has read it.
    let early: HTML =
      need.hasEarliest
      ? " <strong class=\"mark\">\(self.view[.notBefore, ["time": Self.clock(need.earliest, zone)]])</strong>" : ""
    return """
      <li data-test="plan-need"><span>\(need.item.name) \
      <span class="words">\(Self.amount(need.item.amount, need.item.unit))</span>\(often)\(last)\(early)</span>\
      \(self.buttons(need.item, nil))</li>
      """
  }

  /// Given and skipped, for a time or, where there is none, now.
  private func buttons(_ item: PlanItem, _ due: Google_Protobuf_Timestamp?) -> HTML {
    guard self.view.canRecord else { return "" }
    var give = Form(Methods.planGive, next: self.next, self.view).creating().noting(now: "occurredAt").with(
      "itemId", item.id)
    guard let due else { return "<span class=\"actions\">\(give.button(self.view[.give], test: "plan-give"))</span>" }
    give = give.with("due", due.rfc3339)
    let skip = Form(Methods.planSkip, next: self.next, self.view).creating().with("itemId", item.id).with(
      "due", due.rfc3339)
    return """
      <span class="actions">\(give.button(self.view[.give], test: "plan-give", style: "primary"))\
      \(skip.button(self.view[.skipTime], test: "plan-skip"))</span>
      """
  }

  private func undo(_ dose: Dose) -> HTML {
    guard self.view.canRecord else { return "" }
    return """
      <span class="actions">\(Form(Methods.planUndo, next: self.next, self.view).with("id", dose.id).button(self.view[.undo], test: "plan-undo"))</span>
      """
  }

  /// `given 8:10, Taro`.
  private func recorded(_ dose: Dose, _ zone: Zone) -> HTML {
    let by = dose.recorder.isEmpty ? "" : self.view[.by, ["name": dose.recorder]]
    let word: Text =
      switch dose.knownOutcome {
      case .skipped: .skipped
      case .partly: .partly
      case .given, nil: .given
      }
    let reason = dose.reason.isEmpty ? "" : ": \(dose.reason)"
    return "\(self.view[word, ["time": Self.clock(dose.occurredAt, zone)]])\(by)\(reason)"
  }

  private static func clock(_ stamp: Google_Protobuf_Timestamp, _ zone: Zone) -> String {
    zone.time(at: stamp.nanosecondsSince1970).description
  }

  private static func amount(_ amount: String, _ unit: String) -> String {
    amount.isEmpty ? "" : "\(amount) \(unit)"
  }
}

extension Text {
  fileprivate static let plan = Text("Plan of today", "今日の予定")
  fileprivate static let give = Text("Given", "実施")
  fileprivate static let missed = Text("missed", "未実施")
  fileprivate static let isDue = Text("due", "時間です")
  fileprivate static let late = Text("(late)", "（遅れ）")
  fileprivate static let again = Text("Given again:", "再度：")
  fileprivate static let given = Text("given {time}", "{time}に実施")
  fileprivate static let partly = Text("partly given {time}", "{time}に一部実施")
  fileprivate static let skipped = Text("skipped {time}", "{time}にスキップ")
  fileprivate static let by = Text(" by {name}", "、{name}")
  fileprivate static let last = Text("last", "前回")
  fileprivate static let timesToday = Text("{count} today", "今日{count}回")
  fileprivate static let notBefore = Text("not before {time}", "次は{time}以降")
  fileprivate static let order = Text("Order {name} soon: {left} left.", "{name}の残りは{left}です。注文してください。")
}
