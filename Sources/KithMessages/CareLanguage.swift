/// A language in which care is spoken, and summed up.
///
/// ```swift
/// CareLanguage(named: "ja-JP")?.name(of: .meal)  // 食事
/// ```
public enum CareLanguage: String, Sendable, CaseIterable {
  case japanese = "ja"
  case english = "en"

  /// Parses `ja`, `ja-JP`, `ja_JP.UTF-8`, `en`...; nil for other languages.
  public init?(named name: String) {
    guard let language = Self(rawValue: String(name.prefix { $0.isLetter }).lowercased()) else { return nil }
    self = language
  }

  /// Chooses the text in this language.
  public func callAsFunction(_ english: @autoclosure () -> String, _ japanese: @autoclosure () -> String) -> String {
    self == .japanese ? japanese() : english()
  }

  /// The name of a category.
  public func name(of category: CareCategory) -> String { self(category.english, category.japanese) }
}
