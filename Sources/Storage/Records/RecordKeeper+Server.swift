internal import GRDB
internal import KithMessages

/// Changes a record whose version on the server differs.
extension RecordKeeper {
  /// Stores a conflict with both versions of a record.
  ///
  /// - Parameter server: The server's version; nil if the server has deleted it. An open conflict keeps the version that it has then, because
  ///   nobody else has that any more; but of a person, where it would hide that the server lacks the person with all that is the person's.
  func conflict(_ old: StoredRecord, server: AnyRecord?, stamp: Int64?, now: Int64) throws {
    if try OutboxRows(database: self.database).find(old.row) == nil {
      try OutboxRows(database: self.database).queue(.update, of: old, next: nil, now: now)
    }
    try OutboxRows(database: self.database).settle(old.row)
    try self.database.run(
      """
      INSERT INTO conflict (record, account, found_at, server) VALUES (?, ?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET found_at = excluded.found_at,
        server = coalesce(excluded.server, \(old.kind == .person ? "NULL" : "server"))
      """, .integer(old.row), .integer(old.account), .integer(now), try server.map { .blob(try $0.body) } ?? .null)
    if let stamp {
      try self.database.run("UPDATE record SET remote_stamp = ? WHERE id = ?", .integer(stamp), .integer(old.row))
    }
    try self.setState(.conflict, of: old.row)
  }

  /// Unites a record with another one that has its server id: the answer to its creation was lost, and a pull has stored it as a
  /// new record. Later changes of the other one are kept.
  ///
  /// - Returns: The other record, which is erased; nil if there was none.
  func unify(_ record: inout StoredRecord) throws -> StoredRecord? {
    let other = try self.database.first(
      "SELECT id FROM record WHERE account = ? AND kind = ? AND monica_id = ? AND id <> ?", .integer(record.account),
      .integer(Int64(record.kind.rawValue)), .integer(Int64(bitPattern: record.monicaID)), .integer(record.row)
    ) { $0.integer(0) }
    let writer = RecordWriter(database: self.database)
    guard record.isOnServer, let other, let twin = try writer.read(other) else { return nil }
    if twin.state != .synced, !twin.isDeleted {
      record.content = twin.content.keepingOwner(of: record.content)
      record.base = twin.base
    }
    if twin.kind == .person {
      for theirs in try self.records(of: twin.row) {
        var moved = theirs
        moved.content = theirs.content.replacing(person: twin.id, with: record.id)
        moved.base = theirs.base?.replacing(person: twin.id, with: record.id)
        try writer.save(moved, over: theirs)
      }
      try self.database.run(
        "UPDATE OR IGNORE person_link SET person = ? WHERE person = ?", .integer(record.row), .integer(twin.row))
    }
    try writer.erase([twin.row])
    return twin
  }

  /// Ends a conflict. A record that was deleted with its person stays deleted as long as the person is.
  ///
  /// - Parameters:
  ///   - server: The server's version; nil if the server has deleted it.
  ///   - body: The new content; nil deletes the record.
  /// - Returns: The changed records.
  func settle(
    _ old: StoredRecord, server: AnyRecord?, as body: AnyRecord?, now: Int64
  ) throws -> [StoredRecord] {
    let writer = RecordWriter(database: self.database)
    let body = try old.isDeleted && self.hasNobody(old) ? nil : body
    try self.database.run("DELETE FROM conflict WHERE record = ?", .integer(old.row))
    var new = old
    new.state = .pending
    // A record without an id is created on the server, and a new record has no common version.
    new.base = old.isOnServer || body == nil ? server : nil
    if let body {
      new.content = body.takingReadings(of: server ?? old.content, now: now).keepingOwner(of: old.content)
    }
    try writer.save(new, over: old)
    guard body != nil else {
      if old.isDeleted {
        if server == nil { return try self.forgetServer(new, now: now) }
        try self.requeue(new, now: now)
        return [new]
      }
      return server == nil ? try self.deleteAsServer(new, now: now) : try self.delete(new, now: now)
    }
    var changed = [new]
    if old.isDeleted { changed = try self.restore(new, now: now) } else { try self.requeue(new, now: now) }
    guard server == nil, let live = try writer.read(old.row) else { return changed }
    return try self.forgetServer(live, now: now)
  }

  /// Discards the queued change: the record gets the server's version, or is deleted if the server never had it.
  ///
  /// - Returns: The changed records.
  func giveUp(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    if old.state == .conflict {
      let server = try self.database.first("SELECT server FROM conflict WHERE record = ?", .integer(old.row)) {
        $0.isNull(0) ? nil : $0.blob(0)
      }
      let content = try server.flatMap { $0 }.map {
        try StoredRecord.content(old.kind, $0, owner: old.content.record.personID)
      }
      return try self.settle(old, server: content, as: content, now: now)
    }
    try OutboxRows(database: self.database).settle(old.row)
    guard old.isOnServer, let base = old.base else {
      return old.isDeleted ? try self.forgetServer(old, now: now) : try self.deleteAsServer(old, now: now)
    }
    var new = old
    new.state = .pending
    new.content = base
    new.updatedAt = now
    try RecordWriter(database: self.database).save(new, over: old)
    if old.isDeleted { return try self.restore(new, now: now) }
    try self.requeue(new, now: now)
    return [new]
  }
}
