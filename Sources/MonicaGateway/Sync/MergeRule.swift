internal import Bus
internal import KithMessages
internal import Storage

/// What is done with a record that the server has, by what is stored of it.
struct MergeRule: Sendable {
  /// Names of fields that the server says nothing about.
  let unsaid: [String]
  /// When the server last changed it, in nanoseconds since 1970; nil = it does not say.
  let stamp: Int64?

  init(_ remote: RemoteRecord) {
    self.unsaid = remote.unsaid
    self.stamp = remote.hasUpdatedAt ? remote.updatedAt.nanosecondsSince1970 : nil
  }

  /// Decides on a record of a list.
  ///
  /// - Parameters:
  ///   - local: What is stored; nil = nothing.
  ///   - server: What the server has.
  func read(_ local: LocalRecord?, _ server: AnyRecord) -> MergeDecision {
    guard let local else { return .take }
    // What is under way is decided on when its answer is here.
    guard local.state != .syncing else { return .ignore }
    // It was sent, and nobody knows how much of it arrived: what it lacks there is not taken away here. The next attempt finds
    // and completes it.
    if local.base == nil, local.sent != nil, local.state == .pending { return .ignore }
    let known = self.merge(local.base ?? local.record, local, server)
    let isNews = local.base == nil || known.isNews
    if local.state == .conflict, local.stamp == self.stamp { return .ignore }
    if local.isDeleted {
      // It was given up before anybody knew that it had arrived, or it is there again. Not so a person, whom the server
      // may delete a while after it has said so.
      if local.base == nil, local.operation == nil, server.kind != .person { return .take }
      // Deleted here and not there yet; else it goes with its person.
      guard isNews, local.operation == .delete, !self.isArrival(of: local.sent, local, server) else { return .ignore }
      return .conflict(server: known.base)
    }
    guard isNews || local.state == .conflict else {
      return local.stamp == self.stamp || self.stamp == nil ? .ignore : .merged(local.record, base: known.base)
    }
    return self.changed(local, server)
  }

  /// Decides on the answer to a change that was sent: the server has it now.
  func arrived(_ local: LocalRecord, _ server: AnyRecord) -> MergeDecision {
    // Where the server wrote something else than it was sent, as a shorter text, and it was edited here meanwhile, the edit
    // is sent next.
    let merge = self.merge(local.sent ?? local.record, local, server)
    return .merged(merge.body, base: merge.base)
  }

  /// Decides on the answer that the server has something else than what the change was made from.
  func changed(_ local: LocalRecord, _ server: AnyRecord) -> MergeDecision {
    // When the server has what was once sent, the answer to that was lost.
    let hasArrived = self.isArrival(of: local.sent, local, server)
    let ancestor = hasArrived ? local.sent : local.base ?? local.sent
    let merge = self.merge(ancestor ?? local.record, local, server)
    guard !local.isDeleted, merge.overlaps.isEmpty else { return .conflict(server: merge.base) }
    return .merged(merge.body, base: merge.base)
  }

  private func isArrival(of sent: AnyRecord?, _ local: LocalRecord, _ server: AnyRecord) -> Bool {
    guard let sent else { return false }
    return RecordMerge(base: sent, local: sent, server: server, unsaid: self.unsaid).fields.isEmpty
  }

  private func merge(_ base: AnyRecord, _ local: LocalRecord, _ server: AnyRecord) -> RecordMerge {
    RecordMerge(base: base, local: local.record, server: server, unsaid: self.unsaid)
  }
}
