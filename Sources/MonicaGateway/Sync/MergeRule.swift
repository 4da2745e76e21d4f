internal import Bus
internal import KithMessages
internal import Storage

/// Decides what to do with a record from the server, given the stored record.
struct MergeRule: Sendable {
  /// The fields that the server does not return.
  let unsaid: [String]
  /// The time of the server's last change, in nanoseconds since 1970; nil if unknown.
  let stamp: Int64?
  /// The time, in nanoseconds since 1970.
  let now: Int64
  /// How long the server may have a person whose deletion it has confirmed: a day, in nanoseconds.
  private static let longestDeletion: Int64 = 24 * 3_600 * 1_000_000_000

  init(_ remote: RemoteRecord, now: Int64) {
    self.now = now
    self.unsaid = remote.unsaid
    self.stamp = remote.hasUpdatedAt ? remote.updatedAt.nanosecondsSince1970 : nil
  }

  /// Decides on a record of a list.
  ///
  /// - Parameters:
  ///   - local: The stored record; nil if there is none.
  ///   - server: The server's record.
  func read(_ local: LocalRecord?, _ server: AnyRecord) -> MergeDecision {
    guard let local else { return .take }
    // A change in flight is decided when its answer arrives.
    guard local.state != .syncing else { return .ignore }
    // The change was sent, and it is unknown how much of it arrived: fields that are missing on the server are not
    // deleted here. The next attempt finds and completes the record.
    if local.base == nil, local.sent != nil, local.state == .pending { return .ignore }
    let known = self.merge(local.base ?? local.record, local, server)
    let isNews = local.base == nil || known.isNews
    // What the server did not have, and has again, is no conflict any more, or another one.
    if local.state == .conflict, !local.isLost, local.stamp == self.stamp { return .ignore }
    // Tags of one name are one tag, however the server writes it.
    if local.base == nil, local.sent == nil, !local.isDeleted, self.isTag(of: local.record, server) { return .take }
    if local.isDeleted {
      // The creation was given up before its arrival was known, or the server has the record again.
      if local.base == nil, local.operation == nil { return self.returned(local, server) }
      // Deleted here and not yet on the server; otherwise it is deleted with its person.
      guard isNews, local.operation == .delete, !self.isArrival(of: local.sent, local, server) else { return .ignore }
      return .conflict(server: known.base)
    }
    guard isNews || local.state == .conflict else {
      return local.stamp == self.stamp || self.stamp == nil ? .ignore : .merged(local.record, base: known.base)
    }
    return self.changed(local, server)
  }

  /// Decides on a record that is deleted here, of which nothing is queued, and that the server has. After a restored backup it
  /// is there again: nobody knows whether on purpose, and what comes back by mistake can be deleted again.
  private func returned(_ local: LocalRecord, _ server: AnyRecord) -> MergeDecision {
    guard local.wasOnServer || local.hasLeft else { return .take }
    // The server deletes a person some time after it has confirmed the deletion. If it does not, that is no restored backup.
    let isAsked = server.kind == .person && local.wasOnServer
    let isFresh = local.sentAt.map { (self.now - $0).magnitude < Self.longestDeletion.magnitude } ?? false
    if isAsked, isFresh { return .ignore }
    let merge = self.merge(nil, local, server)
    return merge.overlaps.isEmpty && !isAsked
      ? .merged(merge.body, base: merge.base) : .conflict(server: merge.base)
  }

  /// Decides on the answer to a change that was sent: the server has it now.
  func arrived(_ local: LocalRecord, _ server: AnyRecord) -> MergeDecision {
    // If the server stored something else than it was sent, such as a shorter text, and the record was edited here
    // meanwhile, the edit is sent next.
    let merge = self.merge(local.sent ?? local.record, local, server)
    return .merged(merge.body, base: merge.base)
  }

  /// Decides on the answer that the server's record differs from the base of the change.
  func changed(_ local: LocalRecord, _ server: AnyRecord) -> MergeDecision {
    // If the server has a version that was sent, only the answer was lost.
    let hasArrived = self.isArrival(of: local.sent, local, server)
    // What was sent is no common version with a server that has again what it had before.
    let ancestor = hasArrived ? local.sent : local.base ?? (local.hasLeft ? nil : local.sent)
    let merge = self.merge(ancestor, local, server)
    guard !local.isDeleted, merge.overlaps.isEmpty else { return .conflict(server: merge.base) }
    return .merged(merge.body, base: merge.base)
  }

  private func isTag(of local: AnyRecord, _ server: AnyRecord) -> Bool {
    guard case .tag(let tag) = local, case .tag(let other) = server else { return false }
    return tag.name.lowercased() == other.name.lowercased()
  }

  private func isArrival(of sent: AnyRecord?, _ local: LocalRecord, _ server: AnyRecord) -> Bool {
    guard let sent else { return false }
    return RecordMerge(base: sent, local: sent, server: server, unsaid: self.unsaid).fields.isEmpty
  }

  private func merge(_ base: AnyRecord?, _ local: LocalRecord, _ server: AnyRecord) -> RecordMerge {
    RecordMerge(base: base, local: local.record, server: server, unsaid: self.unsaid)
  }
}
