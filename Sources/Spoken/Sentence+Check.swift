internal import KithMessages

/// What makes a sentence that records unsure.
extension Sentence {
  func isTime(_ piece: Piece) -> Bool {
    if case .time = piece.role { true } else { false }
  }

  private static let units: Set<String> = [
    "tablet", "tablets", "pill", "pills", "mg", "milligrams", "ml", "drop", "drops", "units", "unit", "capsules",
    "capsule", "puff",
    "puffs", "錠", "包", "滴", "ミリ", "単位", "粒",
  ]

  /// Whether it is told how much: "five milligrams", 1錠.
  var hasDose: Bool { !self.doses.isEmpty }

  /// The units of the doses that are told, such as "tablet" of "two tablets".
  private var doses: [String] {
    let words = self.utterance.tokens
    return zip(words, words.dropFirst()).compactMap { number, unit in
      guard number.word.first?.isNumber == true, Self.units.contains(unit.word) else { return nil }
      return unit.word.hasSuffix("s") ? String(unit.word.dropLast()) : unit.word
    }
  }

  /// Whether every number has something that it counts. "Lunch twelve" may tell a time, and "two tablets three tablets" how much twice.
  func checkNumbers() throws(Doubt) {
    let words = self.utterance.tokens.map(\.word)
    guard
      !zip(words, words.dropFirst()).contains(where: { $0 == $1 && (!self.isJapanese || $0.first?.isNumber == true) })
    else { throw self.unknown }
    guard Set(self.doses).count == self.doses.count else { throw .several }
    for (index, piece) in self.pieces.enumerated() {
      let next = self.pieces.dropFirst(index + 1)
      if self.isTime(piece), self.utterance.tokens[piece.tokens.upperBound - 1].number != nil {
        // "At eight ten milligrams" is at eight, or at ten past eight.
        guard let unit = next.first, Self.units.contains(self.utterance.phrase(unit.tokens)) else { continue }
        throw .whichTime
      }
      guard piece.role == .amount, piece.tokens.count == 1 else { continue }
      let word = words[piece.tokens.lowerBound]
      guard word.allSatisfy({ $0.isNumber || ".:/-".contains($0) }) else { continue }
      guard self.isCounted(next, after: word) else { throw .whichTime }
    }
  }

  /// Whether something to be counted follows a number.
  private func isCounted(_ next: ArraySlice<Piece>, after word: String) -> Bool {
    guard let first = next.first else { return false }
    switch first.role {
    case .kind, .object, .name, .unknown: return true
    case .amount:
      let phrase = self.utterance.phrase(first.tokens)
      if phrase == "and a half" || phrase == "of them" { return true }
      // "Twenty five milligrams".
      guard let tens = Int(word), let ones = Int(phrase) else { return false }
      return tens >= 20 && tens % 10 == 0 && (1...9).contains(ones)
    case .link: return self.utterance.phrase(first.tokens) == "of"
    default: return false
    }
  }

  private static let women: Set<String> = [
    "she", "she's", "her", "herself", "mother", "mom", "mum", "mama", "mommy", "mummy", "grandma", "grandmother",
    "granny", "nana",
    "wife", "彼女", "母", "お母さん", "妻", "祖母", "おばあちゃん", "おばあさん",
  ]
  private static let men: Set<String> = [
    "he", "he's", "him", "his", "himself", "father", "dad", "daddy", "papa", "grandpa", "grandfather", "granddad",
    "husband", "彼",
    "父", "お父さん", "夫", "祖父", "おじいちゃん", "おじいさん",
  ]

  /// "He took her pills" is about two people.
  func checkOnePerson() throws(Doubt) {
    var words: Set<String> = []
    for piece in self.pieces where piece.role == .subject || piece.role == .plain {
      let phrase = self.utterance.phrase(piece.tokens)
      let last = phrase.split(separator: " ").last.map(String.init) ?? phrase
      words.insert(last)
      if last.hasSuffix("'s") { words.insert(String(last.dropLast(2))) }
    }
    guard words.isDisjoint(with: Self.women) || words.isDisjoint(with: Self.men) else { throw .whose }
  }

  /// "For the cat": for somebody who is not known, or not cared for.
  func isAboutOthers(_ pieces: ArraySlice<Piece>) -> Bool {
    var isFor = false
    for piece in pieces {
      if [.own, .others, .speaker, .speakers].contains(piece.role) || isFor && piece.role == .unknown { return true }
      isFor = piece.role == .to || self.utterance.phrase(piece.tokens) == "for" || isFor && piece.role == .link
    }
    return false
  }

  /// Whether the words that are not known can be the name of a medicine: at most three together, behind a category, an amount or "of".
  func checkNames(_ pieces: ArraySlice<Piece>) throws(Doubt) {
    for piece in pieces {
      if case .verb(let verb) = piece.role, !verb.categories.contains(.medication) { throw self.unknown }
    }
    try self.checkKnown(pieces.filter { $0.role != .unknown }[...])
    let unknown = pieces.indices.filter { pieces[$0].role == .unknown }
    guard let first = unknown.first, let last = unknown.last else { return }
    guard last - first + 1 == unknown.count else { throw self.unknown }
    let name = self.said(pieces[first...last])
    if self.isJapanese {
      let isKatakana = name.unicodeScalars.allSatisfy { (0x30A0...0x30FF).contains($0.value) || $0.isASCII }
      let isKanji = name.unicodeScalars.allSatisfy { (0x4E00...0x9FFF).contains($0.value) }
      guard isKatakana || isKanji && "剤薬湯散".contains(name.last ?? " ") else { throw self.unknown }
    } else {
      let words = pieces[first...last].map { self.utterance.phrase($0.tokens) }
      guard words.count <= 3, !words.contains(where: { $0.hasSuffix("ed") || $0.hasSuffix("ing") || $0.contains("'") })
      else { throw self.unknown }
      let before = pieces[..<first]
      let links = before.reversed().prefix { $0.role == .link }
      let isOfIt = links.allSatisfy { ["of", "a", "an", "the"].contains(self.utterance.phrase($0.tokens)) }
      guard isOfIt, ![.aside, .to, .joiner].contains(before.dropLast(links.count).last?.role) else {
        throw self.unknown
      }
    }
  }

  /// Whether every word is known, and tells what was done.
  func checkKnown(_ pieces: ArraySlice<Piece>) throws(Doubt) {
    for piece in pieces {
      switch piece.role {
      case .unknown, .on, .off, .call, .daily, .last, .log, .asked, .memo, .remind, .question, .when: throw self.unknown
      default: break
      }
    }
  }

  /// A sentence does not end with "and" or "her".
  func checkComplete(_ pieces: ArraySlice<Piece>) throws(Doubt) {
    guard let last = pieces.last(where: { $0.role != .filler }) else { return }
    // 「八時に」 is complete.
    if self.isJapanese, last.role == .link, let time = pieces.dropLast().last, self.isTime(time) { return }
    if [.link, .joiner, .to, .aside].contains(last.role) { throw .half }
  }

  func checkOne(_ category: CareCategory, _ pieces: ArraySlice<Piece>) throws(Doubt) {
    guard self.things(pieces).allSatisfy({ $0.category == category }) else { throw .several }
  }

  /// A sentence that is none of the known ones, with the category that it may be about.
  var unknown: Doubt {
    .unknown(SpokenCategory.suggestion(for: self.utterance.text, language: self.utterance.language.rawValue))
  }
}
