public import Bus
internal import GRDB
public import KithMessages

/// Merges the server's records into the stored ones. Times are in nanoseconds since 1970.
extension RecordTable where View == Transaction {
  /// Merges records of the server: one page of a list, or a person with its children.
  ///
  /// A record is found by the server's id, else by our id if the server keeps it. Children are merged after their person; if the
  /// list of children is complete, stored children that it lacks are reported as missing, for ``settle(missing:now:)``.
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
      report.missing += try self.missingChildren(of: person, account: account)
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
    var lookup = try self.view.attempt { database in
      try RemoteLookup(database: database, account: account).find(remote, received)
    }
    if let known = lookup.record, try self.isReplaced(known, by: remote, received) {
      guard known.state != .syncing else {
        // The answer to what is in flight tells.
        report.unchanged += 1
        return
      }
      self.tell(try self.view.attempt { try RemoteDecision(database: $0, now: now).part(known) })
      lookup = try self.view.attempt { database in
        try RemoteLookup(database: database, account: account).find(remote, received)
      }
    }
    guard !lookup.isKnown, try !self.isAboutDeletedPeople(received) else {
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

  /// Whether a known record is not the one that the server has under its id: the server has given the id to another one, or the record
  /// was sent from here under the id of its person, which the server had given to another person.
  private func isReplaced(_ known: StoredRecord, by remote: RemoteRecord, _ received: AnyRecord) throws(Failure) -> Bool
  {
    if known.isReplaced(by: remote, received) { return true }
    guard known.isOnServer, known.lastAttemptAt != nil, !known.namesAll(in: received) else { return false }
    return try self.view.attempt { try RecordKeeper(database: $0).isOfPartedPerson(known) }
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
      operation: waiting?.operation, state: record.state, stamp: record.remoteStamp, sentAt: record.lastAttemptAt,
      isDeleted: record.isDeleted,
      isLost: try RecordKeeper(database: database).isLost(record), wasOnServer: record.wasOnServer,
      hasLeft: record.left != nil && record.base == nil)
  }
}

extension RecordTable {
  /// The server's ids of all stored records of a kind, for the comparison with a complete list of the server.
  ///
  /// Records whose deletion is queued are included; those that the server is known to lack, of which a person has to decide, are not.
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
          AND NOT EXISTS (SELECT 1 FROM conflict WHERE conflict.record = record.id AND conflict.server IS NULL)
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
