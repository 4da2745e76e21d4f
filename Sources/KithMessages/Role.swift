/// The rights of a client or worker.
///
/// A viewer reads and subscribes; a recorder also records and starts a sync; an admin may call every method except a worker's; a
/// worker takes leased jobs and nothing else.
extension Role {
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
