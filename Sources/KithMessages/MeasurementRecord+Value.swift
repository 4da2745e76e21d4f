extension MeasurementRecord {
  /// The value for people: `130/80 mmHg`.
  public var shownValue: String {
    self.value + (self.lower.isEmpty ? "" : "/\(self.lower)") + (self.unit.isEmpty ? "" : " \(self.unit)")
  }
}
