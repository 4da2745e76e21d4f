/// The rights of a client or worker.
///
/// A viewer reads and subscribes; a recorder also records and starts a sync; an admin may call every method except a worker's; a
/// worker takes leased jobs and nothing else; a door follows events, pairs devices, and passes on the commands of devices with
/// their tokens.
extension Role {
  /// Whether this role may call the method.
  public func mayCall(_ method: Method) -> Bool {
    method.isOpen ? self != .worker : self.covers(method.role)
  }

  /// Whether this role includes `required`.
  ///
  /// The worker's role is separate from the others: they cannot take jobs, and a worker cannot read data.
  public func covers(_ required: Role) -> Bool {
    switch (self, required) {
    case (.worker, .worker): true
    case (.worker, _), (_, .worker): false
    case (.door, .door): true
    case (.door, _): false
    case (.admin, _): true
    case (.recorder, .viewer), (.recorder, .recorder): true
    case (.recorder, .admin): false
    case (.viewer, .viewer): true
    case (.viewer, .recorder), (.viewer, .admin): false
    case (.viewer, .door), (.recorder, .door): false
    }
  }
}
