/// What an entry is about, in the order in which summaries count.
public enum CareCategory: String, Sendable, CaseIterable {
  case medication, meal, toileting
  case medicalVisit = "medical_visit"
  case freeMemo = "free_memo"

  /// Reads a category as people and programs write it: `medical_visit`, `medical-visit`, `medicalVisit`, `Medical visit`.
  public init?(named name: String) {
    if let category = Self(rawValue: name) {
      self = category
      return
    }
    let letters = name.lowercased().filter(\.isLetter)
    guard let category = Self.allCases.first(where: { $0.rawValue.filter(\.isLetter) == letters }) else { return nil }
    self = category
  }
}
