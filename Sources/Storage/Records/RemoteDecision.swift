internal import Bus
internal import GRDB
internal import KithMessages

/// Finds what is stored of a record that the server has sent.
struct RemoteLookup {
  let database: Database
  let account: Int64

  /// The record of the server's id, else of ours where it has none of the server's yet.
  ///
  /// - Returns: nil when nothing is stored under its id; and whether it is a relationship that is known all the same.
  func find(_ remote: RemoteRecord, _ received: AnyRecord) throws -> (record: StoredRecord?, isKnown: Bool) {
    if let record = try self.find(received.kind, remote.monicaID) { return (record, false) }
    if !remote.clientID.isEmpty, let record = try self.find(received.kind, remote.clientID), !record.isOnServer,
      record.left == nil || record.namesAll(in: received)
    {
      return (record, false)
    }
    if let record = try self.left(remote, received) { return (record, false) }
    switch received {
    case .tag(let tag): return (try self.unsent(tag), false)
    case .relationship(let relationship): return (nil, try self.isKnown(relationship))
    case .person, .call, .conversation: return (nil, false)
    default: return (try self.sought(received), false)
    }
  }

  /// A record that the server did not have any more, and has again: it was restored from a newer backup. Not one of which a request
  /// is in flight. The server tells no time of a relationship, and never changes its people.
  private func left(_ remote: RemoteRecord, _ received: AnyRecord) throws -> StoredRecord? {
    guard remote.madeAt != nil || received.kind == .relationship else { return nil }
    let left = try self.read(
      """
      WHERE record.account = ? AND record.kind = ? AND record.left_id = ?
        AND (record.kind = \(RecordKind.relationship.rawValue) OR record.left_made / 1000000000 = ?)
        AND record.monica_id IS NULL AND record.state <> \(RecordState.syncing.rawValue)
      """,
      [
        .integer(self.account), .integer(Int64(received.kind.rawValue)), .integer(Int64(bitPattern: remote.monicaID)),
        remote.madeAt.map { .integer($0 / 1_000_000_000) } ?? .null,
      ])
    return left.flatMap { $0.namesAll(in: received) ? $0 : nil }
  }

  /// A record whose answer was lost, of a kind that the server tells from others by what it says alone.
  ///
  /// Stored as another one meanwhile, it could be edited, and the next attempt would not find what it had sent.
  private func sought(_ received: AnyRecord) throws -> StoredRecord? {
    var sent: [(row: Int64, body: [UInt8])] = []
    try EngineStatement(
      self.database,
      """
      SELECT outbox.record, outbox.sent FROM outbox CROSS JOIN record ON record.id = outbox.record
      WHERE outbox.account = ? AND outbox.sent IS NOT NULL AND record.kind = ? AND record.monica_id IS NULL
      ORDER BY outbox.seq
      """
    ).forEach([.integer(self.account), .integer(Int64(received.kind.rawValue))]) {
      sent.append(($0.integer(0), $0.blob(1)))
    }
    for (row, body) in sent {
      guard let record = try RecordWriter(database: self.database).read(row) else { continue }
      let content = try StoredRecord.content(record.kind, body, owner: record.content.record.personID)
      // In which order they take part makes no difference.
      guard Set(content.people) == Set(received.people) else { continue }
      if content.withoutParticipants.isSame(as: received.withoutParticipants) { return record }
    }
    return nil
  }

  /// A tag of the name that the server has not taken from here. It may have made it by itself, for a person who carries it.
  private func unsent(_ tag: Tag) throws -> StoredRecord? {
    let found = try self.read(
      "WHERE record.account = ? AND record.kind = ? AND record.sort_key = ? AND record.monica_id IS NULL "
        + "AND record.deleted_at IS NULL",
      [.integer(self.account), .integer(Int64(RecordKind.tag.rawValue)), .text(RecordTraits.key(tag.name))])
    // To the server, accents make another tag.
    guard case .tag(let own)? = found?.content, own.name.lowercased() == tag.name.lowercased() else {
      return nil
    }
    return found
  }

  func find(_ kind: RecordKind, _ monicaID: UInt64) throws -> StoredRecord? {
    try self.read(
      "WHERE record.account = ? AND record.kind = ? AND record.monica_id = ?",
      [.integer(self.account), .integer(Int64(kind.rawValue)), .integer(Int64(bitPattern: monicaID))])
  }

  private func find(_ kind: RecordKind, _ id: String) throws -> StoredRecord? {
    try self.read(
      "WHERE record.account = ? AND record.kind = ? AND record.uuid = ?",
      [.integer(self.account), .integer(Int64(kind.rawValue)), .text(id)])
  }

  private func read(_ condition: String, _ values: [EngineValue]) throws -> StoredRecord? {
    var found: StoredRecord?
    try EngineStatement(self.database, StoredRecord.selection + " " + condition)
      .forEach(values) { found = try StoredRecord(from: $0) }
    return found
  }

  /// Whether a relationship is stored from its other side, or was sent and not answered: then the next attempt finds it.
  ///
  /// The server keeps each relationship twice, once from each side; here it is one record.
  private func isKnown(_ relationship: Relationship) throws -> Bool {
    let other = try RecordWriter(database: self.database).rows(ofPeople: [relationship.otherID])
    guard let other = other.first else { return false }
    for stored in try RecordKeeper(database: self.database).records(of: other) {
      guard stored.kind == .relationship else { continue }
      let sent = try OutboxRows(database: self.database).find(stored.row)?.sent.map {
        try StoredRecord.content(stored.kind, $0, owner: stored.content.record.personID)
      }
      // The server may have any of these: an edit may be on its way, or have arrived without an answer.
      for case .relationship(let known)? in stored.isOnServer ? [stored.content, stored.base, sent] : [sent] {
        if known.personID == relationship.otherID, known.otherID == relationship.personID {
          if known.isReverse(of: relationship) { return true }
        } else if !stored.isOnServer, known.personID == relationship.personID, known.otherID == relationship.otherID {
          if known.type == relationship.type { return true }
        }
      }
    }
    return false
  }
}

extension Relationship {
  /// Whether it says of two people what another one says from the other side, as far as both know their types from there.
  fileprivate func isReverse(of other: Relationship) -> Bool {
    if self.reverseType.isEmpty, other.reverseType.isEmpty { return true }
    return self.reverseType == other.type || other.reverseType == self.type
  }
}

/// Carries out what was decided of a record that the server has sent.
struct RemoteDecision {
  let database: Database
  let now: Int64

  /// - Parameters:
  ///   - server: What the server has, with our ids.
  ///   - old: What is stored; nil = nothing.
  /// - Returns: What changed.
  func carryOut(
    _ decision: MergeDecision, _ remote: RemoteRecord, server: AnyRecord, old: StoredRecord?, account: Int64,
    _ report: inout MergeReport
  ) throws -> [StoredRecord] {
    switch decision {
    case .ignore:
      report.unchanged += 1
      if let old {
        report.unchangedRows.insert(old.row)
        try self.note(remote.madeAt, of: old)
      }
      return []
    case .conflict(let server):
      guard var old else { return try self.store(server, server, remote, over: nil, account: account, &report) }
      old.monicaID = remote.monicaID
      old.remoteMadeAt = remote.madeAt ?? old.remoteMadeAt
      try RecordWriter(database: self.database).save(old, over: old)
      try RecordKeeper(database: self.database).conflict(old, server: server, stamp: remote.stamp, now: self.now)
      report.conflicts += 1
      report.changedRows.insert(old.row)
      return [old]
    case .take:
      return try self.store(server, server, remote, over: old, account: account, &report)
    case .merged(let body, let base):
      let base = base.keepingOwner(of: server)
      return try self.store(body.keepingOwner(of: server), base, remote, over: old, account: account, &report)
    }
  }

  private func store(
    _ body: AnyRecord, _ server: AnyRecord, _ remote: RemoteRecord, over old: StoredRecord?, account: Int64,
    _ report: inout MergeReport
  ) throws -> [StoredRecord] {
    var new =
      old
      ?? StoredRecord(
        server, id: UUIDv7.make().text, account: account, createdAt: remote.madeAt ?? self.now,
        updatedAt: remote.stamp ?? self.now)
    new.content = body
    new.base = server
    new.monicaID = remote.monicaID
    new.remoteStamp = remote.stamp ?? new.remoteStamp
    new.remoteMadeAt = remote.madeAt ?? new.remoteMadeAt
    let writer = RecordWriter(database: self.database)
    let keeper = RecordKeeper(database: self.database)
    guard let old else {
      new.row = try writer.save(new, over: nil)
      try keeper.requeue(new, now: self.now)
      report.added += 1
      report.changedRows.insert(new.row)
      return [new]
    }
    let isSettled = old.state != .syncing
    if isSettled {
      new.state = .pending
      new.deletedAt = nil
      new.isDeletedThere = false
      try OutboxRows(database: self.database).settle(old.row)
      try self.database.run("DELETE FROM conflict WHERE record = ?", .integer(old.row))
    }
    let isChanged = new.content.stripped != old.content.stripped || old.isDeleted != new.isDeleted
    if isChanged { new.updatedAt = remote.stamp ?? self.now }
    try writer.save(new, over: old)
    try keeper.requeue(new, now: self.now)
    if isChanged {
      report.updated += 1
      report.changedRows.insert(old.row)
    } else {
      report.unchanged += 1
      report.unchangedRows.insert(old.row)
    }
    return isChanged || old.state != .synced ? [new] : []
  }
}

extension RemoteDecision {
  /// Stores when the server made a record of which an earlier version of kithd did not note it.
  private func note(_ madeAt: Int64?, of old: StoredRecord) throws {
    guard old.isOnServer, old.remoteMadeAt == nil, let madeAt else { return }
    try self.database.run("UPDATE record SET remote_made = ? WHERE id = ?", .integer(madeAt), .integer(old.row))
  }

  /// Parts a record from its id on the server, which names another record now: the server was restored from a backup that is older than
  /// the record, or gave the id of a deleted one again. A person decides whether it comes back; one that is deleted here is settled.
  ///
  /// - Returns: The changed records.
  func part(_ old: StoredRecord) throws -> [StoredRecord] {
    let keeper = RecordKeeper(database: self.database)
    if old.isDeleted { return try keeper.forgetServer(old, now: self.now) }
    var parted = old
    parted.leaveServer()
    try RecordWriter(database: self.database).save(parted, over: old)
    try keeper.conflict(parted, server: nil, stamp: nil, now: self.now)
    return [parted]
  }
}

extension StoredRecord {
  /// Whether the server has given its id to another record: one that was made at another time and says something else, or a relationship
  /// of other people.
  func isReplaced(by remote: RemoteRecord, _ received: AnyRecord) -> Bool {
    // The server sends the relationships of a person without a time, and never changes their people.
    if self.isOnServer, self.kind == .relationship {
      return Set((self.base ?? self.content).people) != Set(received.people)
    }
    return self.isOther(than: remote) && !(self.base?.isSame(as: received) ?? false)
  }

  /// Whether the two records are about different people: they share none, or, if it is a relationship, not both.
  func isOfOthers(than content: AnyRecord) -> Bool {
    let (people, others) = (Set(self.content.people), Set(content.people))
    return !people.isEmpty && (self.kind == .relationship ? people != others : people.isDisjoint(with: others))
  }

  /// Whether it names all people that the server's version names.
  func namesAll(in received: AnyRecord) -> Bool { Set(self.content.people).isSuperset(of: received.people) }

  /// Whether the server made another record at another time, as far as both times are known.
  func isOther(than remote: RemoteRecord) -> Bool {
    guard self.isOnServer, let known = self.remoteMadeAt, let made = remote.madeAt else { return false }
    return known / 1_000_000_000 != made / 1_000_000_000
  }
}

extension RemoteRecord.OneOf_Record {
  fileprivate var withoutParticipants: AnyRecord {
    guard case .activity(var activity) = self else { return self }
    activity.participants = []
    return activity.any
  }
}

extension RemoteRecord {
  /// When the server last changed it, in nanoseconds since 1970.
  var stamp: Int64? { self.hasUpdatedAt ? self.updatedAt.nanosecondsSince1970 : nil }

  /// When the server made it, in nanoseconds since 1970.
  var madeAt: Int64? {
    guard let record = self.record?.record, record.hasCreatedAt else { return nil }
    return record.createdAt.nanosecondsSince1970
  }
}
