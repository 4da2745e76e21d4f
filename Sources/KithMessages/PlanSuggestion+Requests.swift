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

  /// Notes that a person was told of warnings, and records it all the same. Only who knows that it was given has given it again knowingly.
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
