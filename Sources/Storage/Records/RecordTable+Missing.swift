public import Bus
internal import GRDB
public import KithMessages

/// A record that the server did not have when it was asked for it.
public struct MissingRecord: Sendable, Hashable {
  /// Its row.
  public let row: Int64
  /// Its kind.
  public let kind: RecordKind
  /// The server's id that it had. If it has lost that since, it is not meant any more.
  public let monicaID: UInt64

  /// Makes one; ``RecordTable/missing(_:_:)`` finds it.
  public init(row: Int64, kind: RecordKind, monicaID: UInt64) {
    self.row = row
    self.kind = kind
    self.monicaID = monicaID
  }
}

extension RecordTable {
  /// The record that the server was asked for and does not have; nil if none of the id is stored.
  ///
  /// It is to be looked up before anything else of the server is stored: the server may give the id to another record.
  public func missing(_ kind: RecordKind, _ monicaID: UInt64) throws(Failure) -> MissingRecord? {
    let account = try self.account
    return try self.view.attempt { database in
      try RemoteLookup(database: database, account: account).find(kind, monicaID).map {
        MissingRecord(row: $0.row, kind: kind, monicaID: monicaID)
      }
    }
  }

  /// The details of a person that are not in the server's complete list of them.
  func missingChildren(of person: RemoteRecord, account: Int64) throws(Failure) -> [MissingRecord] {
    var missing: [MissingRecord] = []
    for kind in RecordKind.details {
      let there = person.children.filter { $0.kind == kind }.map(\.monicaID)
      missing += try self.view.attempt { database in
        try database.all(
          """
          SELECT child.id, child.monica_id FROM record AS owner
            CROSS JOIN record_person ON record_person.person = owner.id AND record_person.kind = :kind
            CROSS JOIN record AS child ON child.id = record_person.record AND child.owner = owner.id
          WHERE owner.account = :account AND owner.kind = 1 AND owner.monica_id = :person
            AND child.monica_id IS NOT NULL AND child.monica_id NOT IN (SELECT value FROM json_each(:there))
          """,
          named: [
            "kind": .integer(Int64(kind.rawValue)), "account": .integer(account),
            "person": .integer(Int64(bitPattern: person.monicaID)),
            "there": .text(ColumnValues.array(there.map { Int64(bitPattern: $0) })),
          ]
        ) { MissingRecord(row: $0.integer(0), kind: kind, monicaID: UInt64(bitPattern: $0.integer(1))) }
      }
    }
    return missing
  }
}

extension RecordKind {
  /// What the server sends with a person and has no list of.
  public static let details: [RecordKind] = [.contactField, .address, .relationship]
}

extension RecordTable where View == Transaction {
  /// How long a missing record stays as it is because its person has an open change: a day, in nanoseconds.
  private static var longestWait: Int64 { 24 * 3_600 * 1_000_000_000 }

  /// Decides on all records together that a reading has missed on the server. Times are in nanoseconds since 1970.
  ///
  /// They are deleted here, with what goes with them. These become conflicts: records with changes, those of a person who is lost, and all of
  /// them if they are many, or if many were missing not long ago (``DeletionHold``), or while many wait for a person's decision. Nobody deletes
  /// so many one by one, and the server may have been restored from an old backup.
  ///
  /// - Parameter missing: In any order. Those that have lost their id on the server since, are in flight, or wait for a decision stay as
  ///   they are. So do those of a person with an open change, for a day: its answer may be that the server lacks the person.
  /// - Returns: The number of deleted records, without what went with them, and of conflicts.
  @discardableResult
  public func settle(missing: [MissingRecord], now: Int64) throws(Failure) -> (deleted: Int, conflicts: Int) {
    var (outcome, gone) = ((deleted: 0, conflicts: 0), 0)
    guard !missing.isEmpty else { return outcome }
    let isHeld = try self.isHeld(missing, now: now)
    // People first: their records go with them, or wait with them.
    for record in missing.filter({ $0.kind == .person }) + missing.filter({ $0.kind != .person }) {
      let changed = try self.view.attempt { database -> [StoredRecord] in
        let keeper = RecordKeeper(database: database)
        guard let old = try self.stored(record, database), old.state != .syncing, try !keeper.isLost(old) else {
          return []
        }
        if old.isDeleted { return try keeper.forgetServer(old, now: now) }
        if old.state == .conflict, old.kind != .person {
          // Changed on both sides: the conflict has what was written on the server, and a person decides on it anyway.
          var left = old
          left.leaveServer()
          try RecordWriter(database: database).save(left, over: old)
          return [left]
        }
        // What comes with a person is missing in what the server has just sent of that person.
        let queuedAt = [.contactField, .address].contains(old.kind) ? nil : try keeper.changeOfPerson(of: old)
        // The change may be newer than `now`: the server was read meanwhile.
        let isWaitedFor = queuedAt.map { (now - $0).magnitude < Self.longestWait.magnitude } ?? true
        guard !isHeld, isWaitedFor, try !keeper.isUnsettled(old), try !keeper.isOfLostPerson(old) else {
          try keeper.conflict(old, server: nil, stamp: nil, now: now)
          outcome.conflicts += 1
          return [old]
        }
        guard queuedAt == nil else { return [] }
        let deleted = try keeper.deleteAsServer(old, now: now)
        outcome.deleted += 1
        gone += deleted.count
        return deleted
      }
      self.tell(changed)
    }
    if gone > 0 { try self.view.accounts.setCountOfGone(try self.view.accounts.countOfGone() + gone) }
    return outcome
  }

  /// Whether a person is asked about all of them. If they are many, the next ones are asked about as well. Those that wait already count
  /// too: the server may have given the ids of some of them to other records.
  private func isHeld(_ missing: [MissingRecord], now: Int64) throws(Failure) -> Bool {
    var count = try self.view.accounts.countOfGone()
    count += try self.view.attempt { database in
      let keeper = RecordKeeper(database: database)
      var rows: Set<Int64> = []
      for record in missing {
        guard let old = try self.stored(record, database), !old.isDeleted, old.state == .synced else { continue }
        rows.insert(old.row)
        // Those in conflict are counted below.
        for other in try keeper.recordsThatGo(with: old) where other.state != .conflict { rows.insert(other.row) }
      }
      return rows.count
    }
    if count > DeletionHold.mostGone {
      try self.view.accounts.setDeletionHold(DeletionHold(countedAt: now))
      return true
    }
    guard try self.view.accounts.deletionHold() == nil else { return true }
    return try self.view.outbox.countOfDeletions() + count > DeletionHold.mostGone
  }

  private func stored(_ record: MissingRecord, _ database: Database) throws -> StoredRecord? {
    let stored = try RecordWriter(database: database).read(record.row)
    return stored?.monicaID == record.monicaID ? stored : nil
  }
}
