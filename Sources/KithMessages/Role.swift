/// Who may do what.
public enum Role: String, Sendable, Hashable, CaseIterable {
  /// Reads and subscribes.
  case viewer
  /// Records as well, and starts a sync.
  case recorder
  /// May do everything.
  case admin
  /// Takes leased jobs and nothing else.
  case worker

  /// Whether this role may call a method that asks for `required`.
  ///
  /// Workers stand beside the other three: no person's role takes jobs, and a worker's key reads nothing.
  public func covers(_ required: Role) -> Bool {
    switch (self, required) {
    case (.worker, .worker): true
    case (.worker, _), (_, .worker): false
    case (.admin, _): true
    case (.recorder, .viewer), (.recorder, .recorder): true
    case (.recorder, .admin): false
    case (.viewer, .viewer): true
    case (.viewer, .recorder), (.viewer, .admin): false
    }
  }
}
