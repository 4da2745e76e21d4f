public import Bus
internal import GRDB
internal import KithMessages

/// A copy of the store in a file that no hub uses.
public enum StoreCopy {
  /// Checks that a hub of this version can serve a copy. It ends early if the task is cancelled.
  ///
  /// ```swift
  /// try await StoreCopy.check("/tmp/scratch/kith.db")
  /// ```
  ///
  /// - Throws: `DATA_LOSS/STORE_DAMAGED` if SQLite finds faults in it, `FAILED_PRECONDITION/SCHEMA_TOO_NEW`,
  ///   `CANCELLED`.
  public static func check(_ path: String) async throws(Failure) {
    do {
      var configuration = Configuration()
      configuration.readonly = true
      let copy = try DatabaseQueue(path: path, configuration: configuration)
      try await copy.read { database in
        let faults = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
        guard faults == ["ok"] else { throw Self.damaged(path, faults.joined(separator: "; ")) }
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version > 0 else { throw Self.damaged(path, "it is not a store of Kith") }
        guard version <= Migration.all.count else {
          throw Failure(
            .failedPrecondition, "SCHEMA_TOO_NEW",
            "\(path) was written by a newer kithd (schema \(version), this one knows \(Migration.all.count)). Install that version."
          )
        }
      }
      try copy.close()
    } catch let failure as Failure {
      throw failure
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw Self.damaged(path, "\(error)")
    }
  }

  /// Makes a copy fit to be restored later: it has no epoch, so that subscribers take a snapshot, and nothing that was under way.
  /// Changes that waited for a server may have been sent after the copy was made, so the server is searched for them first.
  ///
  /// - Parameter isOlder: Whether the copy is of an earlier release, which lacks some of what is changed.
  static func prepare(_ database: Database, isOlder: Bool = false) throws {
    for statement in self.preparation {
      do {
        try database.execute(sql: statement)
      } catch let error as DatabaseError where isOlder && error.resultCode == .SQLITE_ERROR {
        continue
      }
    }
  }

  private static let preparation = [
    "DELETE FROM meta WHERE name = 'epoch'",
    "UPDATE meta SET value = 'yes' WHERE name = 'closed'",
    "DELETE FROM command WHERE finished_at IS NULL",
    "DELETE FROM blob_file",
    // Those whose files are there are found again.
    "DELETE FROM made_backup",
    "UPDATE record SET state = \(RecordState.pending.rawValue) WHERE state = \(RecordState.syncing.rawValue)",
    """
    UPDATE outbox SET first_tried_at = coalesce(first_tried_at, queued_at),
      sent = coalesce(sent, (SELECT body FROM record WHERE record.id = outbox.record))
    WHERE next_attempt_at IS NOT NULL OR error IS NOT NULL
    """,
  ]

  private static func damaged(_ path: String, _ why: String) -> Failure {
    Failure(.dataLoss, "STORE_DAMAGED", "The copy \(path) is damaged: \(why). Take another backup.")
  }
}
