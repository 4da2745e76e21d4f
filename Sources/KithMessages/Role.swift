/// The rights of a client or worker.
public enum Role: String, Sendable, Hashable, CaseIterable {
  /// Reads and subscribes.
  case viewer
  /// Also records and starts a sync.
  case recorder
  /// May call every method except a worker's.
  case admin
  /// Takes leased jobs and nothing else.
  case worker

  /// Whether this role may call a method that requires `required`.
  ///
  /// The worker's role is separate from the other three: they cannot take jobs, and a worker cannot read data.
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
