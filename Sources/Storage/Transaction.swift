public import Bus
public import GRDB
public import KithMessages

/// What a write may do: SQL, and events that are published when it is committed.
///
/// When the closure that was given it throws, everything done through it is undone. The closure changes rows, never the
/// schema, and nothing outside the transaction: it may be run twice, when a write that commits with it has to be undone.
public struct Transaction: DatabaseView {
  /// The writing connection.
  public let database: Database
  /// Turns SQL errors into failures.
  public let health: StoreHealth
  let appender: EventAppender

  /// Appends an event to a stream. It takes the next number there, and is published after COMMIT.
  ///
  /// - Parameters:
  ///   - event: Thin: ids and states, never names or text of records.
  ///   - stream: One of ``EventStream``'s names.
  ///   - key: The entity whose last event this is; empty = none.
  ///   - tombstone: Whether the entity is gone.
  /// - Throws: `INTERNAL/BUG` for a stream that does not exist; what SQLite refuses.
  public func emit(_ event: Event, on stream: String, key: String = "", tombstone: Bool = false) throws(Failure) {
    try self.appender.append(event, on: stream, key: key, tombstone: tombstone, through: self)
  }

  /// Says that contacts changed. They are gathered into one `Changed` event of at most 500 ids at the end of the closure.
  public func changed(contacts ids: [String]) { self.appender.gather(ids, kind: "contact", on: .contacts) }

  /// Says that records changed. Those of a kind are gathered as contacts are.
  func changed(_ kind: RecordKind, _ ids: [String]) { self.appender.gather(ids, kind: kind.name, on: kind.stream) }
}
