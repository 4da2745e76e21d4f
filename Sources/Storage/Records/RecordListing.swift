internal import Bus
internal import GRDB
internal import KithMessages

/// One statement that finds a page's places: its text and what it is asked with.
///
/// Each kind is one walk through an index that has the order of the list, from where the last page ended. Which index that is
/// follows from what restricts the list most; what else restricts it is checked at each step of the walk.
struct RecordListing {
  /// The index that the query walks.
  private enum Walk {
    case person, label, state, emotion, all
  }

  /// The place of a record in its list.
  struct Place {
    let row: Int64
    let cursor: PageCursor
  }

  private(set) var sql = ""
  /// The values of the statement's parameters; it need not name all of them.
  private(set) var values: [String: EngineValue]
  private let query: RecordQuery
  private let labels: [String]
  private let walk: Walk
  private let start: Start?
  private let hiddenFlags: Int

  /// Makes the statement.
  ///
  /// - Parameters:
  ///   - limit: Places to find.
  ///   - person: The row of the query's person.
  /// - Throws: `FIELD_INVALID` for the cursor or the feeling.
  init(
    of kinds: [RecordKind], _ query: RecordQuery, account: Int64, person: Int64?, limit: Int
  ) throws(Failure) {
    self.query = query
    self.labels =
      [query.tag, query.channel].compactMap { $0.map(RecordTraits.key) }
      + (query.isRunning ? [RecordTraits.running] : [])
    self.start = query.cursor.isEmpty ? nil : try Start(query.cursor, isNamed: kinds.first?.isNamed ?? false)
    self.hiddenFlags = (query.includesArchived ? 0 : 1) | (query.includesPartial ? 0 : 2)
    let emotion = query.emotion.map(RecordTraits.number(ofEmotion:))
    if emotion == 0 {
      throw .invalid(field: "emotion", "is none of \(RecordTraits.emotions.joined(separator: ", ")).")
    }
    if person != nil {
      self.walk = .person
    } else if !self.labels.isEmpty {
      self.walk = .label
    } else if query.syncState != nil, query.syncState != .synced {
      self.walk = .state
    } else {
      self.walk = emotion == nil ? .all : .emotion
    }
    self.values = ["limit": .integer(Int64(limit)), "account": .integer(account)]
    if let person { self.values["person"] = .integer(person) }
    if let emotion { self.values["emotion"] = .integer(emotion) }
    if let state = query.syncState { self.values["state"] = .integer(Int64(state.rawValue)) }
    for (index, label) in self.labels.enumerated() { self.values["label\(index)"] = .text(label) }
    let states = query.includesDeleted ? [false, true] : [false]
    let selections = kinds.flatMap { kind in states.map { self.selection(of: kind, isDeleted: $0) } }
    guard selections.count > 1 else {
      self.sql = selections.first ?? ""
      return
    }
    let order = kinds.first?.isNamed == true ? "key, row" : "rank DESC, at DESC, row DESC"
    self.sql =
      selections.map { "SELECT * FROM (\($0))" }.joined(separator: " UNION ALL ") + " ORDER BY \(order) LIMIT :limit"
  }

  /// Reads a row of the statement.
  static func place(of row: EngineRow, isNamed: Bool) -> Place {
    let id = row.integer(3)
    let key = isNamed ? row.text(0) : "\(row.integer(1)):\(row.integer(2))"
    return Place(row: id, cursor: PageCursor(key: key, row: id))
  }

  private mutating func selection(of kind: RecordKind, isDeleted: Bool) -> String {
    let id = self.walk == .person || self.walk == .label ? "place.record" : "place.id"
    var conditions = self.start(of: kind, isDeleted: isDeleted)
    let restrictions = self.restrictions(of: kind, isDeleted: isDeleted, id: id)
    conditions += restrictions
    let order: String
    if kind.isNamed {
      conditions += self.beginning(ofNamed: id)
      order = self.walk == .label ? "place.sort_key, place.at, \(id)" : "place.sort_key, \(id)"
    } else {
      conditions += self.beginning(of: kind, id)
      order = (kind == .task ? "place.rank DESC, " : "") + "place.at DESC, \(id) DESC"
    }
    let table: String
    switch self.walk {
    case .person: table = "record_person"
    case .label: table = "record_label"
    case .state, .emotion, .all: table = "record"
    }
    // CROSS JOIN: the walk comes first (https://www.sqlite.org/optoverview.html#crossjoin).
    let joined = id == "place.record" && restrictions.contains { $0.contains("record.") }
    return """
      SELECT \(kind.isNamed ? "place.sort_key" : "''") AS key, \(kind == .task ? "place.rank" : "0") AS rank, \
      place.at AS at, \(id) AS row FROM \(table) AS place\(joined ? " CROSS JOIN record ON record.id = place.record" : "")
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT :limit
      """
  }

  /// The conditions on the first columns of that index.
  private func start(of kind: RecordKind, isDeleted: Bool) -> [String] {
    let isInList = kind.isNamed ? "place.sort_key IS NOT NULL" : "place.sort_key IS NULL"
    let deletion = "place.deleted_at IS \(isDeleted ? "NOT NULL" : "NULL")"
    let ranks = kind == .task || kind.isNamed ? [] : ["place.rank = 0"]
    return switch self.walk {
    case .person:
      ["place.person = :person", "place.kind = \(kind.rawValue)", "place.is_deleted = \(isDeleted ? 1 : 0)"] + ranks
    case .label:
      [
        "place.account = :account", "place.kind = \(kind.rawValue)", "place.label = :label0",
        "place.is_deleted = \(isDeleted ? 1 : 0)",
      ] + (kind.isNamed ? [] : ["place.sort_key = ''"])
    case .state:
      [
        "place.account = :account", "place.state = :state", "place.state <> 0", "place.kind = \(kind.rawValue)",
        deletion,
      ] + ranks
    case .emotion:
      [
        "place.account = :account", "place.kind = \(kind.rawValue)", "place.emotion = :emotion", "place.emotion <> 0",
        deletion,
      ] + ranks
    case .all: ["place.account = :account", "place.kind = \(kind.rawValue)", isInList, deletion] + ranks
    }
  }

  /// The other conditions, checked for each row.
  private func restrictions(of kind: RecordKind, isDeleted: Bool, id: String) -> [String] {
    let record = id == "place.record" ? "record" : "place"
    var conditions: [String] = []
    if self.walk != .emotion, self.query.emotion != nil { conditions.append("\(record).emotion = :emotion") }
    if self.walk != .state, self.query.syncState != nil { conditions.append("\(record).state = :state") }
    if kind == .person, self.hiddenFlags != 0 { conditions.append("\(record).rank & \(self.hiddenFlags) = 0") }
    for index in self.labels.indices where self.walk != .label || index > 0 {
      conditions.append(
        """
        EXISTS (SELECT 1 FROM record_label AS label WHERE label.account = :account AND label.kind = \(kind.rawValue)
          AND label.label = :label\(index) AND label.is_deleted = \(isDeleted ? 1 : 0) AND label.sort_key = ''
          AND label.at = place.at AND label.record = \(id))
        """)
    }
    return conditions
  }

  private mutating func beginning(ofNamed id: String) -> [String] {
    guard case .name(let key, let row)? = self.start else { return [] }
    (self.values["key"], self.values["row"]) = (.text(key), .integer(row))
    return [
      self.walk == .label
        ? "(place.sort_key, place.at, \(id)) > (:key, 0, :row)" : "(place.sort_key, \(id)) > (:key, :row)"
    ]
  }

  private mutating func beginning(of kind: RecordKind, _ id: String) -> [String] {
    var conditions: [String] = []
    if let from = self.query.from {
      self.values["from"] = .integer(from)
      conditions.append("place.at >= :from")
    }
    if case .time(let rank, let at, let row)? = self.start, kind == .task || rank == 0 {
      (self.values["at"], self.values["row"]) = (.integer(at), .integer(row))
      if kind == .task {
        self.values["rank"] = .integer(rank)
        conditions.append("(place.rank, place.at, \(id)) < (:rank, :at, :row)")
      } else {
        // The end of the range is behind the walk already: a second upper bound could be the one that the index is asked for.
        return conditions + ["(place.at, \(id)) < (:at, :row)"]
      }
    }
    if let to = self.query.to {
      self.values["to"] = .integer(to)
      conditions.append("place.at < :to")
    }
    return conditions
  }
}

/// Where the last page ended.
private enum Start {
  case name(key: String, row: Int64)
  case time(rank: Int64, at: Int64, row: Int64)

  init(_ text: String, isNamed: Bool) throws(Failure) {
    let cursor = try PageCursor(text: text)
    guard !isNamed else {
      self = .name(key: cursor.key, row: cursor.row)
      return
    }
    let parts = cursor.key.split(separator: ":")
    guard parts.count == 2, let rank = Int64(parts[0]), let at = Int64(parts[1]) else {
      throw .invalid(field: "cursor", "is not the next_cursor of an earlier page. Begin again without one.")
    }
    self = .time(rank: rank, at: at, row: cursor.row)
  }
}
