public import Bus
public import GRDB
public import KithMessages

/// The writing access to the store: SQL, and events that are published after COMMIT.
///
/// If the closure that received it throws, everything done through it is undone. The closure changes only rows, never
/// the schema, and nothing outside the transaction: it may run twice, if another write of the same group is undone.
public struct Transaction: DatabaseView {
  /// The writing connection.
  public let database: Database
  /// Turns SQL errors into failures.
  public let health: StoreHealth
  let appender: EventAppender

  /// Appends an event to a stream. It takes the stream's next number and is published after COMMIT.
  ///
  /// - Parameters:
  ///   - event: Ids and states only, never names or text of records.
  ///   - stream: One of ``EventStream``'s names.
  ///   - key: The entity whose last event this is; empty = none.
  ///   - tombstone: Whether the entity was deleted.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for an unknown stream; SQLite's errors.
  public func emit(_ event: Event, on stream: String, key: String = "", tombstone: Bool = false) throws(Failure) {
    try self.appender.append(event, on: stream, key: key, tombstone: tombstone, through: self)
  }

  /// Announces changed contacts. They are gathered into `Changed` events of at most 500 ids at the end of the closure.
  public func changed(contacts ids: [String]) { self.appender.gather(ids, kind: "contact", on: .contacts) }

  /// Announces changed records, gathered by kind in the same way.
  func changed(_ kind: RecordKind, _ ids: [String]) { self.appender.gather(ids, kind: kind.name, on: kind.stream) }
}
