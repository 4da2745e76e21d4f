public import Bus
internal import GRDB
public import KithMessages

extension RecordTable {
  /// The tag of a name; nil when there is none. Case and accents make no difference. Where the server has several of the name,
  /// the one with its lowest id.
  public func tag(named name: String) throws(Failure) -> Tag? {
    let account = try self.account
    let row = try self.view.attempt { database in
      try database.first(
        """
        SELECT id FROM record WHERE account = ? AND kind = ? AND sort_key = ? AND deleted_at IS NULL
        ORDER BY monica_id IS NULL, monica_id LIMIT 1
        """, .integer(account), .integer(Int64(RecordKind.tag.rawValue)), .text(RecordTraits.key(name))
      ) { $0.integer(0) }
    }
    return try row.flatMap { row throws(Failure) in try self.load([row]).first }.flatMap { Tag($0) }
  }
}

extension RecordTable where View == Transaction {
  /// Renames a tag in everybody who carries it, or takes it from them; see also ``untag(_:now:)``.
  ///
  /// The server does the same when it is told of the tag, so nobody's record waits for it because of this.
  ///
  /// - Parameters:
  ///   - name: Case and accents make no difference.
  ///   - other: The new name; nil = none.
  public func retag(_ name: String, as other: String?, now: Int64) throws(Failure) {
    let account = try self.account
    let key = RecordTraits.key(name)
    let changed = try self.view.attempt { database in
      let writer = RecordWriter(database: database)
      return try writer.read(self.carriers(of: key, account, database)).map { old in
        var new = old
        new.content = Self.retagged(old.content, key, as: other)
        new.base = old.base.map { Self.retagged($0, key, as: other) }
        new.updatedAt = now
        try writer.save(new, over: old)
        return new
      }
    }
    self.tell(changed)
  }

  /// Takes a tag that was deleted from everybody who carries it; or from nobody, where the server has another one of its name.
  ///
  /// Who carries which of the two is not known here, and the server takes the one that was deleted. So everybody who carries the name is
  /// sent again, behind the deletion: each person who lost the tag gets the other one.
  public func untag(_ name: String, now: Int64) throws(Failure) {
    guard try self.tag(named: name) != nil else { return try self.retag(name, as: nil, now: now) }
    let account = try self.account
    let key = RecordTraits.key(name)
    let changed = try self.view.attempt { database in
      let writer = RecordWriter(database: database)
      return try writer.read(self.carriers(of: key, account, database)).filter { !$0.isDeleted }.map { old in
        var new = old
        new.base = old.base.map { Self.retagged($0, key, as: nil) }
        try writer.save(new, over: old)
        try RecordKeeper(database: database).requeue(new, now: now)
        return new
      }
    }
    self.tell(changed)
  }

  /// The rows of the people who carry a tag.
  private func carriers(of key: String, _ account: Int64, _ database: Database) throws -> [Int64] {
    var rows: [Int64] = []
    try EngineStatement(database, "SELECT record FROM record_label WHERE account = ? AND kind = ? AND label = ?")
      .forEach([.integer(account), .integer(Int64(RecordKind.person.rawValue)), .text(key)]) {
        rows.append($0.integer(0))
      }
    return rows
  }

  private static func retagged(_ record: AnyRecord, _ key: String, as other: String?) -> AnyRecord {
    guard case .person(var person) = record else { return record }
    var seen: Set<String> = []
    person.tags = person.tags.compactMap { RecordTraits.key($0) == key ? other : $0 }
      .filter { seen.insert(RecordTraits.key($0)).inserted }
    return person.any
  }
}
