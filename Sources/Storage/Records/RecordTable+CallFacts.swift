public import Bus
internal import GRDB
internal import KithMessages

/// The facts of a call for statistics.
public struct CallFact: Sendable, Hashable {
  /// The row of the person, for ``RecordTable/people(_:)``.
  public let person: Int64
  /// Nanoseconds since 1970.
  public let calledAt: Int64
  /// 0 = not recorded.
  public let minutes: Int
  /// Empty = not recorded.
  public let emotion: String
  /// Whether the person called.
  public let theyCalled: Bool
  /// Whether its timer runs.
  public let isRunning: Bool
}

/// A person's id and name.
public struct PersonName: Sendable, Hashable {
  /// The record's id.
  public let id: String
  /// As it is shown.
  public let name: String
}

extension RecordTable {
  /// Hands over every call that a query asks for, newest first, without reading any of them whole.
  ///
  /// - Parameter query: Limit and cursor do not count, and deleted calls are left out.
  /// - Throws: `FIELD_INVALID` for the feeling; `NOT_FOUND/RECORD_UNKNOWN` for the person.
  public func callFacts(_ query: RecordQuery = RecordQuery(), _ each: (CallFact) -> Void) throws(Failure) {
    let account = try self.account
    var conditions = ["record.account = ?", "record.kind = 11", "record.deleted_at IS NULL"]
    var values: [EngineValue] = [.integer(account)]
    var table = "record INDEXED BY record_call_fact"
    if let id = query.person {
      guard let person = try self.row(of: id, .person) else { throw Self.unknown(.person, id) }
      table = "record_person AS place CROSS JOIN record ON record.id = place.record"
      conditions += ["place.person = ?", "place.kind = 11", "place.is_deleted = 0", "place.rank = 0"]
      values.append(.integer(person))
    }
    let time = query.person == nil ? "record.at" : "place.at"
    if let from = query.from {
      conditions.append("\(time) >= ?")
      values.append(.integer(from))
    }
    if let to = query.to {
      conditions.append("\(time) < ?")
      values.append(.integer(to))
    }
    if let name = query.emotion {
      let emotion = RecordTraits.number(ofEmotion: name)
      guard emotion != 0 else {
        throw .invalid(field: "emotion", "is none of \(RecordTraits.emotions.joined(separator: ", ")).")
      }
      conditions.append("record.emotion = ?")
      values.append(.integer(emotion))
    }
    if let state = try self.asStored(query).syncState {
      conditions.append("record.state = ?")
      values.append(.integer(Int64(state.rawValue)))
    }
    if let tag = query.tag {
      conditions.append(
        """
        EXISTS (SELECT 1 FROM record_label WHERE record_label.account = record.account AND record_label.kind = 11
          AND record_label.label = ? AND record_label.is_deleted = 0 AND record_label.sort_key = ''
          AND record_label.at = record.at AND record_label.record = record.id)
        """)
      values.append(.text(RecordTraits.key(tag)))
    }
    try self.view.attempt { database in
      var running: Set<Int64> = []
      try EngineStatement(
        database, "SELECT record FROM record_label WHERE account = ? AND kind = 11 AND label = ? AND is_deleted = 0"
      ).forEach([.integer(account), .text(RecordTraits.running)]) { running.insert($0.integer(0)) }
      try EngineStatement(
        database,
        """
        SELECT record.owner, record.at, record.duration, record.emotion, record.they_called, record.id FROM \(table)
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(time) DESC
        """
      ).forEach(values) { row in
        let emotion = Int(row.integer(3))
        each(
          CallFact(
            person: row.integer(0), calledAt: row.integer(1), minutes: Int(row.integer(2)),
            emotion: RecordTraits.emotions.indices.contains(emotion - 1) ? RecordTraits.emotions[emotion - 1] : "",
            theyCalled: row.integer(4) != 0, isRunning: running.contains(row.integer(5))))
      }
    }
  }

  /// Ids and names of people by their rows.
  public func people(_ rows: some Sequence<Int64>) throws(Failure) -> [Int64: PersonName] {
    let list = ColumnValues.array(Array(rows))
    return try self.view.attempt { database in
      var people: [Int64: PersonName] = [:]
      try EngineStatement(
        database, "SELECT id, uuid, name FROM record WHERE id IN (SELECT value FROM json_each(?)) AND kind = 1"
      ).forEach([.text(list)]) { people[$0.integer(0)] = PersonName(id: $0.text(1), name: $0.text(2)) }
      return people
    }
  }
}
