extension CareCategory {
  /// The name for people, at the beginning of a line.
  public var english: String {
    switch self {
    case .medication: "Medication"
    case .meal: "Meal"
    case .toileting: "Toileting"
    case .medicalVisit: "Medical visit"
    case .freeMemo: "Free memo"
    }
  }

  /// The name for people in Japanese.
  public var japanese: String {
    switch self {
    case .medication: "服薬"
    case .meal: "食事"
    case .toileting: "排泄"
    case .medicalVisit: "通院"
    case .freeMemo: "自由メモ"
    }
  }
}
