public import Bus
internal import GRDB
internal import KithMessages

/// A copy of the store in a file that no hub uses.
public enum StoreCopy {
  /// Checks that a hub of this version can serve a copy.
  ///
  /// ```swift
  /// try StoreCopy.check("/tmp/scratch/kith.db")
  /// ```
  ///
  /// - Throws: `DATA_LOSS/STORE_DAMAGED` if SQLite finds faults in it, `FAILED_PRECONDITION/SCHEMA_TOO_NEW`.
  public static func check(_ path: String) throws(Failure) {
    do {
      var configuration = Configuration()
      configuration.readonly = true
      let copy = try DatabaseQueue(path: path, configuration: configuration)
      try copy.read { database in
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
    } catch {
      throw Self.damaged(path, "\(error)")
    }
  }

  private static func damaged(_ path: String, _ why: String) -> Failure {
    Failure(.dataLoss, "STORE_DAMAGED", "The copy \(path) is damaged: \(why). Take another backup.")
  }
}
