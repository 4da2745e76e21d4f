internal import GRDB
internal import KithMessages

/// Changes a record together with its children and its row in the outbox.
struct RecordKeeper {
  let database: Database

  private var writer: RecordWriter { RecordWriter(database: self.database) }
  private var outbox: OutboxRows { OutboxRows(database: self.database) }

  /// Updates the record's row in the outbox and its sync state after a change.
  ///
  /// - Parameter isCovered: Whether the change of another record also tells the server of this one.
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

  /// Soft-deletes a record and its children.
  ///
  /// - Returns: The deleted records.
  func delete(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    let others = try self.recordsThatGo(with: old)
    for known in [old] + others {
      let isLost = try self.isLost(known)
      let deleted = try self.softDelete(known, now: now)
      if isLost {
        // Deleted on both sides, which is no conflict.
        var settled = deleted
        settled.leaveServer()
        settled.isDeletedThere = true
        settled.base = nil
        try self.settleDeleted(settled, over: deleted)
      } else {
        let isCovered = known.row != old.row && known.kind.goesWithPersonOnServer
        try self.requeue(deleted, now: now, isCovered: isCovered)
      }
    }
    return [old] + others
  }

  /// Undeletes a record and the children that were deleted with it.
  ///
  /// - Returns: The undeleted records.
  func restore(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    let others = old.kind == .person ? try self.recordsThatWent(with: old) : []
    var changed = [try self.undelete(old, now: now)]
    for other in others {
      if other.kind == .relationship, let grave = try self.deletion(ofPeople: other.content.people) {
        // It is undeleted together with the other one.
        var moved = other
        moved.deletedAt = grave
        try self.writer.save(moved, over: other)
      } else {
        changed.append(try self.undelete(other, now: now))
      }
    }
    return changed
  }

  /// Stores that the server has deleted a record with its children. Those that are not deleted here will be created again, which
  /// ends their conflicts; but for those of both sides: what was written on the server is nowhere else any more. Of a deleted record that
  /// conflict rests until the record is undeleted.
  ///
  /// - Returns: The record and its children.
  func forgetServer(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    let others =
      old.kind == .person
      ? try self.records(of: old.row).filter { $0.kind.goesWithPersonOnServer && $0.isDeleted == old.isDeleted } : []
    return try ([old] + others).map { known in
      var record = known
      record.leaveServer()
      if known.state == .conflict, try !self.isLost(known) {
        if known.isDeleted {
          record.state = .synced
          try self.outbox.remove(known.row, conflictRests: true)
        }
        try self.writer.save(record, over: known)
        return record
      }
      record.base = nil
      if record.state != .syncing || known.row == old.row { record.state = .pending }
      try self.writer.save(record, over: known)
      if known.row == old.row || known.state == .conflict { try self.outbox.remove(known.row) }
      try self.requeue(record, now: now)
      return record
    }
  }

  /// Soft-deletes a record that the server has deleted, which ends the conflicts of all records that go with it. Nothing is queued.
  ///
  /// - Returns: The deleted records.
  func deleteAsServer(_ old: StoredRecord, now: Int64) throws -> [StoredRecord] {
    try ([old] + (try self.recordsThatGo(with: old))).map { known in
      var record = known
      // While it is live: nobody has deleted it here, so that it is taken if the server has it again.
      record.leaveServer()
      record.base = nil
      record.deletedAt = now
      record.updatedAt = now
      if known.row == old.row || known.state == .conflict { return try self.settleDeleted(record, over: known) }
      try self.writer.save(record, over: known)
      try self.requeue(record, now: now)
      return record
    }
  }

  /// Stores a record that is deleted on both sides.
  @discardableResult
  private func settleDeleted(_ record: StoredRecord, over old: StoredRecord) throws -> StoredRecord {
    var record = record
    record.state = .synced
    try self.writer.save(record, over: old)
    try self.outbox.remove(record.row)
    return record
  }

  /// Whether something waits, of the record or of one that would go with it: for the server, or for a person's decision.
  func isUnsettled(_ record: StoredRecord) throws -> Bool {
    // What is kept here alone waits too: the server's deletion of a person would take it along.
    try ([record] + self.recordsThatGo(with: record)).contains { $0.state != .synced }
  }

  /// Whether a deletion would lose what the server has never had: of the record, or of one of this person, those of others too included.
  func isChangedHere(_ record: StoredRecord) throws -> Bool {
    let others = record.kind == .person ? try self.records(of: record.row).filter { !$0.isDeleted } : []
    return try ([record] + others).contains { record in
      switch record.state {
      case .synced: false
      case .conflict: try !record.isSameAsBase || !self.isLost(record)
      case .pending, .syncing, .failed, .here: true
      }
    }
  }

  /// Whether it is in conflict because the server does not have it any more.
  func isLost(_ record: StoredRecord) throws -> Bool { try record.state == .conflict && self.isLost(record.row) }

  /// Whether it belongs to a person that is lost: the decision on the person is also one on this record.
  func isOfLostPerson(_ record: StoredRecord) throws -> Bool {
    try self.people(of: record).contains { try self.isLost($0.row) }
  }

  /// Whether it belongs to a person whose id the server has given to another person.
  func isOfPartedPerson(_ record: StoredRecord) throws -> Bool {
    try self.database.first(
      """
      SELECT 1 FROM record_person CROSS JOIN record AS person ON person.id = record_person.person
        CROSS JOIN conflict ON conflict.record = person.id
      WHERE record_person.record = ? AND person.monica_id IS NULL AND conflict.server IS NULL
      """, .integer(record.row)
    ) { _ in true } ?? false
  }

  /// When the first change of its people that waits or is in flight was queued, in nanoseconds since 1970; nil if none is.
  func changeOfPerson(of record: StoredRecord) throws -> Int64? {
    let changed = try self.people(of: record).filter {
      $0.deletedAt == nil && [.pending, .syncing].contains($0.state)
    }
    return try changed.compactMap { person in
      try self.database.first("SELECT queued_at FROM outbox WHERE record = ?", .integer(person.row)) { $0.integer(0) }
    }.min()
  }

  private func hasConflict(_ row: Int64) throws -> Bool {
    try self.database.first("SELECT 1 FROM conflict WHERE record = ?", .integer(row)) { _ in true } ?? false
  }

  private func isLost(_ row: Int64) throws -> Bool {
    try self.database.first("SELECT 1 FROM conflict WHERE record = ? AND server IS NULL", .integer(row)) { _ in true }
      ?? false
  }

  /// The live records that belong to this person alone; empty for other kinds.
  func recordsThatGo(with person: StoredRecord) throws -> [StoredRecord] {
    guard person.kind == .person else { return [] }
    return try self.records(of: person.row).filter { record in
      guard !record.isDeleted else { return false }
      guard record.kind == .activity else { return true }
      return try self.livePeople(of: record).allSatisfy { $0 == person.row }
    }
  }

  /// The records of a person that were deleted together with one of their people.
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

  private func people(
    of record: StoredRecord
  ) throws -> [(row: Int64, deletedAt: Int64?, state: RecordState?)] {
    try self.database.all(
      """
      SELECT record.id, record.deleted_at, record.state FROM record_person
        JOIN record ON record.id = record_person.person
      WHERE record_person.record = ?
      """, .integer(record.row)
    ) { ($0.integer(0), $0.isNull(1) ? nil : $0.integer(1), RecordState(rawValue: Int($0.integer(2)))) }
  }

  /// Whether the people that a record needs are deleted.
  func hasNobody(_ record: StoredRecord) throws -> Bool {
    let people = try self.people(of: record)
    let live = people.count { $0.deletedAt == nil }
    return record.kind == .activity ? live == 0 && !people.isEmpty : live < people.count
  }

  private func livePeople(of record: StoredRecord) throws -> [Int64] {
    try self.people(of: record).filter { $0.deletedAt == nil }.map(\.row)
  }

  /// The earliest deletion among people; nil if none is deleted.
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
    // The server has lost it: it is deleted on both sides.
    if !record.isOnServer, record.left != nil { record.isDeletedThere = true }
    try self.writer.save(record, over: old)
    return record
  }

  private func undelete(_ old: StoredRecord, now: Int64) throws -> StoredRecord {
    var record = old
    record.deletedAt = nil
    record.isDeletedThere = false
    record.updatedAt = now
    if try self.hasConflict(old.row) { record.state = .conflict }
    try self.writer.save(record, over: old)
    try self.requeue(record, now: now)
    return record
  }
}

extension StoredRecord {
  /// Whether it is a call whose timer runs; it is sent when the call ends.
  var isRunning: Bool {
    guard case .call(let call) = self.content else { return false }
    return call.isRunning
  }
}

/// The operation that a stored record needs on the server: one rule for edits, deletions and undeletions.
struct OutboxDemand: Equatable {
  /// nil if the server is up to date.
  let operation: OutboxOperation?
  /// The sync state of the record.
  let state: RecordState

  /// Decides from the stored record.
  ///
  /// - Parameters:
  ///   - isOnServer: Whether the server has it, under a known id.
  ///   - isSame: Whether the server has the same content.
  ///   - mayHaveArrived: Whether a change is in flight, or an earlier attempt may have arrived.
  ///   - state: The state until now. A change in flight continues, and a conflict stays until a person decides.
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
    case .synced, .pending, .failed, .here:
      self.operation = needed
      self.state = needed == nil ? .synced : .pending
    }
  }
}
