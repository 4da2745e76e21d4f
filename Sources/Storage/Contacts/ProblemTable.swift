public import Bus
internal import GRDB
public import KithMessages

extension DatabaseView {
  /// The problems of cards.
  public var problems: ProblemTable<Self> { ProblemTable(view: self) }
}

/// The problems found when cards were last read.
public struct ProblemTable<View: DatabaseView> {
  let view: View

  /// A page of problems, ordered by source, card and position.
  ///
  /// - Parameters:
  ///   - limit: How many problems: 0 = 50, more than 500 = 500.
  ///   - cursor: `next_cursor` of the page before; empty = the first page.
  ///   - source: Only problems of this source; empty = of all.
  /// - Throws: `FIELD_INVALID` for the cursor; `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func page(
    limit: UInt32 = 0, cursor: String = "", source: String = ""
  ) throws(Failure) -> ListProblemsReply {
    let limit = PageLimit.records(limit)
    var start: (source: Int64, href: String, position: Int64) = (-1, "", -1)
    if !cursor.isEmpty {
      let place = try PageCursor(text: cursor)
      start = (place.row >> 32, place.key, place.row & 0xFFFF_FFFF)
    }
    let only: Int64? = source.isEmpty ? nil : try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      var page = Page<Problem>(limit: limit, room: PageLimit.bodyBytes)
      try EngineStatement(
        database,
        """
        SELECT source.name, href, line, card_problem.kind, skipped, first_seen_at, message, position, source.id
        FROM card_problem JOIN source ON source.id = card_problem.source
        WHERE (card_problem.source, href, position) > (?, ?, ?)\(only == nil ? "" : " AND card_problem.source = ?")
        ORDER BY card_problem.source, href, position LIMIT ?
        """
      ).takeRows(
        [.integer(start.source), .text(start.href), .integer(start.position)] + (only.map { [.integer($0)] } ?? [])
          + [.integer(Int64(limit + 1))]
      ) { row in
        let problem = Self.problem(from: row)
        guard page.hasRoom(for: problem.roomInReply) else { return false }
        let place = row.integer(8) << 32 | row.integer(7)
        page.append(problem, at: PageCursor(key: problem.sourceIdentifier, row: place))
        return true
      }
      var reply = ListProblemsReply()
      reply.problems = page.records
      reply.nextCursor = page.nextCursor
      return reply
    }
  }

  /// The hrefs among the given ones that have problems.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func hrefs(among hrefs: [String], in source: String) throws(Failure) -> Set<String> {
    let row = try self.view.sources.row(of: source)
    return try self.view.attempt { database in
      var found: Set<String> = []
      try EngineStatement(
        database, "SELECT href FROM card_problem WHERE source = ? AND href IN (SELECT value FROM json_each(?))"
      ).forEach([.integer(row), .text(ColumnValues.array(hrefs))]) { found.insert($0.text(0)) }
      return found
    }
  }

  private static func problem(from row: EngineRow) -> Problem {
    var problem = Problem()
    problem.source = row.text(0)
    problem.sourceIdentifier = row.text(1)
    problem.line = UInt32(truncatingIfNeeded: row.integer(2))
    problem.kind = row.text(3)
    problem.skipped = row.integer(4) != 0
    problem.firstSeenAt = .init(nanosecondsSince1970: row.integer(5))
    problem.message = row.text(6)
    return problem
  }
}

extension ProblemTable where View == Transaction {
  /// Replaces the problems of one card.
  ///
  /// A kind of problem that the card had before keeps the time when it was first seen.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func replace(_ problems: [Problem], of href: String, in source: String, at now: Int64) throws(Failure) {
    let row = try self.view.sources.row(of: source)
    try self.view.attempt { database in
      var firstSeen: [String: Int64] = [:]
      try EngineStatement(database, "SELECT kind, first_seen_at FROM card_problem WHERE source = ? AND href = ?")
        .forEach([.integer(row), .text(href)]) { earlier in
          let kind = earlier.text(0)
          firstSeen[kind] = min(firstSeen[kind] ?? .max, earlier.integer(1))
        }
      guard !firstSeen.isEmpty || !problems.isEmpty else { return }
      try database.run("DELETE FROM card_problem WHERE source = ? AND href = ?", .integer(row), .text(href))
      for (position, problem) in problems.enumerated() {
        let kind = ColumnValues.text(problem.kind)
        try database.run(
          """
          INSERT INTO card_problem (source, href, position, line, kind, skipped, first_seen_at, message)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """, .integer(row), .text(of: href), .integer(Int64(position)), .integer(Int64(problem.line)), .text(kind),
          .integer(problem.skipped ? 1 : 0), .integer(firstSeen[kind] ?? now), .text(of: problem.message))
      }
    }
  }

  /// Deletes the problems of cards that no longer exist, and all problems of a kind.
  ///
  /// - Parameters:
  ///   - hrefs: Their problems stay: this pass reported them, although they are no cards.
  ///   - kind: A kind of problem that every pass reports again.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the source.
  public func clear(except hrefs: [String], of kind: String, in source: String) throws(Failure) {
    let row = try self.view.sources.row(of: source)
    try self.view.attempt { database in
      try database.run(
        """
        DELETE FROM card_problem WHERE source = ?1 AND href NOT IN (SELECT value FROM json_each(?2))
        AND (kind = ?3 OR NOT EXISTS (
          SELECT 1 FROM card LEFT JOIN contact ON contact.id = card.contact
          WHERE card.source = ?1 AND card.href = card_problem.href AND contact.deleted_at IS NULL))
        """, .integer(row), .text(ColumnValues.array(hrefs)), .text(kind))
    }
  }
}
