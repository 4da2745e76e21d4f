internal import Bus
internal import CareTally
internal import CivilTime
internal import Fields
internal import KithMessages
internal import Spoken
internal import Storage
internal import SwiftProtobuf

extension CarePlanActor {
  /// What was said, and when.
  fileprivate struct Said {
    let text: String
    let language: CareLanguage
    /// Nanoseconds since 1970.
    let at: Int64
    /// The entry of care that says it; nil = none.
    var entry: CareRecord?
  }

  func suggest(_ request: SuggestRequest) async throws(Failure) -> SuggestReply {
    let now = self.now()
    guard request.text.isEmpty != request.day.isEmpty else {
      throw .invalid(field: "text", "give a sentence, or a day.")
    }
    if request.hasSaidAt { try PastTime.check(request.saidAt.nanosecondsSince1970, now: now, field: "said_at") }
    return try await self.storage.read { view throws(Failure) in
      let settings = try view.care.settings()
      let zone = try view.careZone()
      let items = try view.plan.all(withEnded: false).map(\.shown).filter { $0.knownState == .active }
      // A household that has no plan, and measures nothing, is offered nothing.
      if items.isEmpty {
        guard try view.measurements.hasAny() else { return SuggestReply() }
      }
      let household = CareLanguage(named: settings.language) ?? .english
      var reply = SuggestReply()
      for said in try view.said(request, household, now: now) {
        let listener = Listener(
          now: said.at / 1_000_000_000, zone: zone, recipient: settings.recipient, called: request.called)
        for mention in said.mentions(listener, items) {
          for var suggestion in try view.suggestions(mention, said.at, items) {
            if let entry = said.entry { suggestion.refer(to: entry) }
            // What an entry led to once is not offered again, also if it was taken back.
            guard try !view.creations.has(suggestion.clientID) else { continue }
            reply.suggestions.append(suggestion)
          }
        }
      }
      return reply
    }
  }
}

extension DatabaseView {
  fileprivate func said(
    _ request: SuggestRequest, _ household: CareLanguage, now: Int64
  ) throws(Failure) -> [CarePlanActor.Said] {
    guard request.day.isEmpty else {
      let span = try self.span(from: request.day, until: request.day)
      var query = CareQuery()
      (query.from, query.to, query.limit) = (span.lowerBound, span.upperBound, 500)
      // One that a person wrote, where the recognizer heard nothing, needs no review.
      let said = try self.care.page(query).records.filter { !$0.transcript.isEmpty && $0.knownReview != .needed }
      return said.map { record in
        CarePlanActor.Said(
          text: record.transcript, language: CareLanguage(named: record.language) ?? household,
          at: record.occurredAt.nanosecondsSince1970, entry: record)
      }
    }
    guard let language = request.language.isEmpty ? household : CareLanguage(named: request.language) else { return [] }
    let at = request.hasSaidAt ? request.saidAt.nanosecondsSince1970 : now
    return [CarePlanActor.Said(text: request.text, language: language, at: at)]
  }

  fileprivate func suggestions(
    _ mention: Mention, _ now: Int64, _ items: [PlanItem]
  ) throws(Failure) -> [PlanSuggestion] {
    switch mention {
    case .measured(let measured):
      let time = measured.at.map { $0 * 1_000_000_000 } ?? now
      return [try PlanSuggestion(measured, at: time)]
    case .given(let given):
      let time = given.at.map { $0 * 1_000_000_000 } ?? now
      let around = min(time, now)..<max(time, now) + 1
      var rules: [DoseRules] = []
      for item in items where given.items.contains(item.id) { rules.append(try self.rules(of: item, around: around)) }
      return SuggestionRules(items: rules).suggestions(for: given, now: now)
    }
  }
}

extension CarePlanActor.Said {
  /// What it says; of an entry, also what its category says of it: "aspirin" of an entry of medication.
  fileprivate func mentions(_ listener: Listener, _ items: [PlanItem]) -> [Mention] {
    let mentions = listener.mentions(self.text, self.language, of: items)
    guard mentions.isEmpty, let category = self.entry?.knownCategory, category != .freeMemo else { return mentions }
    let head = self.language == .japanese ? "\(category.japanese)、" : "\(category.english), "
    return listener.mentions(head + self.text, self.language, of: items)
  }
}

extension PlanSuggestion {
  /// Names the entry that says it, and by what it is recorded once.
  fileprivate mutating func refer(to entry: CareRecord) {
    self.careID = entry.id
    self.clientID = "said-\(entry.id)-\(self.hasItem ? String(self.item.id.suffix(12)) : self.measurement.kind)"
  }

  fileprivate init(_ measured: MeasuredMention, at time: Int64) throws(Failure) {
    self.init()
    let rules = MeasurementRules(measured.kind)
    self.measurement.knownKind = measured.kind
    self.measurement.value = try PlanItem.quantity(measured.value, "value")
    self.measurement.lower = try PlanItem.quantity(measured.lower, "lower")
    self.measurement.unit = measured.unit
    let amount = try rules.thousandths(measured.value, in: measured.unit, field: "value")
    let lower = measured.lower.isEmpty ? nil : try rules.thousandths(measured.lower, in: measured.unit, field: "lower")
    self.measurement.unlikely = rules.isUnlikely(amount, lower)
    self.occurredAt = .init(nanosecondsSince1970: time)
  }
}
