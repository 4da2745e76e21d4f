internal import GRDB
internal import KithMessages

/// What becomes of a record and of those that go with it, and of its row in the outbox.
struct RecordKeeper {
  let database: Database

  private var writer: RecordWriter { RecordWriter(database: self.database) }
  private var outbox: OutboxRows { OutboxRows(database: self.database) }

  /// Puts the record's row of the outbox in step with what is stored, and gives the record the state that follows.
  ///
  /// - Parameter isCovered: Whether the server is told by what it is told of another record.
  func requeue(_ record: StoredRecord, now: Int64, isCovered: Bool = false) throws {
    let waiting = try self.outbox.find(record.row)
    let demand = OutboxDemand(
      isDeleted: record.isDeleted, isOnServer: record.isOnServer && !isCovered, isSame: record.isSameAsBase,
      mayHaveArrived: waiting?.sent != nil, state: record.state)
    if let operation = demand.operation {
      try self.outbox.queue(operation, of: record, next: record.isRunning ? nil : now, now: now)
    } else {
      try self.outbox.remove(record.row)
    }
    try self.setState(demand.state, of: record.row)
  }

  func setState(_ state: RecordState, of row: Int64) throws {
    try self.database.run("UPDATE record SET state = ? WHERE id = ?", .integer(Int64(state.rawValue)), .integer(row))
  }

  /// Deletes a record and what goes with it.
  ///
  /// - Returns: All that were deleted.
  func delete(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    var record = try self.softDelete(old, now: now)
    if old.state == .conflict, try self.isDeletedOnServer(old) {
      // Both sides say the same.
      record.monicaID = 0
      record.base = nil
      record.state = .synced
      try self.writer.save(record, over: try self.writer.read(old.row))
      try self.outbox.remove(old.row)
    } else {
      try self.requeue(record, now: now)
    }
    let others = try self.recordsThatGo(with: old)
    for other in others {
      let deleted = try self.softDelete(other, now: now)
      try self.requeue(deleted, now: now, isCovered: other.kind.goesWithPersonOnServer)
    }
    return [old] + others
  }

  /// Takes a deletion back, and that of what went with it.
  ///
  /// - Returns: All that came back.
  func restore(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    let others = old.kind == .person ? try self.recordsThatWent(with: old) : []
    var changed = [try self.undelete(old, now: now)]
    for other in others {
      if other.kind == .relationship, let grave = try self.deletion(ofPeople: other.content.people) {
        // It comes back with the other one.
        var moved = other
        moved.deletedAt = grave
        try self.writer.save(moved, over: other)
      } else {
        changed.append(try self.undelete(other, now: now))
      }
    }
    return changed
  }

  /// Notes that the server has deleted a record and what it deletes with it. Where they live here they are to be made again, and
  /// what was in conflict of them is settled by that.
  ///
  /// - Returns: All that this is said of.
  func forgetServer(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    let others =
      old.kind == .person
      ? try self.records(of: old.row).filter { $0.kind.goesWithPersonOnServer && $0.isDeleted == old.isDeleted } : []
    return try ([old] + others).map { known in
      var record = known
      record.monicaID = 0
      record.base = nil
      record.remoteStamp = nil
      if record.state != .syncing || known.row == old.row { record.state = .pending }
      try self.writer.save(record, over: known)
      if known.row == old.row || known.state == .conflict { try self.outbox.remove(known.row) }
      try self.requeue(record, now: now)
      return record
    }
  }

  /// Deletes here what the server has deleted. Nothing is sent.
  ///
  /// - Returns: All that were deleted.
  func deleteAsServer(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    try ([old] + (try self.recordsThatGo(with: old))).map { known in
      var record = try self.softDelete(known, now: now)
      let deleted = record
      record.monicaID = 0
      record.base = nil
      record.remoteStamp = nil
      if known.row == old.row { record.state = .synced }
      try self.writer.save(record, over: deleted)
      if known.row == old.row {
        try self.outbox.remove(known.row)
      } else {
        try self.requeue(record, now: now)
      }
      return record
    }
  }

  /// Whether somebody would lose what they wrote, were the record deleted: it or what goes with it waits for the server.
  func isChangedHere(_ record: StoredRecord) throws -> Bool {
    guard record.state == .synced else { return true }
    return try self.recordsThatGo(with: record).contains { $0.state != .synced }
  }

  /// The live records that have nobody once this one is gone; none for records that are no people.
  func recordsThatGo(with person: StoredRecord) throws -> [StoredRecord] {
    guard person.kind == .person else { return [] }
    return try self.records(of: person.row).filter { record in
      guard !record.isDeleted else { return false }
      guard record.kind == .activity else { return true }
      return try self.livePeople(of: record).allSatisfy { $0 == person.row }
    }
  }

  /// The deleted records of a person that went with one of their people.
  private func recordsThatWent(with person: StoredRecord) throws -> [StoredRecord] {
    try self.records(of: person.row).filter { record in
      guard let deletedAt = record.deletedAt else { return false }
      return try self.people(of: record).contains { $0.deletedAt == deletedAt }
    }
  }

  func records(of person: Int64) throws -> [StoredRecord] {
    var rows: [Int64] = []
    try EngineStatement(self.database, "SELECT record FROM record_person WHERE person = ?")
      .forEach([.integer(person)]) { rows.append($0.integer(0)) }
    return try self.writer.read(rows)
  }

  private func people(of record: StoredRecord) throws -> [(row: Int64, deletedAt: Int64?)] {
    var people: [(row: Int64, deletedAt: Int64?)] = []
    try EngineStatement(
      self.database,
      """
      SELECT record.id, record.deleted_at FROM record_person JOIN record ON record.id = record_person.person
      WHERE record_person.record = ?
      """
    ).forEach([.integer(record.row)]) { people.append(($0.integer(0), $0.isNull(1) ? nil : $0.integer(1))) }
    return people
  }

  /// Whether those are deleted without whom a record cannot be.
  func hasNobody(_ record: StoredRecord) throws -> Bool {
    let people = try self.people(of: record)
    let live = people.count { $0.deletedAt == nil }
    return record.kind == .activity ? live == 0 && !people.isEmpty : live < people.count
  }

  private func livePeople(of record: StoredRecord) throws -> [Int64] {
    try self.people(of: record).filter { $0.deletedAt == nil }.map(\.row)
  }

  /// When the first deleted one of people was deleted; nil when all live.
  private func deletion(ofPeople ids: [String]) throws -> Int64? {
    try self.database.first(
      """
      SELECT deleted_at FROM record
      WHERE uuid IN (SELECT value FROM json_each(?)) AND deleted_at IS NOT NULL ORDER BY deleted_at
      """, .text(ColumnValues.array(ids))
    ) { $0.integer(0) }
  }

  private func softDelete(_ old: StoredRecord, now: Int64) throws -> StoredRecord {
    var record = old
    record.deletedAt = now
    record.updatedAt = now
    try self.writer.save(record, over: old)
    return record
  }

  private func undelete(_ old: StoredRecord, now: Int64) throws -> StoredRecord {
    var record = old
    record.deletedAt = nil
    record.updatedAt = now
    try self.writer.save(record, over: old)
    try self.requeue(record, now: now)
    return record
  }

  private func isDeletedOnServer(_ record: StoredRecord) throws -> Bool {
    try self.database.first("SELECT server IS NULL FROM conflict WHERE record = ?", .integer(record.row)) {
      $0.integer(0) != 0
    } ?? false
  }
}

extension StoredRecord {
  /// Whether it is a call whose timer runs: it waits for its end.
  var isRunning: Bool {
    guard case .call(let call) = self.content else { return false }
    return call.isRunning
  }
}

/// What a record asks of the outbox, by what is stored of it: the rule of every edit, deletion and return.
struct OutboxDemand: Equatable {
  /// nil = nothing waits.
  let operation: OutboxOperation?
  /// The state of the record then.
  let state: RecordState

  /// Decides.
  ///
  /// - Parameters:
  ///   - isOnServer: Whether the server has it, under an id that is known.
  ///   - isSame: Whether the server has what it says.
  ///   - mayHaveArrived: Whether something of it is under way, or was and may have arrived.
  ///   - state: As it was. What is under way goes on, and a conflict stays until somebody settles it.
  init(isDeleted: Bool, isOnServer: Bool, isSame: Bool, mayHaveArrived: Bool, state: RecordState) {
    let needed: OutboxOperation? =
      if isDeleted {
        isOnServer || mayHaveArrived ? .delete : nil
      } else if !isOnServer {
        .create
      } else {
        isSame && !mayHaveArrived ? nil : .update
      }
    switch state {
    case .syncing, .conflict:
      self.operation = needed ?? .update
      self.state = state
    case .synced, .pending, .failed:
      self.operation = needed
      self.state = needed == nil ? .synced : .pending
    }
  }
}
