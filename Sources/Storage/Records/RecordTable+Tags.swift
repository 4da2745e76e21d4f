public import Bus
public import KithMessages

extension RecordTable {
  /// The tag of a name; nil when there is none. Case and accents make no difference.
  public func tag(named name: String) throws(Failure) -> Tag? {
    let account = try self.account
    let row = try self.view.attempt { database in
      try EngineStatement(
        database, "SELECT id FROM record WHERE account = ? AND kind = ? AND sort_key = ? AND deleted_at IS NULL"
      ).first([
        .integer(account), .integer(Int64(RecordKind.tag.rawValue)), .text(RecordTraits.key(name)),
      ]) { $0.integer(0) }
    }
    return try row.flatMap { row throws(Failure) in try self.load([row]).first }.flatMap { Tag($0) }
  }
}

extension RecordTable where View == Transaction {
  /// Renames a tag in everybody who carries it, or takes it from them.
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
      var rows: [Int64] = []
      try EngineStatement(database, "SELECT record FROM record_label WHERE account = ? AND kind = ? AND label = ?")
        .forEach([.integer(account), .integer(Int64(RecordKind.person.rawValue)), .text(key)]) {
          rows.append($0.integer(0))
        }
      let writer = RecordWriter(database: database)
      return try writer.read(rows).map { old in
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

  private static func retagged(_ record: AnyRecord, _ key: String, as other: String?) -> AnyRecord {
    guard case .person(var person) = record else { return record }
    var seen: Set<String> = []
    person.tags = person.tags.compactMap { RecordTraits.key($0) == key ? other : $0 }
      .filter { seen.insert(RecordTraits.key($0)).inserted }
    return person.any
  }
}
