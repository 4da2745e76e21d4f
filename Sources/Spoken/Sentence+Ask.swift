internal import CivilTime
internal import KithMessages

extension Sentence {
  private static let auxiliaries: Set<String> = ["has", "have", "is", "was", "were", "are"]

  var isQuestion: Bool {
    guard let first = self.pieces.first else { return false }
    if self.utterance.isAsked || self.has(.log) { return true }
    if self.isJapanese {
      if self.has(.question) || self.has(.when) { return true }
      let text = self.utterance.phrase(first.tokens.lowerBound..<self.utterance.tokens.count)
      return self.isCasualQuestion || ["か", "っけ", "かな"].contains { text.hasSuffix($0) }
    }
    return [.question, .when, .last].contains(first.role)
      || Self.auxiliaries.contains(self.utterance.phrase(first.tokens))
  }

  /// 「薬飲んだ」 and 「もう薬を飲んだ」 are asked in the voice alone. A particle, a clock or an amount without 「もう」 tells what was done.
  private var isCasualQuestion: Bool {
    guard let last = self.pieces.last, case .verb = last.role, !self.has(.unknown) else { return false }
    let verb = self.utterance.phrase(last.tokens)
    guard !verb.hasSuffix("ました") else { return false }
    if self.pieces.contains(where: { self.utterance.phrase($0.tokens) == "もう" }) { return true }
    return !self.pieces.contains { piece in
      switch piece.role {
      case .link: ["を", "が", "に"].contains(self.utterance.phrase(piece.tokens))
      case .time, .amount: true
      default: false
      }
    }
  }

  /// A question about what was recorded.
  ///
  /// - Throws: ``Doubt`` for any other question.
  func question() throws(Doubt) -> Intention {
    for piece in self.pieces {
      if case .doubt = piece.role { throw .question }
    }
    var categories = Set(self.things(self.pieces).map(\.category))
    for piece in self.pieces {
      switch piece.role {
      case .asked(let category): categories.insert(category)
      case .verb(let verb) where categories.isEmpty: if let whole = verb.whole { categories.insert(whole) }
      case .own, .others: throw .whose
      default: break
      }
    }
    guard categories.count <= 1 else { throw .several }
    let time = self.time(self.pieces)
    let day = try time.dayAlone(self.listener)
    guard let category = categories.first else {
      guard self.has(.log) || self.has(.command) else { throw .question }
      return .askDay(day ?? self.listener.today, nil)
    }
    if day == nil, self.has(.when) || self.has(.last) { return .askLast(category) }
    return .askDay(day ?? self.listener.today, category)
  }

  /// A reminder to call somebody, or the daily one.
  ///
  /// - Throws: ``Doubt`` if it is not sure which, and when.
  func reminder() throws(Doubt) -> Intention {
    for piece in self.pieces {
      if case .doubt(let doubt) = piece.role { throw doubt == .negated ? .negated : .whichReminder }
    }
    guard !self.utterance.isAsked else { throw .question }
    guard self.pieces.first?.role != .command, !self.has(.command) || !self.has(.call) else { throw .several }
    let time = self.time(self.pieces)
    if self.has(.daily) {
      guard !self.has(.call) else { throw .whichReminder }
      if self.has(.off) { return .switchDaily(false) }
      if time.isEmpty, self.has(.on) { return .switchDaily(true) }
      return .remindDaily(try time.daily())
    }
    guard let index = self.pieces.firstIndex(where: { $0.role == .call }) else { throw .whichReminder }
    let name = self.isJapanese ? self.japaneseName(before: index) : self.englishName(after: index)
    guard !name.isEmpty else { throw .whichReminder }
    let (day, hour) = try time.future(self.listener)
    return .remindToCall(name: name, on: day, at: hour)
  }

  private func englishName(after index: Int) -> String {
    let rest = self.pieces[(index + 1)...].drop { [.link, .own].contains($0.role) }
    return self.said(
      rest.prefix { piece in
        switch piece.role {
        case .time, .link, .to, .filler, .remind, .joiner: false
        default: true
        }
      })
  }

  private func japaneseName(before index: Int) -> String {
    let before = self.pieces[..<index]
    let time = before.lastIndex { if case .time = $0.role { true } else { false } }
    var name = time.map { before[($0 + 1)...] } ?? before
    if name.first?.role == .link { name = name.dropFirst() }
    if let last = name.last, ["さん", "様", "ちゃん"].contains(self.utterance.phrase(last.tokens)) { name = name.dropLast() }
    return self.said(name)
  }
}
