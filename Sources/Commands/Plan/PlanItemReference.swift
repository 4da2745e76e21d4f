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
    let found = items.filter { $0.name.foldedName.hasPrefix(typed) }
    // One that has ended may have a successor of the same name.
    let going = found.filter { $0.knownState != .ended }
    return (going.isEmpty ? found : going)
      .map { NameMatch.Candidate(id: $0.id, shown: $0.name, names: [$0.name]) }
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
