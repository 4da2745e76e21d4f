/// The category that somebody said before what they recorded: "Medication, two tablets after breakfast."
///
/// A word counts as the category only where it stands by itself at the head. "Medication was refused" and 「薬を飲んだ」 are
/// sentences, and stay whole. A category that is merely mentioned is a suggestion for a person to confirm.
struct SpokenCategory: Sendable, Hashable {
  /// What was said first; nil when the words begin with something else.
  let category: CareCategory?
  /// The transcript without it.
  let text: String

  /// Looks at the head of a transcript.
  ///
  /// - Parameter language: Its tag of BCP 47. Others than English and Japanese have no categories.
  static func head(of transcript: String, language: String) -> SpokenCategory {
    self.phrases(language)?.head(of: transcript) ?? SpokenCategory(category: nil, text: transcript)
  }

  /// The category that the words of a transcript are most likely about; nil when they say nothing of any.
  static func suggestion(for transcript: String, language: String) -> CareCategory? {
    self.phrases(language)?.suggestion(for: transcript)
  }

  private static func phrases(_ language: String) -> SpokenPhrases? {
    switch CareLanguage(named: language) {
    case .english: .english
    case .japanese: .japanese
    case nil: nil
    }
  }
}
