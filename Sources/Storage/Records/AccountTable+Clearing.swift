public import Bus
internal import GRDB
public import KithMessages

extension AccountTable where View == Transaction {
  /// Erases the records that the server of the account in use can send again, and the position of pulling.
  ///
  /// Records with something that the server does not keep stay: those that are kept here alone, calls with attachments or a running timer,
  /// people with a link to a contact, and the people of those records.
  ///
  /// - Parameter discardPending: Whether queued changes may be lost.
  /// - Throws: `FAILED_PRECONDITION/NOT_LOGGED_IN` before the first login, when nothing is a copy; `CHANGES_WAIT` if a change is queued, in flight, refused or in conflict and may not be lost.
  public func clearCache(discardPending: Bool) throws(Failure) -> ClearCacheReply {
    guard try self.current().hasServer else {
      throw Failure(
        .failedPrecondition, "NOT_LOGGED_IN",
        "There is no Monica account: nothing is a copy of what a server has, so nothing was deleted.")
    }
    let account = try self.view.records.account
    let counts = try self.view.outbox.counts()
    let waiting = counts.pending + counts.syncing + counts.failed + counts.conflicts
    guard waiting == 0 || discardPending else {
      throw Failure(
        .failedPrecondition, "CHANGES_WAIT",
        "\(waiting) changes wait for the server and would be lost. Let them be sent first, or allow that they are lost."
      )
    }
    return try self.view.attempt { database in
      let kept = try self.rowsThatStay(account, database)
      let condition =
        "IN (SELECT id FROM record WHERE account = :account AND id NOT IN (SELECT value FROM json_each(:kept)))"
      let values: [String: EngineValue] = ["account": .integer(account), "kept": .text(ColumnValues.array(kept))]
      let gone = try database.all("SELECT kind, uuid FROM record WHERE id \(condition)", named: values) {
        (kind: RecordKind(rawValue: Int($0.integer(0))), id: $0.text(1))
      }
      try database.run(
        "DELETE FROM name_use WHERE owner IN (SELECT 2 * id + 1 FROM record WHERE id \(condition))", named: values)
      for (table, column) in [
        ("record_person", "record"), ("record_label", "record"), ("record_blob", "record"), ("record_search", "record"),
        ("outbox", "record"), ("conflict", "record"), ("record_person", "person"), ("person_search", "person"),
        ("person_link_dismissed", "person"), ("record", "id"),
      ] {
        try database.run("DELETE FROM \(table) WHERE \(column) \(condition)", named: values)
      }
      for index in ["record_words", "person_words"] {
        try database.run("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
      }
      try database.run("UPDATE monica_account SET pull = NULL, last_pull_at = NULL WHERE id = ?", .integer(account))
      for row in gone {
        if let kind = row.kind { self.view.changed(kind, [row.id]) }
      }
      var reply = ClearCacheReply()
      reply.removed = UInt32(gone.count)
      reply.kept = UInt32(kept.count)
      return reply
    }
  }

  /// Records with something that the server does not keep, and their people.
  private func rowsThatStay(_ account: Int64, _ database: Database) throws -> [Int64] {
    try database.all(
      """
      WITH own AS (
        SELECT record AS id FROM record_blob CROSS JOIN record ON record.id = record_blob.record
        WHERE record.account = :account AND record.kind = \(RecordKind.call.rawValue)
        UNION
        SELECT id FROM record WHERE account = :account AND state = \(RecordState.here.rawValue)
        UNION
        SELECT id FROM record WHERE account = :account AND deleted_at IS NOT NULL AND monica_id IS NULL
        UNION
        SELECT record FROM record_label WHERE account = :account AND kind = \(RecordKind.call.rawValue) AND label = :running
        UNION
        SELECT person FROM person_link CROSS JOIN record ON record.id = person_link.person WHERE record.account = :account)
      SELECT id FROM own UNION SELECT person FROM record_person WHERE record IN (SELECT id FROM own)
      """, named: ["account": .integer(account), "running": .text(RecordTraits.running)]
    ) { $0.integer(0) }
  }
}
