public import Bus
internal import GRDB
public import KithMessages

extension DatabaseView {
  /// The ids of all that has one.
  public var ids: IDTable<Self> { IDTable(view: self) }
}

/// The ids of all kinds as people type them: by a few characters of their end or beginning.
///
/// The ends are shown, because ids that were made in the same minute begin alike.
public struct IDTable<View: DatabaseView> {
  private static var mostFound: Int { 20 }
  private static var leastCharacters: Int { 4 }
  private static var mostShortened: Int { 1000 }

  let view: View

  /// The ids of a kind that end with a piece, those that begin with it where none ends so, or the last one.
  ///
  /// Ends come first, because they are shown: one can be spelt as the beginning that all ids of these weeks have.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for an unknown kind, or a piece of less than four characters.
  public func find(_ request: FindIdsRequest) throws(Failure) -> FindIdsReply {
    guard let kind = Kind(request.kind) else {
      throw .invalid(field: "kind", "must be one of \(Kind.names.joined(separator: ", ")).")
    }
    let piece = request.piece.lowercased()
    guard piece.isEmpty || piece.count >= Self.leastCharacters else {
      throw .invalid(field: "piece", "needs at least \(Self.leastCharacters) characters of the id.")
    }
    let found = try self.view.attempt { database in
      guard !piece.isEmpty else { return try kind.last(isDeleted: request.deleted, in: database).map { [$0] } ?? [] }
      let ends = try kind.ids(where: "substr(uuid, -length(?1))", piece, most: Self.mostFound + 1, in: database)
      guard ends.isEmpty else { return ends }
      return try kind.ids(where: "substr(uuid, 1, length(?1))", piece, most: Self.mostFound + 1, in: database)
    }
    var reply = FindIdsReply()
    reply.ids = Array(found.prefix(Self.mostFound))
    reply.more = found.count > Self.mostFound
    return reply
  }

  /// The shortest end of each id that no other id of any kind has.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for more than a thousand ids.
  public func shorten(_ request: ShortenIdsRequest) throws(Failure) -> ShortenIdsReply {
    guard request.ids.count <= Self.mostShortened else {
      throw .invalid(field: "ids", "has \(request.ids.count) ids; name \(Self.mostShortened) at most.")
    }
    let tables = Kind.tables.map { "SELECT uuid FROM \($0)" }.joined(separator: " UNION ALL ")
    let all = try self.view.attempt { try $0.all(tables) { $0.text(0) } }
    var reply = ShortenIdsReply()
    reply.ends = ShortEnds(of: all, atLeast: Self.leastCharacters).ends(of: request.ids)
    return reply
  }
}

/// What has ids: a kind of record, or rows of a table of their own.
private struct Kind {
  private static let others = [
    "care": "care_record", "contact": "contact", "reminder": "reminder", "delivery": "delivery", "job": "job",
    "plan": "plan_item", "dose": "dose", "measurement": "measurement",
  ]

  /// The table of all kinds of records.
  private static let record = "record"
  /// Records of the kind `reminder`; the other reminders have a table of their own.
  private static let personReminder = "person_reminder"
  private static let isOfAccount = "account = (SELECT id FROM monica_account WHERE is_current)"

  static var names: [String] { Self.others.keys.sorted() + [Self.record] + RecordKind.allCases.map(Self.name(of:)) }
  static var tables: [String] { Self.others.values.sorted() + [Self.record] }

  let table: String
  /// Which rows of the table are of the kind.
  let condition: String

  init?(_ name: String) {
    if let table = Self.others[name] {
      (self.table, self.condition) = (table, "TRUE")
    } else if name == Self.record {
      (self.table, self.condition) = (name, Self.isOfAccount)
    } else if let kind = RecordKind.allCases.first(where: { Self.name(of: $0) == name }) {
      (self.table, self.condition) = (Self.record, "kind = \(kind.rawValue) AND \(Self.isOfAccount)")
    } else {
      return nil
    }
  }

  private static func name(of kind: RecordKind) -> String { kind == .reminder ? Self.personReminder : kind.name }

  /// The ids of which a part is a piece, the newest first.
  func ids(where part: String, _ piece: String, most: Int, in database: Database) throws -> [String] {
    try database.all(
      "SELECT uuid FROM \(self.table) WHERE \(self.condition) AND \(part) = ?1 ORDER BY id DESC LIMIT \(most)",
      .text(piece)
    ) { $0.text(0) }
  }

  /// The id of the row that was made last, or deleted last; nil without one.
  func last(isDeleted: Bool, in database: Database) throws -> String? {
    guard ["care_record", "contact", "dose", "measurement", Self.record].contains(self.table) else {
      return isDeleted
        ? nil : try database.first("SELECT uuid FROM \(self.table) ORDER BY id DESC LIMIT 1") { $0.text(0) }
    }
    let order = isDeleted ? "deleted_at IS NOT NULL ORDER BY deleted_at DESC" : "deleted_at IS NULL ORDER BY id DESC"
    return try database.first("SELECT uuid FROM \(self.table) WHERE \(self.condition) AND \(order) LIMIT 1") {
      $0.text(0)
    }
  }
}

/// The shortest ends by which texts are told apart.
///
/// ```swift
/// ShortEnds(of: ["0197-9d10", "0198-9d10"], atLeast: 4).ends(of: ["0198-9d10"])  // ["8-9d10"]
/// ```
struct ShortEnds {
  /// All texts, from the last character to the first, in order: the most similar ends are neighbours.
  private let backwards: [[UInt8]]
  private let least: Int

  init(of texts: [String], atLeast least: Int) {
    self.backwards = texts.map { $0.utf8.reversed() }.sorted { $0.lexicographicallyPrecedes($1) }
    self.least = least
  }

  /// The end of each text; of one that is not among all, the whole.
  func ends(of texts: [String]) -> [String] { texts.map(self.end) }

  private func end(of text: String) -> String {
    let wanted = Array(text.utf8.reversed())
    var (low, high) = (0, self.backwards.count)
    while low < high {
      let middle = (low + high) / 2
      if self.backwards[middle].lexicographicallyPrecedes(wanted) { low = middle + 1 } else { high = middle }
    }
    guard low < self.backwards.count, self.backwards[low] == wanted else { return text }
    let neighbours = [low - 1, low + 1].filter(self.backwards.indices.contains)
    let shared = neighbours.map { index in zip(self.backwards[index], wanted).prefix { $0 == $1 }.count }.max() ?? 0
    return String(text.suffix(max(self.least, shared + 1)))
  }
}
