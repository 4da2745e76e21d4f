internal import KithMessages

/// The language in which a house names what it shows: entities of MQTT have no translations at Home Assistant.
public enum HouseLanguage: Sendable, Hashable {
  case english, japanese

  /// The language of the settings of care.
  public init(_ language: String) { self = language.lowercased().hasPrefix("ja") ? .japanese : .english }

  /// One of two texts.
  func text(_ english: String, _ japanese: String) -> String { self == .english ? english : japanese }

  /// The name of a category.
  func name(_ category: CareCategory) -> String { self.text(category.english, category.japanese) }
}
