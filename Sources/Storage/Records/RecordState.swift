/// The sync state of a record. The numbers are in the database.
public enum RecordState: Int, CaseIterable, Sendable {
  /// The server has the same version, or needs none.
  case synced
  /// A change is queued.
  case pending
  /// A change is in flight. Edits do not end this state.
  case syncing
  /// The server refused the change; a person has to correct or retry it.
  case failed
  /// It was changed here and on the server.
  case conflict
  /// It is kept here alone: the household has no Monica account, or the server has no such type.
  ///
  /// Stored only in the second case. Without an account, changes are queued as ``pending`` for the first login, and shown as this.
  case here

  /// The name on the wire.
  public var name: String { String(describing: self) }

  /// The state with this name on the wire; nil if there is none.
  public init?(named name: String) {
    guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}
