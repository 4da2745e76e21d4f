internal import KithMessages

extension Sentence {
  /// Care that a sentence records: by a command, by the category at its head, or by telling what was done.
  ///
  /// - Throws: ``Doubt`` for everything that is not sure.
  func record() throws(Doubt) -> Intention {
    // Who is heard to say "two two tablets" was not heard well.
    let words = self.utterance.tokens.map(\.word)
    guard
      !zip(words, words.dropFirst()).contains(where: { $0 == $1 && (!self.isJapanese || $0.first?.isNumber == true) })
    else { throw self.unknown }
    if self.isJapanese {
      let end = self.utterance.phrase(0..<self.utterance.tokens.count)
      guard !end.hasSuffix("って") else { throw .reported }
      try self.checkComplete(self.pieces)
    }
    guard !self.listener.isStrict || self.pieces.allSatisfy({ $0.role != .subject || self.isCalled($0) }) else {
      throw .whose
    }
    if let index = self.pieces.firstIndex(where: { $0.role == .command }) {
      return try self.isJapanese ? self.japaneseCommand(index) : self.englishCommand(index)
    }
    if let head, let category = head.category, category != .freeMemo {
      return try self.entry(category, head.text.withoutStop)
    }
    return try self.report(self.pieces)
  }

  /// "Medication, two tablets": a category, and words that are all known.
  private func entry(_ category: CareCategory, _ text: String) throws(Doubt) -> Intention {
    guard !text.isEmpty else { throw .half }
    // A medicine has a name of its own; how much of it tells that it is one.
    let words = self.utterance.tokens
    let hasPause = words[0].hasPause || words.count > 1 && words[1].hasPause
    if category != .medication || !hasPause || !self.hasDose { try self.checkKnown(self.pieces) }
    try self.checkComplete(self.pieces)
    try self.checkOne(category, self.pieces)
    return .record(category, memo: text, at: try self.time(self.pieces).past(self.listener))
  }

  // MARK: - Commands

  /// "Log medication two tablets at eight."
  private func englishCommand(_ index: Int) throws(Doubt) -> Intention {
    let before = self.pieces[..<index]
    // Who talks about logging does not log.
    guard before.allSatisfy({ if case .time = $0.role { true } else { false } }) else { throw self.unknown }
    let content = self.pieces[(index + 1)...].drop { [.link, .filler, .plain].contains($0.role) }
    guard let first = content.first else { throw .half }
    guard !self.has(.command, in: content) else { throw .several }
    // A recorder of television understands "record" too.
    if self.utterance.phrase(self.pieces[index].tokens).hasPrefix("record"), !self.hasDose {
      try self.checkKnown(content)
    }
    if [.subject, .speaker, .speakers, .own].contains(first.role) { return try self.report(content) }
    return try self.content(content, all: self.pieces)
  }

  /// 「服薬を記録して」, 「服薬2錠を記録して」, 「食事を記録して、うどんを8割」
  private func japaneseCommand(_ index: Int) throws(Doubt) -> Intention {
    let before = self.pieces[..<index]
    let isNoun = self.utterance.phrase(self.pieces[index].tokens) == "記録" && !self.hasPause(after: self.pieces[index])
    guard !isNoun || index == self.pieces.indices.last else { throw self.unknown }
    let after = self.pieces[(index + 1)...].drop { [.link, .plain].contains($0.role) && before.isEmpty }
    var told = before
    while let last = told.last, [.link, .joiner].contains(last.role) { told = told.dropLast() }
    if told.contains(where: { if case .verb = $0.role { true } else { false } }) {
      guard after.isEmpty else { throw .several }
      return try self.report(told)
    }
    guard !before.isEmpty else { return try self.content(after.drop { $0.role == .link }, all: self.pieces) }
    let rest = told.drop { [.link, .plain].contains($0.role) || self.isTime($0) || $0.role == .subject }
    guard !after.isEmpty else { return try self.content(rest, all: self.pieces) }
    // What follows the command are its words; without a pause they may be the end of it, as in 「記録してある」.
    if !self.hasPause(after: self.pieces[index]) { try self.checkKnown(after) }
    guard let name = rest.first, rest.dropFirst().allSatisfy({ self.isTime($0) || $0.role == .link }) else {
      throw self.unknown
    }
    return try self.content([name] + after, all: self.pieces)
  }

  /// A thing, and the words about it.
  private func content(_ content: ArraySlice<Piece>, all: ArraySlice<Piece>) throws(Doubt) -> Intention {
    let content = content.drop { self.isTime($0) || $0.role == .link }
    guard let first = content.first else { throw .half }
    guard !self.has(.question, in: content), !self.has(.when, in: content) else { throw .question }
    let rest = content.dropFirst()
    let (category, memo): (CareCategory, String)
    switch first.role {
    case .name(let named):
      category = named
      let words = rest.drop { $0.role == .link && (self.isJapanese || self.utterance.phrase($0.tokens) == "of") }
      memo =
        words.allSatisfy { self.isTime($0) || [.link, .plain, .filler].contains($0.role) && !self.isAmount($0) }
        ? "" : self.said(words)
      // 「お薬手帳」 is another word than 「お薬」; what follows 「記録して」 is not.
      if let next = rest.first, !self.hasPause(after: first), next.tokens.lowerBound == first.tokens.upperBound {
        let goesOn = SpokenPhrases.english.continuations.contains(self.utterance.phrase(next.tokens))
        guard !goesOn || next.role == .joiner, next.role != .unknown || !self.isJapanese else { throw self.unknown }
      }
    case .object(let named):
      category = named
      memo = self.said(content)
      try self.checkKnown(content)
    default: throw self.unknown
    }
    guard !self.has(.own, in: rest), !self.isForOthers(rest) else { throw .whose }
    try self.checkComplete(self.isJapanese ? rest.dropLast(rest.last?.role == .link ? 1 : 0) : rest)
    try self.checkOne(category, content)
    return .record(category, memo: memo.withoutStop.withoutParticle, at: try self.time(all).past(self.listener))
  }

  // MARK: - Reports

  /// "She took her medicine at eight."
  private func report(_ pieces: ArraySlice<Piece>) throws(Doubt) -> Intention {
    if self.has(.own, in: pieces) { throw .whose }
    try self.checkKnown(pieces)
    try self.checkComplete(pieces)
    var verbs: [Lexicon.Verb] = []
    for piece in pieces {
      if case .verb(let verb) = piece.role { verbs.append(verb) }
    }
    guard let verb = verbs.first else { throw self.things(pieces).isEmpty ? self.unknown : .half }
    let isTo = self.has(.to, in: pieces)
    let things = self.things(pieces)
    var categories = Set(things.map(\.category))
    let isSomebody = !self.isJapanese || self.has(.subject, in: pieces)
    for verb in verbs where things.isEmpty && isSomebody {
      if let whole = verb.whole { categories.insert(whole) }
    }
    guard let category = categories.first else { throw .half }
    guard categories.count == 1 else { throw .several }
    for verb in verbs {
      let fits = isTo && !verb.to.isEmpty ? verb.to : verb.categories
      guard fits.contains(category) else { throw verbs.count > 1 ? .several : self.unknown }
      guard
        !verb.isPlaceless
          || !things.contains(where: { Lexicon.japanesePlaces.contains(self.utterance.phrase($0.piece.tokens)) })
      else { throw self.unknown }
    }
    try self.checkWho(pieces, verbs, isTo: isTo, category)
    if self.isJapanese {
      // The verb of a Japanese sentence is at its end.
      guard verbs.count == 1 else { throw .several }
      let last = pieces.last { $0.role != .plain }
      guard last?.role == .verb(verb) else { throw .half }
    }
    return .record(category, memo: self.said(pieces), at: try self.time(pieces).past(self.listener))
  }

  private static let pronouns: Set<String> = ["she", "he", "she's", "he's", "彼女", "彼", "本人", "the patient"]

  /// Whether the family calls the person cared for so.
  private func isCalled(_ subject: Piece) -> Bool {
    let word = self.utterance.phrase(subject.tokens)
    let bare =
      word.hasSuffix("'s") ? String(word.dropLast(2)) : word.hasPrefix("my ") ? String(word.dropFirst(3)) : word
    return Self.pronouns.contains(word) || self.listener.names.contains(word) || self.listener.names.contains(bare)
  }

  /// Whether the sentence is about the person cared for.
  private func checkWho(
    _ pieces: ArraySlice<Piece>, _ verbs: [Lexicon.Verb], isTo: Bool, _ category: CareCategory
  ) throws(Doubt) {
    let named = pieces.filter { $0.role == .subject }.map { self.utterance.phrase($0.tokens) }
    guard Set(named).subtracting(Self.pronouns).count <= 1 else { throw .whose }
    guard !self.isJapanese else { return }
    let isFirst = pieces.first?.role
    if isFirst == .speaker || isFirst == .speakers {
      // Who speaks may give something, or take somebody somewhere; "I had lunch" is about somebody else.
      let isGiving = verbs.allSatisfy { $0.doer != .cared }
      let isTaking =
        isTo && pieces.contains { $0.role == .subject || ["her", "him"].contains(self.utterance.phrase($0.tokens)) }
      let isTogether = isFirst == .speakers && category == .medicalVisit
      guard isGiving || isTaking || isTogether else { throw .whose }
    } else if isFirst == .subject {
      // "She gave him her lunch."
      guard !verbs.contains(where: { $0.doer == .giver }),
        !isTo || !verbs.contains(where: { $0.categories == [.medication] })
      else { throw .whose }
    } else if named.isEmpty {
      // Without anybody only "lunch eaten", and "the nurse came".
      guard verbs.allSatisfy(\.isPassive), let thing = self.things(pieces).first, let verb = self.firstVerb(pieces),
        thing.piece.tokens.lowerBound < verb
      else { throw .half }
    }
  }

  private func firstVerb(_ pieces: ArraySlice<Piece>) -> Int? {
    pieces.first { if case .verb = $0.role { true } else { false } }?.tokens.lowerBound
  }

  /// "For the cat": for somebody who is not known.
  private func isForOthers(_ pieces: ArraySlice<Piece>) -> Bool {
    var isFor = false
    for piece in pieces {
      if isFor, piece.role == .unknown { return true }
      isFor = piece.role == .to || self.utterance.phrase(piece.tokens) == "for" || isFor && piece.role == .link
    }
    return false
  }

  // MARK: - Checks

  private func isTime(_ piece: Piece) -> Bool {
    if case .time = piece.role { true } else { false }
  }

  /// Whether it is told how much: "five milligrams", 1錠.
  private var hasDose: Bool {
    let units: Set<String> = [
      "tablet", "tablets", "pill", "pills", "mg", "milligrams", "ml", "drops", "units", "capsules", "capsule", "錠", "包",
      "滴", "ミリ",
      "単位", "粒",
    ]
    let words = self.utterance.tokens
    return zip(words, words.dropFirst()).contains { $0.number != nil && units.contains($1.word) }
  }

  /// Whether a plain word says how much.
  private func isAmount(_ piece: Piece) -> Bool {
    piece.role == .plain && !["now", "just", "it", "今", "さっき"].contains(self.utterance.phrase(piece.tokens))
  }

  private func checkKnown(_ pieces: ArraySlice<Piece>) throws(Doubt) {
    for piece in pieces {
      switch piece.role {
      case .unknown, .on, .off, .call, .daily, .last, .log, .asked, .memo, .remind, .question, .when: throw self.unknown
      default: break
      }
    }
  }

  /// A sentence does not end with "and" or "her".
  private func checkComplete(_ pieces: ArraySlice<Piece>) throws(Doubt) {
    guard let last = pieces.last(where: { $0.role != .filler }) else { return }
    // 「八時に」 is complete.
    if self.isJapanese, last.role == .link, let time = pieces.dropLast().last, self.isTime(time) { return }
    if [.link, .joiner, .to, .aside].contains(last.role) { throw .half }
  }

  private func checkOne(_ category: CareCategory, _ pieces: ArraySlice<Piece>) throws(Doubt) {
    guard self.things(pieces).allSatisfy({ $0.category == category }) else { throw .several }
  }

  /// A sentence that is none of the known ones, with the category that it may be about.
  var unknown: Doubt {
    .unknown(SpokenCategory.suggestion(for: self.utterance.text, language: self.utterance.language.rawValue))
  }
}

extension String {
  /// Without a Japanese particle at its end.
  fileprivate var withoutParticle: String {
    guard let last = self.last, "をとは".contains(last) else { return self }
    return String(self.dropLast())
  }
}
