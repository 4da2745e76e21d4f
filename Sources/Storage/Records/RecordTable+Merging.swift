public import Bus
internal import GRDB
public import KithMessages

/// Merges the server's records into the stored ones. Times are in nanoseconds since 1970.
extension RecordTable where View == Transaction {
  /// Merges records of the server: one page of a list, or a person with its children.
  ///
  /// A record is found by the server's id, else by our id if the server keeps it. Children are merged after their person; if the
  /// list of children is complete, stored children that it lacks are deleted.
  ///
  /// - Parameter decide: Decides from the stored record (nil if there is none) and the server's record, which has our ids of people,
  ///   and the stored values of fields that the server does not keep.
  /// - Throws: What `decide` throws.
  public func merge(
    _ server: [RemoteRecord], now: Int64,
    decide: (_ local: LocalRecord?, _ server: AnyRecord) throws(Failure) -> MergeDecision
  ) throws(Failure) -> MergeReport {
    let account = try self.account
    var report = MergeReport()
    // People first: their records may precede them on the page.
    let (people, others) = (server.filter { $0.kind == .person }, server.filter { $0.kind != .person })
    for batch in [people, others, people.flatMap(\.children)] where !batch.isEmpty {
      try self.merge(batch, account: account, now: now, &report, decide)
    }
    for person in people where person.hasChildren_p {
      try self.deleteMissingChildren(of: person, account: account, now: now, &report)
    }
    return report
  }

  private func merge(
    _ batch: [RemoteRecord], account: Int64, now: Int64, _ report: inout MergeReport,
    _ decide: (LocalRecord?, AnyRecord) throws(Failure) -> MergeDecision
  ) throws(Failure) {
    let people = try self.view.attempt { database in
      try RemoteNames(database: database, account: account).people(Array(Set(batch.flatMap(RemoteNames.people(of:)))))
    }
    for remote in batch {
      let missing = RemoteNames.people(of: remote).filter { people[$0] == nil }
      guard missing.isEmpty else {
        report.postponed.append(remote)
        report.missingPeople += missing.filter { !report.missingPeople.contains($0) }
        continue
      }
      guard
        let received = try self.view.attempt({
          RemoteNames(database: $0, account: account).content(of: remote, people: people)
        })
      else { continue }
      try self.merge(remote, received, account: account, now: now, &report, decide)
    }
  }

  private func merge(
    _ remote: RemoteRecord, _ received: AnyRecord, account: Int64, now: Int64, _ report: inout MergeReport,
    _ decide: (LocalRecord?, AnyRecord) throws(Failure) -> MergeDecision
  ) throws(Failure) {
    let lookup = try self.view.attempt { database in
      try RemoteLookup(database: database, account: account).find(remote, received)
    }
    guard !lookup.isKnownReverse, try !self.isAboutDeletedPeople(received) else {
      report.unchanged += 1
      return
    }
    let old = lookup.record
    let local = try self.view.attempt { database in try old.map { try self.local($0, database) } }
    let server = received.completed(local: old?.content, known: old?.base)
    var shown = server
    shown.edit {
      $0.id = old?.id ?? ""
      $0.monicaID = remote.monicaID
    }
    let decision = try decide(local, shown)
    let changed = try self.view.attempt { database -> [StoredRecord] in
      try RemoteDecision(database: database, now: now)
        .carryOut(decision, remote, server: server, old: old, account: account, &report)
    }
    self.tell(changed)
  }

  /// Whether all people of a record are deleted.
  private func isAboutDeletedPeople(_ content: AnyRecord) throws(Failure) -> Bool {
    let people = content.people
    guard !people.isEmpty else { return content.kind.needsPerson }
    let deleted = try self.view.attempt { database in
      try database.first(
        """
        SELECT count(*) FROM record WHERE uuid IN (SELECT value FROM json_each(?)) AND kind = 1 AND deleted_at IS NOT NULL
        """, .text(ColumnValues.array(people))
      ) { Int($0.integer(0)) } ?? 0
    }
    return content.kind == .activity ? deleted == people.count : deleted > 0
  }

  func local(_ record: StoredRecord, _ database: Database) throws -> LocalRecord {
    let waiting = try OutboxRows(database: database).find(record.row)
    let owner = record.content.record.personID
    var shown = record.content
    shown.edit {
      $0.id = record.id
      $0.monicaID = record.monicaID
      $0.syncState = record.state.name
    }
    return LocalRecord(
      row: record.row, record: shown, base: record.base,
      sent: try waiting?.sent.map { try StoredRecord.content(record.kind, $0, owner: owner) },
      operation: waiting?.operation, state: record.state, stamp: record.remoteStamp, isDeleted: record.isDeleted)
  }

  private func deleteMissingChildren(
    of person: RemoteRecord, account: Int64, now: Int64, _ report: inout MergeReport
  ) throws(Failure) {
    for kind in [RecordKind.contactField, .address, .relationship] {
      let there = person.children.filter { $0.kind == kind }.map(\.monicaID)
      let gone = try self.view.attempt { database in
        try database.all(
          """
          SELECT child.monica_id FROM record AS owner
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
        ) { $0.integer(0) }
      }
      let outcome = try self.deletedOnServer(kind, gone.map { UInt64(bitPattern: $0) }, now: now)
      report.deleted += outcome.deleted
      report.conflicts += outcome.conflicts
    }
  }

  /// Merges deletions on the server. Records without changes are deleted; changed records become conflicts.
  ///
  /// - Parameter ids: The server's ids; unknown and already deleted ones are ignored.
  /// - Returns: The number of deleted records, without their children, and of conflicts.
  @discardableResult
  public func deletedOnServer(
    _ kind: RecordKind, _ ids: [UInt64], now: Int64
  ) throws(Failure) -> (deleted: Int, conflicts: Int) {
    let account = try self.account
    var outcome = (deleted: 0, conflicts: 0)
    for id in ids {
      let changed = try self.view.attempt { database -> [StoredRecord] in
        let lookup = RemoteLookup(database: database, account: account)
        guard let old = try lookup.find(kind, id), old.state != .syncing else { return [] }
        let keeper = RecordKeeper(database: database)
        if old.isDeleted { return try keeper.forgetServer(old, now: now) }
        guard try !keeper.isChangedHere(old) else {
          try keeper.conflict(old, server: nil, stamp: nil, now: now)
          outcome.conflicts += 1
          return [old]
        }
        outcome.deleted += 1
        return try keeper.deleteAsServer(old, now: now)
      }
      self.tell(changed)
    }
    return outcome
  }
}

extension RecordTable {
  /// The server's ids of all stored records of a kind, for the comparison with a complete list of the server.
  ///
  /// Records whose deletion is queued are included.
  ///
  /// - Parameter person: Only records of this person; nil for all.
  public func serverIDs(
    _ kind: RecordKind, ofPerson person: String? = nil
  ) throws(Failure) -> Set<UInt64> {
    let account = try self.account
    return try self.view.attempt { database in
      var ids: Set<UInt64> = []
      var values: [EngineValue] = [.integer(account), .integer(Int64(kind.rawValue))]
      if let person { values.append(.text(person)) }
      try EngineStatement(
        database,
        """
        SELECT monica_id FROM record WHERE account = ? AND kind = ? AND monica_id IS NOT NULL
        \(person == nil ? "" : """
          AND id IN (SELECT record FROM record_person WHERE person = (SELECT id FROM record WHERE uuid = ?))
          """)
        """
      ).forEach(values) { ids.insert(UInt64(bitPattern: $0.integer(0))) }
      return ids
    }
  }
}

extension RemoteRecord {
  var kind: RecordKind? { self.record?.kind }
}
