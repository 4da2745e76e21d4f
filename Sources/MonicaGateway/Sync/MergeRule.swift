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
    let ancestor = self.ancestor(of: local, server)
    let merge = RecordMerge(base: ancestor, local: local.record, server: server, unsaid: self.unsaid)
    let isNews = !(local.base.map { merge.base.isSameContent(as: $0) } ?? false)
    if local.isDeleted {
      // Deleted here and not there yet, or about to go with its person.
      let isToGo = local.operation == .delete && (local.state != .conflict || local.stamp != self.stamp)
      return isNews && isToGo ? .conflict(server: merge.base) : .ignore
    }
    if local.state == .conflict, local.stamp == self.stamp { return .ignore }
    guard isNews || local.state == .conflict else {
      return local.stamp == self.stamp || self.stamp == nil ? .ignore : .merged(local.record, base: merge.base)
    }
    return merge.overlaps.isEmpty ? .merged(merge.body, base: merge.base) : .conflict(server: merge.base)
  }

  /// Decides on the answer to a change that was sent: the server has it now.
  func arrived(_ local: LocalRecord, _ server: AnyRecord) -> MergeDecision {
    // Where the server wrote something else than it was sent, as a shorter text, and it was edited here meanwhile, the edit
    // is sent next.
    let merge = RecordMerge(
      base: local.sent ?? local.record, local: local.record, server: server, unsaid: self.unsaid)
    return .merged(merge.body, base: merge.base)
  }

  /// Decides on the answer that the server has something else than what the change was made from.
  func changed(_ local: LocalRecord, _ server: AnyRecord) -> MergeDecision {
    let merge = RecordMerge(
      base: self.ancestor(of: local, server), local: local.record, server: server, unsaid: self.unsaid)
    if local.isDeleted { return .conflict(server: merge.base) }
    return merge.overlaps.isEmpty ? .merged(merge.body, base: merge.base) : .conflict(server: merge.base)
  }

  /// What both sides came from. When the server has what was once sent, it is that: the answer was lost.
  private func ancestor(of local: LocalRecord, _ server: AnyRecord) -> AnyRecord {
    guard let sent = local.sent else { return local.base ?? local.record }
    let arrival = RecordMerge(base: sent, local: sent, server: server, unsaid: self.unsaid)
    return arrival.fields.isEmpty ? sent : local.base ?? sent
  }
}
