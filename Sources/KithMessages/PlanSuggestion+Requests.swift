extension GiveRequest {
  /// What a person said was given.
  public init(_ said: PlanSuggestion) {
    self.init()
    self.itemID = said.item.id
    if said.hasDue { self.due = said.due }
    self.occurredAt = said.occurredAt
    self.amount = said.amount
    self.clientID = said.clientID
  }

  /// Notes that a person read these warnings and records the dose all the same. The dose is no unnoticed double only if one of the warnings
  /// told of the other dose.
  public mutating func confirm(_ told: [PlanWarning]) { self.confirmed = told.contains { $0.knownKind == .given } }
}

extension RecordMeasurementRequest {
  /// What a person said was measured.
  public init(_ said: PlanSuggestion) {
    self.init()
    self.measurement = said.measurement
    self.occurredAt = said.occurredAt
    self.clientID = said.clientID
  }
}
