internal import Bus
internal import CivilTime
internal import KithMessages
internal import Spoken

/// Which times of the plan something that was said may answer.
///
/// A value without a clock or a store, as ``DoseRules``. A time that is far away from what was said is not offered: a person who says
/// "her morning tablets" in the evening has to say when that was.
struct SuggestionRules: Sendable {
  /// What is known of each item that may be given.
  let items: [DoseRules]

  /// How long after a time that is named, if it is told when it was given.
  private static let behind: Int64 = 12 * 3600 * 1_000_000_000

  private struct Match {
    let rules: DoseRules
    let due: PlanSchedule.Due?
    var isOpen: Bool { self.due.map { self.rules.answer(to: $0) == nil } ?? true }
  }

  /// What may be recorded, for a person to confirm.
  ///
  /// - Parameter now: When it was said, in nanoseconds since 1970.
  func suggestions(for said: GivenMention, now: Int64) -> [PlanSuggestion] {
    let instant = said.at.map { $0 * 1_000_000_000 } ?? now
    let meant = self.items.filter { said.items.contains($0.item.id) }
    let matches = meant.compactMap { self.match($0, said, at: instant) }
    return self.chosen(matches, said, at: instant).map { match in
      var suggestion = PlanSuggestion()
      suggestion.item = match.rules.item
      suggestion.item.note = ""
      suggestion.occurredAt = .init(nanosecondsSince1970: instant)
      suggestion.amount = said.amount
      if let due = match.due { suggestion.due = .init(nanosecondsSince1970: due.instant) }
      suggestion.warnings = match.rules.warnings(at: instant, due: match.due, isGiven: true)
      return suggestion
    }
  }

  /// Of several items of one name, that which is due; of all medicines, those of one time.
  private func chosen(_ matches: [Match], _ said: GivenMention, at instant: Int64) -> [Match] {
    let open = matches.filter(\.isOpen)
    let near = open.isEmpty ? matches : open
    if said.isNamed { return near.count == 1 ? near : [] }
    // "Her morning tablets" are all of the morning.
    let isWhole = if case .part? = said.due { !open.isEmpty } else { false }
    // The last time that has come, else the next one.
    let times = near.compactMap(\.due?.instant)
    let time = times.filter { $0 <= instant }.max() ?? times.min()
    let chosen = isWhole ? open : near.filter { $0.due?.instant == time }
    return said.isOne && chosen.count > 1 ? [] : chosen
  }

  private func match(_ rules: DoseRules, _ said: GivenMention, at instant: Int64) -> Match? {
    guard !rules.item.asNeeded else { return said.isNamed && said.due == nil ? Match(rules: rules, due: nil) : nil }
    let missed = Int64(rules.item.missed) * 60_000_000_000
    guard let named = said.due else {
      let due = rules.due(at: instant)
      if said.isNamed { return Match(rules: rules, due: due) }
      guard let due, (-DoseRules.soon...missed).contains(instant - due.instant) else { return nil }
      return Match(rules: rules, due: due)
    }
    let behind = said.at == nil ? missed : Self.behind
    // "Her morning tablets" are those whose time has come.
    let ahead = if case .part = named { DoseRules.soon / 4 } else { DoseRules.soon }
    let fitting = rules.schedule.dues(from: instant - behind, to: instant + ahead + 1)
      .filter { named.fits(rules.item.zone.time(at: $0.instant)) }
      .map { Match(rules: rules, due: $0) }
    return fitting.last(where: \.isOpen) ?? fitting.last
  }
}

extension GivenMention.Due {
  fileprivate func fits(_ time: TimeOfDay) -> Bool {
    let second = time.hour * 3600 + time.minute * 60
    switch self {
    case .clock(let said, let isSure): return second == said || !isSure && second == (said + 43_200) % 86_400
    case .part(let part): return part.contains(second)
    }
  }
}
