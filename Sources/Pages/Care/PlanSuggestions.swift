internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// What an entry by voice says was given of the plan, or measured, each with a button that records it once. What a person should know stands
/// before the button.
struct PlanSuggestions: Sendable {
  let view: PageView
  /// The page that is shown after a press.
  let next: String
  let all: [PlanSuggestion]

  /// The buttons of an entry; nothing if it says nothing of the kind.
  func html(of entry: String) -> HTML {
    let own = self.view.canRecord ? self.all.filter { $0.careID == entry } : []
    guard !own.isEmpty else { return "" }
    return
      "<div class=\"actions\" data-test=\"suggestions\">\(HTML(own.map { $0.hasItem ? self.give($0) : self.record($0) }))</div>"
  }

  private func give(_ said: PlanSuggestion) -> HTML {
    let zone = Zone(named: said.item.timeZone) ?? self.view.zone
    let time = said.hasDue ? " \(zone.time(at: said.due.nanosecondsSince1970))" : ""
    let amount = said.amount.isEmpty ? "" : ", \(said.amount) \(said.item.unit)"
    var form = Form(Methods.planGive, next: self.next, self.view).with("clientId", said.clientID)
      .with("itemId", said.item.id).with("occurredAt", said.occurredAt.rfc3339)
    if said.hasDue { form = form.with("due", said.due.rfc3339) }
    if !said.amount.isEmpty { form = form.with("amount", said.amount) }
    // It stands before the button.
    if said.warnings.contains(where: { $0.knownKind == .given }) { form = form.with("confirmed:bool", "true") }
    let label = self.view[.tick, ["what": "\(said.item.name)\(time)\(amount)"]]
    return "\(HTML(said.warnings.map { self.warning($0, zone) }))\(form.button(label, test: "tick"))"
  }

  private func record(_ said: PlanSuggestion) -> HTML {
    let value = said.measurement
    let kind = value.knownKind.map { self.view[Text($0.english, $0.japanese)] } ?? value.kind
    var form = Form(Methods.measurementsRecord, next: self.next, self.view).with("clientId", said.clientID)
      .with("measurement.kind", value.kind).with("measurement.value", value.value)
      .with("measurement.unit", value.unit).with("occurredAt", said.occurredAt.rfc3339)
    if !value.lower.isEmpty { form = form.with("measurement.lower", value.lower) }
    let mark: HTML = value.unlikely ? "<strong class=\"mark\">\(self.view[.unusual])</strong> " : ""
    return
      "\(mark)\(form.button(self.view[.recordValue, ["what": "\(kind) \(value.shownValue)"]], test: "record-value"))"
  }

  private func warning(_ warning: PlanWarning, _ zone: Zone) -> HTML {
    func clock(_ stamp: Google_Protobuf_Timestamp) -> String { zone.time(at: stamp.nanosecondsSince1970).description }
    let text: String =
      switch warning.knownKind {
      case .given: self.view[.givenAlready, ["time": clock(warning.at), "name": warning.by]]
      case .early: self.view[.tooEarly, ["time": clock(warning.earliest)]]
      case .most: self.view[.mostGiven, ["count": "\(warning.count)", "most": "\(warning.most)"]]
      case .inactive, nil: self.view[.notActive]
      }
    return "<strong class=\"mark\">\(text)</strong> "
  }
}

extension Text {
  fileprivate static let tick = Text("Tick {what}", "{what}を実施済みにする")
  fileprivate static let recordValue = Text("Record {what}", "{what}を記録")
  fileprivate static let unusual = Text("unusual value", "通常の範囲外です")
  fileprivate static let givenAlready = Text("given already {time}, {name}", "実施済み {time} {name}")
  fileprivate static let tooEarly = Text("not before {time}", "次は{time}以降")
  fileprivate static let mostGiven = Text("{count} that day; at most {most}", "その日すでに{count}回（{most}回まで）")
  fileprivate static let notActive = Text("not in the plan now", "今の予定にはありません")
}
