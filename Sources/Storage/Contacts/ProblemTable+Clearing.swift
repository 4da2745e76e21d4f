public import Bus
internal import GRDB

extension ProblemTable where View == Transaction {
  /// Drops the problems of cards that are there no more, and those that only the pass that found them can know.
  ///
  /// - Parameters:
  ///   - hrefs: Those of which this pass reported problems that are in no card; they stay.
  ///   - kind: Of problems that every pass reports again.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func clear(except hrefs: [String], of kind: String, in source: String) throws(Failure) {
    let row = try self.view.sources.row(of: source)
    try self.view.attempt { database in
      try database.cachedStatement(
        sql: """
          DELETE FROM card_problem WHERE source = ?1 AND href NOT IN (SELECT value FROM json_each(?2))
          AND (kind = ?3 OR NOT EXISTS (
            SELECT 1 FROM card LEFT JOIN contact ON contact.id = card.contact
            WHERE card.source = ?1 AND card.href = card_problem.href AND contact.deleted_at IS NULL))
          """
      ).execute(arguments: [row, ColumnValues.array(hrefs), kind])
    }
  }
}
