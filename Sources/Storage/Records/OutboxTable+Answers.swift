public import Bus
internal import GRDB
public import KithMessages

/// The server's answers to queued changes. Times are in nanoseconds since 1970.
extension OutboxTable where View == Transaction {
  /// Stores that the server has accepted a change.
  ///
  /// - Parameters:
  ///   - server: The record as the server has it now.
  ///   - decide: Merges the stored record with the server's: ``MergeDecision/merged(_:base:)``, or nil to keep the whole edited
  ///     record if it was edited meanwhile.
  /// - Throws: `INTERNAL/BUG` where the message holds no record of the same kind; what `decide` throws.
  public func arrived(
    _ row: Int64, server: RemoteRecord, now: Int64,
    decide: (_ local: LocalRecord, _ server: AnyRecord) throws(Failure) -> MergeDecision? = { _, _ in nil }
  ) throws(Failure) {
    guard let (old, local, received) = try self.answer(row, server, now: now) else { return }
    let decision = try decide(local, received)
    try self.change(row) { _, database in
      var new = old
      new.base = received
      if case .merged(let body, let base)? = decision {
        new.content = body.keepingOwner(of: old.content)
        new.base = base.keepingOwner(of: old.content)
      } else if local.sent.map({ $0.stripped == old.content.stripped }) ?? false {
        new.content = received.keepingOwner(of: old.content)
      }
      new.remoteStamp = server.stamp ?? old.remoteStamp
      new.remoteMadeAt = server.madeAt ?? old.remoteMadeAt
      new.state = .pending
      try self.settle(row, database)
      try RecordWriter(database: database).save(new, over: old)
      try RecordKeeper(database: database).requeue(new, now: now)
      return [new]
    }
  }

  /// Stores that the server refused a change because its version differs from the one that the change was made from.
  ///
  /// - Parameters:
  ///   - server: The record as the server has it now.
  ///   - decide: As in ``RecordTable/merge(_:now:decide:)``.
  /// - Throws: As ``arrived(_:server:now:decide:)``.
  public func differs(
    _ row: Int64, server: RemoteRecord, now: Int64,
    decide: (_ local: LocalRecord, _ server: AnyRecord) throws(Failure) -> MergeDecision
  ) throws(Failure) {
    guard let (old, local, received) = try self.answer(row, server, now: now) else { return }
    let decision = try decide(local, received)
    try self.change(row) { _, database in
      try self.settle(row, database)
      var old = old
      old.state = .pending
      try RecordKeeper(database: database).setState(.pending, of: row)
      var report = MergeReport()
      return try RemoteDecision(database: database, now: now)
        .carryOut(decision, server, server: received, old: old, account: old.account, &report)
    }
  }

  /// Makes all changes due that wait for a time.
  public func hurry(now: Int64) throws(Failure) {
    let account = try self.view.records.account
    try self.view.attempt { database in
      try database.run(
        "UPDATE outbox SET next_attempt_at = ?1 WHERE account = ?2 AND next_attempt_at > ?1", .integer(now),
        .integer(account))
    }
  }

  /// The stored record with the server's id, united with a record that a pull has added for it, and the server's record with our
  /// ids; nil if the record is no longer stored, or if the answer is about another record. Then the next attempt
  /// searches again, without that one. A lost record whose id the server has given to this one is parted from it.
  private func answer(
    _ row: Int64, _ server: RemoteRecord, now: Int64
  ) throws(Failure) -> (old: StoredRecord, local: LocalRecord, received: AnyRecord)? {
    // Of these is told: a twin that was erased, and what waits again or for a person.
    var others: [StoredRecord] = []
    let found = try self.view.attempt { database -> (StoredRecord, AnyRecord)? in
      let writer = RecordWriter(database: database)
      guard let stored = try writer.read(row) else { return nil }
      let names = RemoteNames(database: database, account: stored.account)
      let people = try names.people(RemoteNames.people(of: server))
      guard let received = names.content(of: server, people: people), received.kind == stored.kind else {
        throw DatabaseError(resultCode: .SQLITE_MISMATCH)
      }
      let lookup = RemoteLookup(database: database, account: stored.account)
      let keeper = RecordKeeper(database: database)
      if let known = try lookup.find(stored.kind, server.monicaID), known.row != row,
        try known.isOther(than: server) || known.isOfOthers(than: stored.content) || keeper.isLost(known)
      {
        others += try RemoteDecision(database: database, now: now).part(known)
      }
      if !stored.isOnServer, try self.isAnother(server.monicaID, than: stored, database) {
        try self.reopen(row, next: now + self.pause(of: row, database), database)
        others.append(stored)
        return nil
      }
      var old = stored
      old.monicaID = server.monicaID
      if let twin = try keeper.unify(&old) { others.append(twin) }
      try RelationshipSide(database: database, account: old.account).turn(&old, as: received)
      try writer.save(old, over: stored)
      return (old, received)
    }
    self.view.records.tell(others)
    guard let (old, received) = found else { return nil }
    let local = try self.view.attempt { try self.view.records.local(old, $0) }
    return (old, local, received.completed(local: old.content, known: local.sent ?? old.base))
  }

  /// How long a server is not asked again that has answered with another record, in nanoseconds: five seconds, and longer each time.
  private func pause(of row: Int64, _ database: Database) throws -> Int64 {
    let attempts = try OutboxRows(database: database).find(row)?.attempts ?? 1
    return min(5_000_000_000 << Int64(max(0, min(attempts - 1, 8))), OutboxEntry.longestWait)
  }

  /// Whether another record that the server's answer to a creation cannot be about has an id of the server. Of tags one name is one
  /// tag, and a record that has our id on the server is found by that.
  private func isAnother(_ id: UInt64, than record: StoredRecord, _ database: Database) throws -> Bool {
    guard record.kind != .tag, !record.kind.keepsOurID else { return false }
    let found = try database.all(
      """
      SELECT 1 FROM record WHERE account = :account AND kind = :kind AND monica_id = :id AND id <> :row
        AND \(Self.isNoResult)
      """,
      named: [
        "account": .integer(record.account), "kind": .integer(Int64(record.kind.rawValue)),
        "id": .integer(Int64(bitPattern: id)), "row": .integer(record.row),
      ]
    ) { _ in true }
    return !found.isEmpty
  }
}
