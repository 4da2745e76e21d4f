/// Where a record stands with the server. The numbers stand in the database.
public enum RecordState: Int, CaseIterable, Sendable {
  /// The server has it as it is here, or never had it and need not.
  case synced
  /// It waits to be sent.
  case pending
  /// An attempt is under way. Edits do not end this state.
  case syncing
  /// The server refuses it: a person has to look.
  case failed
  /// It was changed here and on the server.
  case conflict

  /// The name on the wire.
  public var name: String { String(describing: self) }

  /// Finds a state by its name on the wire; nil when there is none of that name.
  public init?(named name: String) {
    guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}
