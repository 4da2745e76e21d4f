internal import CivilTime
internal import KithMessages

/// A sentence in its parts, and the rules that give it a meaning.
struct Sentence {
  typealias Piece = Lexicon.Piece
  typealias Role = Lexicon.Role

  let utterance: Utterance
  let listener: Listener
  /// Without what comes before anything, such as "please".
  let pieces: ArraySlice<Piece>

  init(_ utterance: Utterance, _ pieces: [Piece], _ listener: Listener) {
    self.utterance = utterance
    self.listener = listener
    self.pieces = pieces.drop { $0.role == .filler }
  }

  var isJapanese: Bool { self.utterance.language == .japanese }

  /// What the sentence asks for.
  ///
  /// - Throws: ``Doubt`` for everything that is not sure.
  func meaning() throws(Doubt) -> Intention {
    guard !self.pieces.isEmpty else { throw .noWords }
    if let undo { return undo }
    if let memo = try self.memo() { return .record(.freeMemo, memo: memo, at: nil) }
    if self.has(.remind) { return try self.reminder() }
    if self.isQuestion { return try self.question() }
    for piece in self.pieces {
      if case .doubt(let doubt) = piece.role { throw doubt }
    }
    return try self.record()
  }

  // MARK: - Parts

  func has(_ role: Role, in pieces: ArraySlice<Piece>? = nil) -> Bool {
    (pieces ?? self.pieces).contains { $0.role == role }
  }

  /// The pieces that are things, without those behind "after" or "with", which tell when.
  func things(_ pieces: ArraySlice<Piece>) -> [(piece: Piece, category: CareCategory)] {
    var things: [(Piece, CareCategory)] = []
    var isAside = false
    for piece in pieces {
      switch piece.role {
      case .aside: isAside = true
      case .object(let category), .name(let category):
        if !isAside || category != .meal { things.append((piece, category)) }
        isAside = false
      case .link, .plain, .amount, .kind, .subject: break
      default: isAside = false
      }
    }
    return things
  }

  /// The time that some pieces name.
  func time(_ pieces: ArraySlice<Piece>) -> SpokenTime {
    let words = pieces.compactMap { piece in
      if case .time(let word) = piece.role { word } else { nil }
    }
    var time = SpokenTime(words)
    let meals = Set(pieces.compactMap { self.meal($0) })
    if meals.count == 1 { time.meal = meals.first }
    return time
  }

  /// The part of the day that a thing tells: breakfast, 朝の薬, 夕食後.
  private func meal(_ piece: Piece) -> TimeWord.Part? {
    if case .time = piece.role { return nil }
    let thing = self.utterance.phrase(piece.tokens)
    if thing == "breakfast" || thing.hasPrefix("朝") { return .morning }
    if thing == "lunch" || thing.contains("昼") { return .noon }
    if ["dinner", "supper"].contains(thing) || "夕晩夜".contains(thing.first ?? " ") { return .evening }
    return nil
  }

  /// What was said in some pieces.
  func said(_ pieces: ArraySlice<Piece>) -> String {
    guard let first = pieces.first, let last = pieces.last else { return "" }
    return self.utterance.said(first.tokens.lowerBound..<last.tokens.upperBound)
  }

  /// Whether a pause follows a piece.
  func hasPause(after piece: Piece) -> Bool { self.utterance.tokens[piece.tokens.upperBound - 1].hasPause }

  // MARK: - Undo and memo

  private var undo: Intention? {
    let apologies: Set<String> = ["oops", "sorry", "ごめん"]
    guard let first = self.pieces.first(where: { !apologies.contains(self.utterance.phrase($0.tokens)) }) else {
      return nil
    }
    let whole = self.utterance.phrase(first.tokens.lowerBound..<self.utterance.tokens.count)
    let phrase = whole.hasSuffix(" please") ? String(whole.dropLast(7)) : whole
    if (self.isJapanese ? Lexicon.japaneseUndo : Lexicon.englishUndo).contains(phrase) { return .undo }
    return (self.isJapanese ? Lexicon.japaneseWrong : Lexicon.englishWrong).contains(phrase) ? .undoAnswer : nil
  }

  /// The words of a memo, which may be about anything; nil if the sentence is none.
  private func memo() throws(Doubt) -> String? {
    guard let first = self.pieces.first, let last = self.pieces.last else { return nil }
    if first.role == .memo {
      var rest = self.pieces.dropFirst()
      if !self.isJapanese, let that = rest.first, self.utterance.phrase(that.tokens) == "that" {
        rest = rest.dropFirst()
      }
      // "Memo" is a word like any other, if no pause follows it.
      let phrase = self.utterance.phrase(first.tokens)
      let isNoun = ["メモ", "自由メモ"].contains(phrase)
      guard !isNoun || self.hasPause(after: first) else { return nil }
      guard rest.count > 1 else { throw .half }
      return self.said(rest)
    }
    let text = self.said(self.pieces)
    if let head = self.head, head.category == .freeMemo, self.hasPause(after: first) || self.hasPause(afterWord: 1) {
      guard head.text.contains(where: \.isWhitespace) || self.isJapanese, !head.text.isEmpty else { throw .half }
      return head.text.withoutStop
    }
    guard self.isJapanese, last.role == .memo, text.count > 3 else { return nil }
    var rest = self.pieces.dropLast()
    guard let joiner = rest.last, ["と", "って"].contains(self.utterance.phrase(joiner.tokens)) else { return nil }
    rest = rest.dropLast()
    guard rest.count > 1 else { throw .half }
    return self.said(rest)
  }

  private func hasPause(afterWord count: Int) -> Bool {
    guard let first = self.pieces.first else { return false }
    let index = first.tokens.lowerBound + count
    return index < self.utterance.tokens.count && self.utterance.tokens[index].hasPause
  }

  /// The category at the head of the sentence.
  var head: SpokenCategory? {
    let head = SpokenCategory.head(of: self.said(self.pieces), language: self.utterance.language.rawValue)
    return head.category == nil ? nil : head
  }
}

extension String {
  /// Without a full stop at its end.
  var withoutStop: String {
    var text = self.trimmed
    while let last = text.last, ".!。、,".contains(last) { text.removeLast() }
    return text.trimmed
  }
}
