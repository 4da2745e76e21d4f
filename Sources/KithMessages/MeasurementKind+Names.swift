extension MeasurementKind {
  /// The name for people, at the beginning of a line.
  public var english: String {
    switch self {
    case .temperature: "Temperature"
    case .bloodPressure: "Blood pressure"
    case .pulse: "Pulse"
    case .weight: "Weight"
    case .oxygen: "Oxygen"
    case .glucose: "Glucose"
    case .pain: "Pain"
    case .fluidIn: "Fluid in"
    case .fluidOut: "Fluid out"
    case .other: "Other"
    }
  }

  /// The name for people in Japanese.
  public var japanese: String {
    switch self {
    case .temperature: "体温"
    case .bloodPressure: "血圧"
    case .pulse: "脈拍"
    case .weight: "体重"
    case .oxygen: "酸素飽和度"
    case .glucose: "血糖"
    case .pain: "痛み"
    case .fluidIn: "水分摂取"
    case .fluidOut: "尿量"
    case .other: "その他"
    }
  }
}

extension MeasurementRecord {
  /// The value for people: `130/80 mmHg`.
  public var shownValue: String {
    self.value + (self.lower.isEmpty ? "" : "/\(self.lower)") + (self.unit.isEmpty ? "" : " \(self.unit)")
  }
}
