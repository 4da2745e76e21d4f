internal import ArgumentParser
internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// An item of the plan, named by its name, the beginning of it, or its id.
struct PlanItemReference: NameReference {
  typealias Target = PlanItem

  static let help = ArgumentHelp("The name of an item, or its id.", valueName: "item")
  static let example = "aspirin"
  static var defaultCompletionKind: CompletionKind { Completion.ids(PlanItem.idKind) }

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    let items = try await session.ask(ListPlanItemsRequest.with { $0.all = true }).items
    let typed = self.text.foldedName
    let begun = items.filter { $0.name.foldedName.hasPrefix(typed) }
    // One that has ended is not another one whose name begins like its own.
    let exact = begun.filter { $0.name.foldedName == typed }
    let found = exact.isEmpty ? begun : exact
    // One that has ended may have a successor of the same name.
    let going = found.filter { $0.knownState != .ended }
    return (going.isEmpty ? found : going)
      .map { NameMatch.Candidate(id: $0.id, shown: $0.shown(session.language), names: [$0.name]) }
  }
}

extension PlanItem {
  /// What tells it from another one of its name: `Aspirin, 08:00, 20:00, 1 tablet`.
  fileprivate func shown(_ say: Language) -> String {
    [self.name, self.when(say.ofCare), DoseText.amount(self.amount, self.unit)].filter { !$0.isEmpty }
      .joined(separator: say(", ", "、"))
  }
}

extension Confirmation {
  /// Asks before an item gets the name of another one that is not ended: who then names it has to say which.
  ///
  /// - Parameter id: That of the item; empty for a new one.
  func ask(beforeNaming name: String, id: String = "", _ session: Session) async throws(Failure) {
    let items = try await session.ask(ListPlanItemsRequest()).items
    guard let other = items.first(where: { $0.id != id && $0.name.foldedName == name.foldedName }) else { return }
    let shown = Printable.text(other.shown(session.language))
    try self.ask(
      session.language(
        "The plan has this name already: \(shown). Use it for another item too?",
        "同じ名前の項目がすでにあります（\(shown)）。別の項目にもこの名前を使いますか?"),
      isGrave: true, session)
  }
}

extension PlanItem: Identified {
  static let idKind = "plan"
  static let list = "kith plan items"
  static func idNoun(_ say: Language) -> String { say("item", "項目") }
  static func words(about id: String, _ session: Session) async -> String {
    (try? await session.ask(GetPlanItemRequest.with { $0.id = id }).name) ?? ""
  }
}

extension Dose: Identified {
  static let idKind = "dose"
  static let list = "kith plan history"
  static func idNoun(_ say: Language) -> String { say("dose", "服用") }
  static func words(about id: String, _ session: Session) async -> String {
    let doses = try? await session.ask(ListDosesRequest.with { $0.limit = 100 }).doses
    return doses?.first { $0.id == id }.map { "\(session.zone.text($0.occurredAt))  \($0.itemName)" } ?? ""
  }
}
