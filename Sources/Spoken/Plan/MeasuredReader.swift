internal import CivilTime
internal import KithMessages

/// Finds out what a sentence says was measured: a kind, its number with a unit, a time, and nothing else but a few words that change
/// nothing. Any other word takes the meaning away: "not", "target", "his brother's".
struct MeasuredReader: Sendable {
  let listener: Listener
  let language: CareLanguage

  /// The values in their order; none if anything is not sure.
  func read(_ text: String) -> [MeasuredMention] {
    guard text.last(where: { !$0.isWhitespace }).map({ !"?？".contains($0) }) ?? false else { return [] }
    let utterance = Utterance(text, self.language)
    let lexicon = self.language == .japanese ? Lexicon.japanese : Lexicon.english
    let pieces = lexicon.pieces(utterance, names: self.listener.names)
    var times: [TimeWord] = []
    var isTime: Set<Int> = []
    for piece in pieces {
      guard case .time(let word) = piece.role else { continue }
      // "1:30 over 80" is what a recognizer of speech writes for "one thirty over eighty".
      let next = piece.tokens.upperBound
      if next < utterance.tokens.count, utterance.tokens[next].word == "over" { continue }
      times.append(word)
      isTime.formUnion(piece.tokens)
    }
    guard self.isAboutThem(pieces, utterance) else { return [] }
    let rest = utterance.tokens.indices.filter { !isTime.contains($0) }
    let at: Int64?
    do throws(Doubt) {
      at = try SpokenTime(times).past(self.listener)
    } catch {
      return []
    }
    let values: [MeasuredValue]? =
      if self.language == .japanese {
        MeasuredJapanese.values(self.text(utterance, rest), subjects: self.subjects(pieces, utterance))
      } else {
        MeasuredEnglish.values(self.words(utterance, rest), subjects: self.subjects(pieces, utterance))
      }
    return (values ?? []).map {
      MeasuredMention(kind: $0.kind, value: $0.value, lower: $0.lower, unit: $0.unit, at: at)
    }
  }

  /// The words that name the person cared for.
  private func subjects(_ pieces: [Lexicon.Piece], _ utterance: Utterance) -> Set<String> {
    Set(pieces.filter { self.isSubject($0, utterance) }.map { utterance.phrase($0.tokens) })
  }

  /// "She", "grandma's".
  private func isSubject(_ piece: Lexicon.Piece, _ utterance: Utterance) -> Bool {
    guard piece.role == .unknown else { return piece.role == .subject }
    let phrase = utterance.phrase(piece.tokens)
    guard self.language == .english, phrase.hasSuffix("'s") else { return false }
    let owner = Utterance(String(phrase.dropLast(2)), self.language)
    return Lexicon.english.pieces(owner, names: self.listener.names).first?.role == .subject
  }

  private func isAboutThem(_ pieces: [Lexicon.Piece], _ utterance: Utterance) -> Bool {
    let named = self.subjects(pieces, utterance)
    guard named.count <= 1 else { return false }
    guard self.listener.isStrict, let name = named.first else { return true }
    let bare = name.hasSuffix("'s") ? String(name.dropLast(2)) : name
    return ["she", "he", "彼女", "彼", "本人"].contains(bare) || self.listener.names.contains(bare)
  }

  /// What is said in the words that tell no time, with the marks behind them.
  private func text(_ utterance: Utterance, _ rest: [Int]) -> String {
    rest.map { index in
      let end =
        index + 1 < utterance.tokens.count ? utterance.tokens[index + 1].range.lowerBound : utterance.text.endIndex
      return String(utterance.text[utterance.tokens[index].range.lowerBound..<end])
    }.joined()
  }

  /// The words that tell no time, with a slash and a degree sign as words of their own.
  private func words(_ utterance: Utterance, _ rest: [Int]) -> [String] {
    var words: [String] = []
    for (position, index) in rest.enumerated() {
      let token = utterance.tokens[index]
      let raw = DayWords.narrow(utterance.text[token.range]).replacing("’", with: "'")
      // "thirty-seven" is two words.
      words += raw.first?.isLetter == true ? raw.split(separator: "-").map(String.init) : [raw]
      guard position + 1 < rest.count, rest[position + 1] == index + 1 else { continue }
      let gap = utterance.text[token.range.upperBound..<utterance.tokens[index + 1].range.lowerBound]
      if gap.contains("/") { words.append("/") }
      if gap.contains("°") { words.append("°") }
      if gap.contains("%") { words.append("%") }
    }
    let end = utterance.tokens.last.map { utterance.text[$0.range.upperBound...] } ?? ""
    if end.contains("%") { words.append("%") }
    return words
  }
}

/// A value that was told.
struct MeasuredValue: Sendable, Hashable {
  let kind: MeasurementKind
  let value: String
  var lower = ""
  let unit: String

  /// nil if it cannot be of its kind: without a unit, only one unit may fit.
  ///
  /// - Parameter unit: As it was said; nil = it was not said.
  init?(_ kind: MeasurementKind, _ value: String, lower: String = "", unit: String?) {
    guard let number = Double(value), (kind == .bloodPressure) == !lower.isEmpty else { return nil }
    // "120 to 130" is no pressure of one heartbeat.
    if kind == .bloodPressure, Double(lower).map({ $0 >= number }) ?? true { return nil }
    let known: String? =
      switch kind {
      case .temperature: unit ?? (number < 50 ? "°C" : number >= 90 && number < 115 ? "°F" : nil)
      case .bloodPressure: unit ?? (number >= 40 ? "mmHg" : nil)
      case .pulse: unit ?? "/min"
      // Whether 140 is of kilograms or of pounds, only a person knows.
      case .weight, .fluidIn, .fluidOut: unit
      // "Oxygen two" is of litres.
      case .oxygen: unit ?? (number >= 50 ? "%" : nil)
      // Between 20 and 33 it may be either.
      case .glucose: unit ?? (number >= 50 ? "mg/dL" : number < 20 || value.contains(".") ? "mmol/L" : nil)
      case .pain: unit ?? ""
      case .other: nil
      }
    guard let known, Self.units[kind, default: []].contains(known) else { return nil }
    // "The temperature is 21 degrees" tells of a room.
    if kind == .temperature, !(known == "°F" ? 86...113 : 30...45).contains(number) { return nil }
    (self.kind, self.value, self.lower, self.unit) = (kind, value, lower, known)
  }

  private static let units: [MeasurementKind: Set<String>] = [
    .temperature: ["°C", "°F"], .bloodPressure: ["mmHg", "kPa"], .pulse: ["/min"], .weight: ["kg", "lb"],
    .oxygen: ["%"],
    .glucose: ["mg/dL", "mmol/L"], .pain: [""], .fluidIn: ["ml", "fl oz"], .fluidOut: ["ml", "fl oz"],
  ]
}
