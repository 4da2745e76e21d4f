/// A language that care is summarised in.
public enum CareLanguage: String, Sendable, CaseIterable {
  case japanese = "ja"
  case english = "en"

  /// Reads `ja`, `ja-JP`, `ja_JP.UTF-8`, `en`...; nil for other languages.
  public init?(named name: String) {
    guard let language = Self(rawValue: String(name.prefix { $0.isLetter }).lowercased()) else { return nil }
    self = language
  }
}
