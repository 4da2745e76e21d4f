internal import KithMessages

/// Finds out which item of the plan a sentence says was given.
///
/// The names of the items become words that are known, the time of the plan is taken out of the sentence, and what remains has to be one
/// that records care: so all that makes such a sentence unsure makes this one unsure too.
struct GivenReader: Sendable {
  typealias Piece = Lexicon.Piece

  let listener: Listener
  let language: CareLanguage
  private let lexicon: Lexicon
  /// The words for the items, with their ids.
  private let ids: [String: Set<String>]
  private let roles: [String: Lexicon.Role]
  private let items: [PlanItem]

  init(listener: Listener, language: CareLanguage, items: [PlanItem]) {
    let lexicon = language == .japanese ? Lexicon.japanese : Lexicon.english
    var ids: [String: Set<String>] = [:]
    var roles: [String: Lexicon.Role] = [:]
    for item in items {
      for phrase in Self.phrases(item.name, language) where lexicon.isThing(phrase) {
        ids[phrase, default: []].insert(item.id)
        roles[phrase] = .object(item.spokenCategory)
      }
    }
    (self.listener, self.language, self.lexicon) = (listener, language, lexicon)
    (self.ids, self.roles, self.items) = (ids, roles, items)
  }

  /// The item, its time and its amount; nil if anything is not sure.
  func read(_ text: String) -> GivenMention? {
    let (due, rest) = self.withoutDue(self.plain(text))
    guard case .record(let category, _, let at) = self.listener.understand(rest, self.language, things: self.roles),
      category != .freeMemo
    else { return nil }
    let utterance = Utterance(rest, self.language)
    let pieces = self.pieces(utterance)
    // Hours may lie between "earlier" and now.
    guard at != nil || !utterance.tokens.contains(where: { $0.word == "earlier" }),
      let (meant, isNamed, isOne) = self.things(pieces, utterance),
      let amount = self.amount(pieces, utterance, meant)
    else { return nil }
    return GivenMention(
      items: Set(meant.map(\.id)), isNamed: isNamed, isOne: isOne, due: due, at: at, amount: amount)
  }

  private func pieces(_ utterance: Utterance) -> [Piece] {
    self.lexicon.pieces(utterance, names: self.listener.names, things: self.roles)
  }

  // MARK: - Words

  /// How an item may be called: by its name, without a strength at its end, and in English as one or several.
  private static func phrases(_ name: String, _ language: CareLanguage) -> Set<String> {
    let utterance = Utterance(name, language)
    var count = utterance.tokens.count
    while count > 1, let last = utterance.tokens.prefix(count).last,
      last.word.first?.isNumber == true
        || DoseUnit(last.word) != nil && utterance.tokens[count - 2].word.last?.isNumber == true
    {
      count -= 1
    }
    let whole = utterance.phrase(0..<utterance.tokens.count)
    let short = utterance.phrase(0..<count)
    guard !whole.isEmpty else { return [] }
    guard language == .english else { return [whole, Self.withoutStrength(whole)] }
    return Set([whole, short].flatMap { [$0, $0 + "s", $0.hasSuffix("s") ? String($0.dropLast()) : $0] })
  }

  /// 「アスピリン」 of 「アスピリン錠100mg」.
  private static func withoutStrength(_ name: String) -> String {
    let strength = name.reversed().prefix { $0.isASCII && ($0.isNumber || $0.isLetter || ".%".contains($0)) }
    guard strength.last?.isNumber == true else { return name }
    let rest = String(name.dropLast(strength.count))
    let form = ["錠", "カプセル", "散", "細粒", "シロップ"].first { rest.hasSuffix($0) } ?? ""
    let bare = String(rest.dropLast(form.count))
    return bare.count < 2 ? name : bare
  }

  /// How people tick what is on a list, as sentences of the log of care have it.
  private func plain(_ text: String) -> String {
    let text = text.trimmed
    guard self.language == .english else { return self.plainJapanese(text) }
    let utterance = Utterance(text, self.language)
    guard let first = utterance.tokens.first else { return text }
    let isOff = utterance.tokens.dropFirst().first?.word == "off"
    // Who is to check something has not given it.
    if first.word == "tick" || first.word == "check" && isOff {
      return "log" + text[(isOff ? utterance.tokens[1] : first).range.upperBound...]
    }
    if ["gave", "administered"].contains(first.word) { return "I " + text }
    let isDoing = self.hasDeed(utterance)
    // "She did her exercises", "exercises done".
    if isDoing, let did = utterance.tokens.dropFirst().first(where: { $0.word == "did" }) {
      return text[..<did.range.lowerBound] + "had" + text[did.range.upperBound...]
    }
    if let last = utterance.tokens.last, last.word == "done", utterance.tokens.count > 1 {
      let before = utterance.tokens.dropLast().last?.word ?? ""
      let end =
        ["is", "are", "was", "were"].contains(before) ? utterance.tokens[utterance.tokens.count - 2].range : last.range
      return text[..<end.lowerBound] + "taken" + text[last.range.upperBound...]
    }
    return text
  }

  private func plainJapanese(_ text: String) -> String {
    var text = text
    for (said, meant) in [("をチェックして", "を記録して"), ("にチェックして", "を記録して"), ("にチェックを入れて", "を記録して")] {
      text = text.replacing(said, with: meant)
    }
    guard self.hasDeed(Utterance(text, self.language)) else { return text }
    for (said, meant) in [("しました", "済ませました"), ("やりました", "済ませました"), ("した", "済ませた"), ("やった", "済ませた")] {
      for stop in ["", "。"] where text.hasSuffix("を" + said + stop) {
        return String(text.dropLast(said.count + stop.count)) + meant
      }
    }
    return text
  }

  /// Whether an exercise, or something else that is done and not taken, is named.
  private func hasDeed(_ utterance: Utterance) -> Bool {
    let deeds = Set(self.items.filter { [.exercise, .other].contains($0.knownKind) }.map(\.id))
    return self.pieces(utterance).contains { piece in
      self.ids[utterance.phrase(piece.tokens)].map { !$0.isDisjoint(with: deeds) } ?? false
    }
  }

  // MARK: - The time of the plan

  /// Takes the time of the plan out of a sentence: that which stands before a thing as a part of its name.
  private func withoutDue(_ text: String) -> (GivenMention.Due?, String) {
    let utterance = Utterance(text, self.language)
    let pieces = self.pieces(utterance)
    for (index, piece) in pieces.enumerated() {
      if let found = self.partThing(piece, utterance) {
        return (found.due, String(text[..<found.range.lowerBound] + text[found.range.upperBound...]))
      }
      guard let due = self.due(piece, utterance) else { continue }
      var next = index + 1
      if self.language == .japanese {
        guard next < pieces.count, utterance.phrase(pieces[next].tokens) == "の" else { continue }
        next += 1
      }
      guard next < pieces.count, self.isThing(pieces[next]) else { continue }
      let range =
        utterance.tokens[piece.tokens.lowerBound].range
        .lowerBound..<utterance.tokens[pieces[next].tokens.lowerBound].range.lowerBound
      return (due, String(text[..<range.lowerBound] + text[range.upperBound...]))
    }
    return (nil, text)
  }

  private func isThing(_ piece: Piece) -> Bool {
    switch piece.role {
    case .object, .name: true
    default: false
    }
  }

  private func due(_ piece: Piece, _ utterance: Utterance) -> GivenMention.Due? {
    let phrase = utterance.phrase(piece.tokens)
    switch piece.role {
    case .time(.clock(let second, let isSure)):
      // "At eight" tells when it was given.
      guard !["at ", "around ", "about "].contains(where: phrase.hasPrefix) else { return nil }
      return .clock(secondOfDay: second, isSure: isSure)
    case .time(.part(_, offset: nil)): return Self.parts[phrase].map(GivenMention.Due.part)
    case .kind: return Self.parts[phrase].map(GivenMention.Due.part)
    case .unknown: return Self.parts[phrase].map(GivenMention.Due.part)
    default: return nil
    }
  }

  /// 「朝の薬」 is one word of the lexicon: the time is 「朝の」.
  private func partThing(_ piece: Piece, _ utterance: Utterance) -> (due: GivenMention.Due, range: Range<String.Index>)?
  {
    let phrase = utterance.phrase(piece.tokens)
    guard self.language == .japanese, self.isThing(piece), self.ids[phrase] == nil, phrase.hasSuffix("の薬"),
      let part = Self.parts[String(phrase.dropLast(2))]
    else { return nil }
    let range =
      utterance.tokens[piece.tokens.lowerBound].range
      .lowerBound..<utterance.tokens[piece.tokens.upperBound - 1].range.lowerBound
    return (.part(part), range)
  }

  private static let (morning, noon, evening) = (4 * 3600...11 * 3600, 11 * 3600...15 * 3600, 16 * 3600...86_399)

  /// The parts of a day for which medicine is planned, in seconds of a day.
  private static let parts: [String: ClosedRange<Int>] = [
    "morning": Self.morning, "breakfast": Self.morning, "noon": Self.noon, "lunchtime": Self.noon, "lunch": Self.noon,
    "afternoon": 12 * 3600...18 * 3600, "evening": Self.evening, "dinner": Self.evening, "night": 18 * 3600...86_399,
    "bedtime": 19 * 3600...86_399, "朝": Self.morning, "朝食後": Self.morning, "朝食前": Self.morning, "昼": Self.noon,
    "昼食後": Self.noon, "昼食前": Self.noon, "夕方": Self.evening, "夕食後": Self.evening, "夕食前": Self.evening, "夜": Self.evening,
    "晩": Self.evening, "寝る前": 19 * 3600...86_399, "就寝前": 19 * 3600...86_399,
  ]

  // MARK: - Which item, and how much

  private static let medicines: Set<String> = [
    "medication", "medications", "medicine", "medicines", "meds", "薬", "お薬", "くすり", "服薬", "服用",
  ]
  /// Words for a form. People call a capsule a tablet, and no tablet a capsule.
  private static let forms: [String: (forms: Set<PlanForm?>, isOne: Bool)] = {
    let (any, capsules): (Set<PlanForm?>, Set<PlanForm?>) = ([.tablet, .capsule, nil], [.capsule, nil])
    return [
      "pill": (any, true), "pills": (any, false), "tablet": (any, true), "tablets": (any, false), "錠剤": (any, false),
      "capsule": (capsules, true), "capsules": (capsules, false),
    ]
  }()

  /// The items that the things of a sentence are; nil if there is anything else, or several.
  private func things(
    _ pieces: [Piece], _ utterance: Utterance
  ) -> (items: [PlanItem], isNamed: Bool, isOne: Bool)? {
    guard !pieces.contains(where: { $0.role == .unknown }) else { return nil }
    var named: Set<Set<String>> = []
    var (isGeneric, isOne, isAside) = (false, false, false)
    var forms: Set<PlanForm?>?
    for piece in pieces {
      let phrase = utterance.phrase(piece.tokens)
      switch piece.role {
      case .aside: isAside = true
      case .object, .name:
        if let ids = self.ids[phrase] {
          named.insert(ids)
        } else if Self.medicines.contains(phrase) {
          isGeneric = true
        } else if let form = Self.forms[phrase] {
          (isGeneric, isOne, forms) = (true, form.isOne, form.forms)
        } else if !isAside || piece.role != .object(.meal) {
          return nil
        }
        isAside = false
      case .link, .plain, .amount, .kind, .subject: break
      case .joiner: return nil
      default: isAside = false
      }
    }
    guard named.count <= 1 else { return nil }
    if let ids = named.first { return (self.items.filter { ids.contains($0.id) }, true, true) }
    guard isGeneric else { return nil }
    let meant = self.items.filter { item in
      item.knownKind == .medicine && forms?.contains(item.knownForm) ?? true
    }
    return meant.isEmpty ? nil : (meant, false, isOne)
  }

  /// The unit that stands behind a number; "two aspirin" are two tablets.
  private func unit(_ phrase: String) -> DoseUnit? {
    DoseUnit(phrase) ?? (self.language == .english && self.ids[phrase] != nil ? .known("tablet") : nil)
  }

  private static let whole: Set<String> = [
    "all", "full", "whole", "everything", "of it", "of them", "全部", "全量", "残さず", "完食",
  ]

  /// How much is said, in the unit of the item: empty if nothing is said, nil if it is not sure.
  private func amount(_ pieces: [Piece], _ utterance: Utterance, _ meant: [PlanItem]) -> String? {
    var amount = ""
    for (piece, next) in zip(pieces, pieces.dropFirst().map(Optional.some) + [nil]) {
      let phrase = utterance.phrase(piece.tokens)
      let unit = next.flatMap { self.unit(utterance.phrase($0.tokens)) }
      guard piece.role == .amount || phrase == "a" && unit != nil else { continue }
      if Self.whole.contains(phrase) { continue }
      guard amount.isEmpty, meant.count == 1, let item = meant.first, let unit, unit == DoseUnit(of: item) else {
        return nil
      }
      let number = phrase == "a" ? "1" : phrase
      guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), Double(number) ?? 0 > 0 else { return nil }
      amount = number
    }
    return amount
  }
}

/// A unit in which doses are told, in whatever way it is written.
private enum DoseUnit: Hashable {
  case known(String)

  init?(_ word: String) {
    guard let name = Self.names[word] else { return nil }
    self = .known(name)
  }

  /// That of an item; nil if it has none, or one of its own.
  init?(of item: PlanItem) {
    let unit = item.unit.lowercased()
    if let known = DoseUnit(unit) {
      self = known
    } else if unit.isEmpty, [.tablet, .capsule].contains(item.knownForm) {
      self = .known("tablet")
    } else {
      return nil
    }
  }

  private static let names: [String: String] = {
    var names: [String: String] = [:]
    for (name, words) in [
      ("tablet", "tablet tablets pill pills capsule capsules 錠 粒 カプセル"), ("ml", "ml millilitres milliliters cc"),
      ("mg", "mg milligrams ミリグラム"), ("drop", "drop drops 滴"), ("unit", "unit units 単位"), ("puff", "puff puffs"),
      ("packet", "packet packets 包"), ("sheet", "patch patches 枚"),
    ] {
      for word in words.split(separator: " ") { names[String(word)] = name }
    }
    return names
  }()
}

extension PlanItem {
  /// The category whose verbs tell that it was given.
  fileprivate var spokenCategory: CareCategory {
    switch self.knownKind {
    case .meal, .drink: .meal
    case .visit: .medicalVisit
    case .medicine, .exercise, .other, nil: .medication
    }
  }
}
