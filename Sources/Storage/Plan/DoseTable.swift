public import Bus
internal import GRDB
public import KithMessages

extension DatabaseView {
  /// What was given, done and skipped.
  public var doses: DoseTable<Self> { DoseTable(view: self) }
}

/// What was given, done and skipped of the care plan.
public struct DoseTable<View: DatabaseView> {
  let view: View

  /// A dose, also one that was taken back; nil if the id is unknown.
  public func get(_ id: String) throws(Failure) -> Dose? { try self.messages.first("WHERE uuid = ?", [.text(id)]) }

  /// A dose that must exist.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> Dose {
    guard let dose = try self.get(id) else {
      throw .unknownRecord(id, "There is no dose '\(id.prefix(64))'. `kith plan history` lists them.")
    }
    return dose
  }

  /// What was recorded of an item and not taken back, for times and at moments of a span, by time and recorder, and the last one before it.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  public func of(_ item: String, in span: Range<Int64>) throws(Failure) -> [Dose] {
    let (from, to) = (EngineValue.integer(span.lowerBound), EngineValue.integer(span.upperBound))
    let item = EngineValue.text(item)
    let row = "(SELECT id FROM plan_item WHERE uuid = ?1)"
    let found = try self.messages.all(
      """
      WHERE deleted_at IS NULL AND id IN (
        SELECT id FROM dose WHERE item = \(row) AND occurred_at >= ?2 AND occurred_at < ?3
        UNION SELECT id FROM dose WHERE item = \(row) AND due >= ?2 AND due < ?3)
      """, [item, from, to])
    let last = try self.messages.first(
      """
      WHERE item = \(row) AND occurred_at < ?2 AND deleted_at IS NULL AND outcome <> 'skipped'
      ORDER BY occurred_at DESC, id DESC LIMIT 1
      """, [item, from])
    let all = (last.map { [$0] } ?? []).filter { last in !found.contains { $0.id == last.id } } + found
    // Ids are made as doses arrive, and say nothing of which came first.
    return all.sorted {
      ($0.occurredAt.nanosecondsSince1970, $0.recorder, $0.id) < (
        $1.occurredAt.nanosecondsSince1970, $1.recorder, $1.id
      )
    }
  }

  /// What was given at a moment of a span and not taken back, by time.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  public func given(in span: Range<Int64>) throws(Failure) -> [Dose] {
    try self.messages.all(
      """
      WHERE occurred_at >= ? AND occurred_at < ? AND deleted_at IS NULL AND outcome <> 'skipped'
      ORDER BY occurred_at, id
      """, [.integer(span.lowerBound), .integer(span.upperBound)])
  }

  /// The ids of the items of which something was recorded at a moment of a span, and not taken back.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  public func items(in span: Range<Int64>) throws(Failure) -> Set<String> {
    let ids = try self.view.attempt { database in
      try database.all(
        """
        SELECT DISTINCT plan_item.uuid FROM dose JOIN plan_item ON plan_item.id = dose.item
        WHERE occurred_at >= ? AND occurred_at < ? AND deleted_at IS NULL
        """, .integer(span.lowerBound), .integer(span.upperBound)
      ) { $0.text(0) }
    }
    return Set(ids)
  }

  /// A page of the history, the newest first.
  ///
  /// - Parameters:
  ///   - span: Nanoseconds since 1970.
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(_ request: ListDosesRequest, in span: Range<Int64>) throws(Failure) -> ListDosesReply {
    let limit = PageLimit.records(request.limit)
    let start = try PageCursor.numbered(request.cursor)
    let page = try self.messages.page(
      by: "occurred_at",
      """
      WHERE occurred_at >= ?1 AND occurred_at < ?2 AND (?3 OR deleted_at IS NULL)
        AND (?4 = '' OR item = (SELECT id FROM plan_item WHERE uuid = ?4))
        AND (?5 IS NULL OR (occurred_at, id) < (?5, ?6))
      ORDER BY occurred_at DESC, id DESC LIMIT ?7
      """,
      [
        .integer(span.lowerBound), .integer(span.upperBound), .integer(request.deleted ? 1 : 0), .text(request.itemID),
        start.map { .integer($0.key) } ?? .null, .integer(start?.row ?? 0), .integer(Int64(limit + 1)),
      ], limit: limit)
    var reply = ListDosesReply()
    reply.doses = page.records
    reply.nextCursor = page.nextCursor
    return reply
  }

  private var messages: MessageTable<Dose, View> { MessageTable(view: self.view, name: "dose") }
}

extension DoseTable where View == Transaction {
  /// Adds a dose, or replaces it.
  ///
  /// - Parameter amount: In hundredths of the unit.
  public func put(_ dose: Dose, amount: Int64) throws(Failure) {
    let item = try self.view.attempt { database in
      try database.first("SELECT id FROM plan_item WHERE uuid = ?", .text(dose.itemID)) { $0.integer(0) }
    }
    guard let item else {
      throw .unknownRecord(dose.itemID, "There is no item '\(dose.itemID.prefix(64))' in the plan.")
    }
    try self.messages.put(
      dose, key: ["uuid": .text(dose.id)],
      columns: ["deleted_at": dose.hasDeletedAt ? .integer(dose.deletedAt.nanosecondsSince1970) : .null],
      initial: [
        "item": .integer(item), "due": dose.hasDue ? .integer(dose.due.nanosecondsSince1970) : .null,
        "occurred_at": .integer(dose.occurredAt.nanosecondsSince1970),
        "created_at": .integer(dose.createdAt.nanosecondsSince1970), "outcome": .text(dose.outcome),
        "amount": .integer(amount),
      ])
    try self.view.announce(dose.id, kind: "dose")
  }
}
