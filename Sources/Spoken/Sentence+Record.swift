internal import KithMessages

extension Sentence {
  /// Care that a sentence records: by a command, by the category at its head, or by telling what was done.
  ///
  /// - Throws: ``Doubt`` for everything that is not sure.
  func record() throws(Doubt) -> Intention {
    try self.checkNumbers()
    try self.checkOnePerson()
    // "Is given" tells what is usual, and "right" asks.
    let unsure: Set<String> = ["is", "are", "being", "right"]
    guard !self.pieces.contains(where: { unsure.contains(self.utterance.phrase($0.tokens)) }) else { throw .unsure }
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
    if category == .medication, hasPause, self.hasDose {
      try self.checkNames(self.pieces.dropFirst())
    } else {
      try self.checkKnown(self.pieces)
    }
    guard !self.isAboutOthers(self.pieces) else { throw .whose }
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
    let content = self.pieces[(index + 1)...]
    guard let first = content.first(where: { ![.link, .filler, .plain].contains($0.role) }) else { throw .half }
    guard !self.has(.command, in: content) else { throw .several }
    // A recorder of television understands "record" too.
    if self.utterance.phrase(self.pieces[index].tokens).hasPrefix("record"), !self.hasDose {
      try self.checkKnown(content)
    }
    if [.subject, .speaker, .speakers, .own, .others].contains(first.role) {
      return try self.report(content.drop { $0.tokens.lowerBound < first.tokens.lowerBound })
    }
    return try self.content(content, by: self.pieces[index])
  }

  /// 「服薬を記録して」, 「服薬2錠を記録して」, 「食事を記録して、うどんを8割」
  private func japaneseCommand(_ index: Int) throws(Doubt) -> Intention {
    let before = self.pieces[..<index]
    let isNoun = self.utterance.phrase(self.pieces[index].tokens) == "記録" && !self.hasPause(after: self.pieces[index])
    guard !isNoun || index == self.pieces.indices.last else { throw self.unknown }
    let after = self.pieces[(index + 1)...].drop { $0.role == .link && before.isEmpty }
    var told = before
    while let last = told.last, [.link, .joiner].contains(last.role) { told = told.dropLast() }
    if told.contains(where: { if case .verb = $0.role { true } else { false } }) {
      guard after.isEmpty else { throw .several }
      return try self.report(told)
    }
    let command = self.pieces[index]
    guard !before.isEmpty else { return try self.content(after, by: command) }
    let rest = told.drop { [.link, .plain].contains($0.role) || self.isTime($0) || $0.role == .subject }
    guard !after.isEmpty else { return try self.content(rest, by: command) }
    // What follows the command are its words; without a pause they may be the end of it, as in 「記録してある」.
    if !self.hasPause(after: self.pieces[index]) { try self.checkKnown(after) }
    guard let name = rest.first, rest.dropFirst().allSatisfy({ self.isTime($0) || $0.role == .link }) else {
      throw self.unknown
    }
    return try self.content([name] + after, by: command)
  }

  /// A thing, and the words about it, which may begin in front of it: "two tablets of aspirin".
  private func content(_ content: ArraySlice<Piece>, by command: Piece) throws(Doubt) -> Intention {
    let lead = content.prefix { self.isTime($0) || [.link, .filler, .plain, .amount, .kind].contains($0.role) }
    let content = content.dropFirst(lead.count)
    guard let first = content.first else { throw .half }
    guard !self.has(.question, in: content), !self.has(.when, in: content) else { throw .question }
    let amount = lead.firstIndex { [.amount, .kind].contains($0.role) }.map { lead[$0...] } ?? []
    let rest = content.dropFirst()
    let (category, memo): (CareCategory, String)
    switch first.role {
    case .name(let named):
      category = named
      guard !self.isWeak(command) || self.isFormal(first) else { throw self.unknown }
      let words = rest.drop { $0.role == .link && (self.isJapanese || self.utterance.phrase($0.tokens) == "of") }
      let saysMore = words.contains { piece in
        switch piece.role {
        case .time, .link, .filler: false
        case .plain: !["now", "just", "it", "今", "さっき"].contains(self.utterance.phrase(piece.tokens))
        default: true
        }
      }
      memo = amount.isEmpty ? saysMore ? self.said(words) : "" : self.said(amount + content)
      // 「お薬手帳」 is another word than 「お薬」; what follows 「記録して」 is not.
      if let next = rest.first, !self.hasPause(after: first), next.tokens.lowerBound == first.tokens.upperBound {
        let goesOn = SpokenPhrases.english.continuations.contains(self.utterance.phrase(next.tokens))
        guard !goesOn || next.role == .joiner, next.role != .unknown || !self.isJapanese else { throw self.unknown }
      }
      if category == .medication { try self.checkNames(rest) } else { try self.checkKnown(content) }
    case .object(let named):
      guard !self.isWeak(command) else { throw self.unknown }
      category = named
      // 「排便を記録して、少量」
      let isSplit =
        rest.first.map { (first.tokens.upperBound..<$0.tokens.lowerBound).overlaps(command.tokens) } ?? false
      memo = isSplit ? "\(self.said([first]))、\(self.said(rest))" : self.said(amount + content)
      try self.checkKnown(content)
    default: throw self.unknown
    }
    guard !self.isAboutOthers(rest) else { throw .whose }
    try self.checkComplete(self.isJapanese ? rest.dropLast(rest.last?.role == .link ? 1 : 0) : rest)
    try self.checkOne(category, content)
    let time = try self.time(self.pieces).past(self.listener)
    return .record(category, memo: memo.withoutStop.withoutParticle, at: time)
  }

  /// Whether a command is one that people also say of lists.
  private func isWeak(_ command: Piece) -> Bool {
    let phrase = self.utterance.phrase(command.tokens)
    return (self.isJapanese ? Lexicon.japaneseWeakCommands : Lexicon.englishWeakCommands).contains(phrase)
  }

  /// Whether a name is one of the categories, and no ordinary word.
  private func isFormal(_ name: Piece) -> Bool {
    let phrase = self.utterance.phrase(name.tokens)
    let names = (self.isJapanese ? SpokenPhrases.japanese : .english).names
    return names.contains { $0.text == phrase && !$0.isOrdinary }
  }

  // MARK: - Reports

  /// "She took her medicine at eight."
  private func report(_ pieces: ArraySlice<Piece>) throws(Doubt) -> Intention {
    if self.has(.own, in: pieces) || self.has(.others, in: pieces) { throw .whose }
    try self.checkKnown(pieces)
    try self.checkComplete(pieces)
    var verbs: [Lexicon.Verb] = []
    for piece in pieces {
      if case .verb(let verb) = piece.role { verbs.append(verb) }
    }
    guard let verb = verbs.first else { throw self.things(pieces).isEmpty ? self.unknown : .half }
    // "I gave her aspirin back" tells the opposite; what was applied may have been on a back.
    let isBack = pieces.contains { self.utterance.phrase($0.tokens) == "back" }
    guard !isBack || verbs.allSatisfy({ $0.doer == .either }) else { throw self.unknown }
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
      let phrases = things.map { self.utterance.phrase($0.piece.tokens) }
      guard !verb.isPlaceless || Lexicon.japanesePlaces.isDisjoint(with: phrases) else { throw self.unknown }
      guard verb.things.isEmpty || verb.things.contains(phrases.last ?? "") else { throw self.unknown }
    }
    try self.checkWho(pieces, verbs, isTo: isTo, category)
    if self.isJapanese {
      // The verb of a Japanese sentence is at its end.
      guard verbs.count == 1 else { throw .several }
      let last = pieces.last { ![.plain, .amount, .kind].contains($0.role) }
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
    guard !self.isJapanese else { return try self.checkJapaneseWho(pieces, verbs) }
    let isFirst = pieces.first?.role
    if isFirst == .speaker || isFirst == .speakers {
      // Who speaks may give something, or take somebody somewhere; "I had lunch" is about somebody else.
      let isGoing = isTo && verbs.contains { !$0.to.isEmpty }
      let isGiving = !isGoing && verbs.allSatisfy { $0.doer != .cared }
      let others = pieces.contains { $0.role == .subject || ["her", "him"].contains(self.utterance.phrase($0.tokens)) }
      let isTogether = isFirst == .speakers && category == .medicalVisit
      // "I was fed" is about the speaker, and "I injected insulin" may be.
      let isDoer = !pieces.contains { ["was", "were", "been", "got"].contains(self.utterance.phrase($0.tokens)) }
      let isClear = others || category != .medication || !verbs.contains { $0.doer == .either }
      guard isTogether || isDoer && isClear && (isGiving || isGoing && others) else { throw .whose }
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

  /// Who a Japanese sentence says that it is about: 「先生が病院に行きました」 is not about the person cared for, and 「魚に水を
  /// あげました」 neither.
  private func checkJapaneseWho(_ pieces: ArraySlice<Piece>, _ verbs: [Lexicon.Verb]) throws(Doubt) {
    let isGiving = !verbs.isEmpty && verbs.allSatisfy { $0.doer == .giver }
    var isDoer = false
    for piece in pieces {
      // 「母が薬を飲ませました」 is about somebody else.
      guard !isDoer || !["が", "は"].contains(self.utterance.phrase(piece.tokens)) else { throw .whose }
      isDoer = isGiving && (piece.role == .subject || isDoer && piece.role == .plain)
    }
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      guard case .object(let category) = piece.role else { continue }
      let particle = next.role == .link ? self.utterance.phrase(next.tokens) : ""
      let isVisitor = Lexicon.japaneseVisitors.contains(self.utterance.phrase(piece.tokens))
      guard !isVisitor || ["に", "の"].contains(particle) || verbs.allSatisfy({ $0.doer == .either }) else {
        throw .whose
      }
      guard category != .meal || particle != "に" || verbs.allSatisfy({ $0.doer != .giver }) else { throw .whose }
    }
  }

  private func firstVerb(_ pieces: ArraySlice<Piece>) -> Int? {
    pieces.first { if case .verb = $0.role { true } else { false } }?.tokens.lowerBound
  }
}

extension String {
  /// Without a Japanese particle at its end.
  fileprivate var withoutParticle: String {
    guard let last = self.last, "をとは".contains(last) else { return self }
    return String(self.dropLast())
  }
}
