public import Bus
internal import GRDB
public import KithMessages

/// Records in conflict that the server does not have any more: it was restored from an old backup, or somebody has deleted them there.
extension OutboxTable {
  /// How many there are.
  public func countOfDeletions() throws(Failure) -> Int {
    let account = try self.view.records.account
    return try self.view.attempt { database in
      try database.first(
        "SELECT count(*) FROM conflict WHERE account = ? AND server IS NULL", .integer(account)
      ) { Int($0.integer(0)) } ?? 0
    }
  }
}

extension OutboxTable where View == Transaction {
  /// One decision for many conflicts with a server that does not have the record any more: the first 500.
  ///
  /// It loses nothing that the server has never had. If they go, these stay in conflict: what was changed or made here since the server
  /// had it, people with such a record, and all that belongs to those people. With the last ones that go, the ``DeletionHold`` ends.
  ///
  /// - Parameters:
  ///   - isKept: Whether they are created there again. Otherwise they are deleted here.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The changes after that; none if none is left for the decision.
  public func resolveDeletions(isKept: Bool, now: Int64) throws(Failure) -> [QueueEntry] {
    var resolved: [String] = []
    var isMore = false
    var page = try self.deletions(after: nil)
    while let last = page.last, !isMore {
      for deletion in page {
        // The decision on a person ends the conflicts of the person's records.
        guard try self.isOpen(deletion, isKept: isKept) else { continue }
        guard resolved.count < Self.mostResolved else {
          isMore = true
          break
        }
        let conflict = try self.conflict(of: deletion.id)
        _ = try self.resolve(deletion.id, as: isKept && !conflict.isDeletedHere ? conflict.local : nil, now: now)
        resolved.append(deletion.id)
      }
      page = try self.deletions(after: last)
    }
    // The server lacks them because somebody has deleted them there.
    if !isKept, !resolved.isEmpty, !isMore { try self.view.accounts.endDeletionHold() }
    return try self.entries(of: resolved)
  }

  /// The most conflicts that one call resolves.
  private static var mostResolved: Int { 500 }

  /// A record that the server does not have any more.
  private struct Deletion {
    let row: Int64
    let id: String
    /// 0 = a person. People come first, because the decision on a person is also one on the person's records.
    let rank: Int64
  }

  private func deletions(after last: Deletion?) throws(Failure) -> [Deletion] {
    let account = try self.view.records.account
    return try self.view.attempt { database in
      try database.all(
        """
        SELECT conflict.record, record.uuid, record.kind <> 1 FROM conflict CROSS JOIN record ON record.id = conflict.record
        WHERE conflict.account = :account AND conflict.server IS NULL
          AND (record.kind <> 1, conflict.record) > (:rank, :row)
        ORDER BY record.kind <> 1, conflict.record LIMIT \(Self.mostResolved)
        """,
        named: ["account": .integer(account), "rank": .integer(last?.rank ?? 0), "row": .integer(last?.row ?? 0)]
      ) { Deletion(row: $0.integer(0), id: $0.text(1), rank: $0.integer(2)) }
    }
  }

  private func isOpen(_ deletion: Deletion, isKept: Bool) throws(Failure) -> Bool {
    try self.view.attempt { database in
      let keeper = RecordKeeper(database: database)
      guard let record = try RecordWriter(database: database).read(deletion.row), try keeper.isLost(record) else {
        return false
      }
      guard !isKept, !record.isDeleted else { return true }
      return try !keeper.isChangedHere(record) && !keeper.isOfLostPerson(record)
    }
  }
}
