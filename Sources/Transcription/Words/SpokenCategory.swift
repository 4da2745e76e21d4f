/// The categories of a record as they are spoken: at the head of an entry a carer says what it is.
///
/// A word counts as the category only where it stands by itself. "Medication, two tablets" begins with one; "medication was
/// refused" and 「薬を飲んだ」 are sentences, and stay whole.
public enum SpokenCategory: String, Sendable, Hashable, CaseIterable {
  /// Medicines.
  case medication
  /// Eating and drinking.
  case meal
  /// Toilet and diapers.
  case toileting
  /// Visits to and of doctors.
  case medicalVisit = "medical_visit"
  /// Anything else.
  case freeMemo = "free_memo"

  /// What the head of a transcript says.
  public struct Head: Sendable, Hashable {
    /// The category that was spoken; nil when none was.
    public let category: SpokenCategory?
    /// The transcript without it.
    public let text: String
  }

  /// Looks for a category at the head of a transcript.
  ///
  /// - Parameters:
  ///   - transcript: What was understood.
  ///   - language: Its tag of BCP 47. Others than English and Japanese have no categories.
  public static func head(of transcript: String, language: String) -> Head {
    let phrases: SpokenPhrases
    switch LanguageTag(language)?.language {
    case "en": phrases = .english
    case "ja": phrases = .japanese
    default: return Head(category: nil, text: transcript)
    }
    return phrases.head(of: transcript)
  }

  /// The category that the words of a transcript are most likely about, for a person to confirm; nil when they say nothing of
  /// any.
  public static func suggestion(for transcript: String, language: String) -> SpokenCategory? {
    let words: SpokenPhrases
    switch LanguageTag(language)?.language {
    case "en": words = .english
    case "ja": words = .japanese
    default: return nil
    }
    return words.suggestion(for: transcript)
  }
}
