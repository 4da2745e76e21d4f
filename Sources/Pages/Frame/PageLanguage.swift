/// The language of a page.
public enum PageLanguage: String, Sendable, Hashable, CaseIterable {
  case english = "en"
  case japanese = "ja"

  /// Chooses by `Accept-Language` (RFC 9110, 12.5.4): the one with the greater weight, the earlier one of equal ones.
  public init(accepted field: String?) {
    var best: (language: PageLanguage, weight: Double) = (.english, 0)
    for part in (field ?? "").split(separator: ",").prefix(32) {
      let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let tag = pieces.first?.lowercased().prefix(while: { $0 != "-" }),
        let language = PageLanguage(rawValue: String(tag))
      else { continue }
      let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best.weight { best = (language, weight) }
    }
    self = best.language
  }
}
