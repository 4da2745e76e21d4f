public import Bus
internal import GRDB
public import KithMessages

extension DatabaseView {
  /// What was measured.
  public var measurements: MeasurementTable<Self> { MeasurementTable(view: self) }
}

/// A value in thousandths of the unit of its kind.
public struct MeasuredValue: Sendable {
  /// Nanoseconds since 1970.
  public let at: Int64
  /// Of blood pressure: the upper one.
  public let amount: Int64
  /// Of blood pressure; nil for others.
  public let lower: Int64?
}

/// What was measured.
public struct MeasurementTable<View: DatabaseView> {
  let view: View

  /// A measurement, also one that was taken back; nil if the id is unknown.
  public func get(_ id: String) throws(Failure) -> MeasurementRecord? {
    try self.messages.first("WHERE uuid = ?", [.text(id)])
  }

  /// A measurement that must exist.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> MeasurementRecord {
    guard let measurement = try self.get(id) else {
      throw .unknownRecord(id, "There is no measurement '\(id.prefix(64))'. `kith measure list` lists them.")
    }
    return measurement
  }

  /// Whether anything was ever measured.
  public func hasAny() throws(Failure) -> Bool { try self.messages.first("LIMIT 1", []) != nil }

  /// A page, the newest first.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(_ request: ListMeasurementsRequest, in span: Range<Int64>) throws(Failure) -> ListMeasurementsReply {
    let limit = PageLimit.records(request.limit)
    let start = try PageCursor.numbered(request.cursor)
    let page = try self.messages.page(
      by: "occurred_at",
      """
      WHERE occurred_at >= ?1 AND occurred_at < ?2 AND (?3 OR deleted_at IS NULL) AND (?4 = '' OR kind = ?4)
        AND (?5 IS NULL OR (occurred_at, id) < (?5, ?6)) AND (?8 = '' OR name = ?8)
      ORDER BY occurred_at DESC, id DESC LIMIT ?7
      """,
      [
        .integer(span.lowerBound), .integer(span.upperBound), .integer(request.deleted ? 1 : 0), .text(request.kind),
        start.map { .integer($0.key) } ?? .null, .integer(start?.row ?? 0), .integer(Int64(limit + 1)),
        .text(request.name),
      ], limit: limit)
    var reply = ListMeasurementsReply()
    reply.measurements = page.records
    reply.nextCursor = page.nextCursor
    return reply
  }

  /// All values of a kind that were not taken back, by time.
  ///
  /// - Parameters:
  ///   - name: Of a kind of one's own; else empty.
  ///   - span: Nanoseconds since 1970.
  public func values(of kind: MeasurementKind, named name: String, in span: Range<Int64>) throws(Failure)
    -> [MeasuredValue]
  {
    try self.view.attempt { database in
      try database.all(
        """
        SELECT occurred_at, amount, lower FROM measurement
        WHERE kind = ? AND name = ? AND occurred_at >= ? AND occurred_at < ? AND deleted_at IS NULL
        ORDER BY occurred_at, id
        """, .text(kind.rawValue), .text(name), .integer(span.lowerBound), .integer(span.upperBound)
      ) { MeasuredValue(at: $0.integer(0), amount: $0.integer(1), lower: $0.isNull(2) ? nil : $0.integer(2)) }
    }
  }

  private var messages: MessageTable<MeasurementRecord, View> { MessageTable(view: self.view, name: "measurement") }
}

extension MeasurementTable where View == Transaction {
  /// Adds a measurement, or replaces it.
  ///
  /// - Parameters:
  ///   - amount: The value in thousandths of the unit of the kind.
  ///   - lower: Of blood pressure; nil for others.
  public func put(_ measurement: MeasurementRecord, amount: Int64, lower: Int64?) throws(Failure) {
    try self.messages.put(
      measurement, key: ["uuid": .text(measurement.id)],
      columns: ["deleted_at": measurement.hasDeletedAt ? .integer(measurement.deletedAt.nanosecondsSince1970) : .null],
      initial: [
        "kind": .text(measurement.kind), "name": .text(measurement.name),
        "occurred_at": .integer(measurement.occurredAt.nanosecondsSince1970), "amount": .integer(amount),
        "lower": .optional(lower),
      ])
    try self.view.announce(measurement.id, kind: "measurement")
  }
}
