/// A text of the pages in every language, so that none can be missing.
///
/// ```swift
/// let save = Text("Save", "保存")
/// save(.japanese)  // "保存"
/// ```
public struct Text: Sendable, Hashable {
  private let english: String
  private let japanese: String

  /// Makes a text.
  public init(_ english: String, _ japanese: String) {
    self.english = english
    self.japanese = japanese
  }

  /// The text in a language.
  public func callAsFunction(_ language: PageLanguage) -> String {
    switch language {
    case .english: self.english
    case .japanese: self.japanese
    }
  }

  /// The text with values for its places: `{name}`.
  public func callAsFunction(_ language: PageLanguage, _ values: KeyValuePairs<String, String>) -> String {
    values.reduce(self(language)) { text, value in
      text.split(separator: "{\(value.key)}", omittingEmptySubsequences: false).joined(separator: value.value)
    }
  }
}
