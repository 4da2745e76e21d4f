public import KithMessages

/// The answer to a question of the house: a whole sentence, and not one that has "yes" in it.
public enum SpokenAnswer: Sendable, Hashable {
  case yes, no

  /// nil for any other sentence.
  public init?(_ text: String, _ language: CareLanguage) {
    let utterance = Utterance(text, language)
    guard !utterance.isAsked else { return nil }
    let phrase = utterance.phrase(0..<utterance.tokens.count)
    let (yes, no) = language == .japanese ? (Self.japaneseYes, Self.japaneseNo) : (Self.englishYes, Self.englishNo)
    if yes.contains(phrase) { self = .yes } else if no.contains(phrase) { self = .no } else { return nil }
  }

  private static let englishYes: Set<String> = [
    "yes", "yes please", "yeah", "yep", "do it", "please do", "yes do it", "tick it", "yes tick it", "record it",
    "yes record it",
  ]
  private static let englishNo: Set<String> = [
    "no", "no thanks", "no thank you", "nope", "don't", "no don't", "never mind", "cancel", "no cancel",
  ]
  private static let japaneseYes: Set<String> = [
    "はい", "はいお願いします", "お願いします", "うん", "ええ", "はいそうです", "そうです", "はい記録して", "記録して",
  ]
  private static let japaneseNo: Set<String> = ["いいえ", "いや", "違います", "いいえ違います", "やめて", "しないで", "記録しないで"]
}
