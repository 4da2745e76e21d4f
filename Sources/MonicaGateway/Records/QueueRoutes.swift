internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension MonicaGatewayActor {
  /// The methods of `Monica` that answer from the store: what waits for the server, and the names that it knows.
  nonisolated var queueRoutes: [Route] {
    [
      self.answering(QueueRequest.self) { request, view throws(Failure) in
        let state = request.state.isEmpty ? nil : try RecordState(asked: request.state, field: "state")
        var reply = QueueReply()
        (reply.entries, reply.nextCursor) = try view.outbox.page(
          limit: request.limit, cursor: request.cursor, state: state)
        // Before the first login, what is queued waits for nothing.
        return try view.accounts.current().hasServer ? reply : QueueReply()
      },
      self.writing(RetryQueueRequest.self) { request, transaction, now throws(Failure) in
        try transaction.requireWaiting(request.ids)
        var reply = QueueChangeReply()
        guard try transaction.accounts.current().hasServer else { return reply }
        reply.entries = try transaction.outbox.retry(request.ids, now: now)
        return reply
      },
      self.writing(ClearQueueRequest.self) { request, transaction, now throws(Failure) in
        guard request.all != !request.ids.isEmpty else {
          throw .invalid(field: "ids", "name the changes to give up, or say all; not both.")
        }
        try transaction.requireWaiting(request.ids)
        var reply = QueueChangeReply()
        guard try transaction.accounts.current().hasServer else { return reply }
        reply.entries = try transaction.outbox.clear(request.all ? nil : request.ids, now: now)
        return reply
      },
      self.answering(ConflictsRequest.self) { request, view throws(Failure) in
        let page = try view.outbox.conflicts(limit: request.limit, cursor: request.cursor)
        var reply = ConflictsReply()
        reply.deletedOnServer = UInt32(clamping: try view.outbox.countOfDeletions())
        reply.conflicts = page.conflicts.map { Conflict($0) }
        reply.nextCursor = page.nextCursor
        return reply
      },
      self.answering(CatalogRequest.self) { request, view throws(Failure) in
        guard request.catalog.isEmpty || CatalogKind(rawValue: request.catalog) != nil else {
          let known = CatalogKind.allCases.map(\.rawValue).joined(separator: ", ")
          throw .invalid(field: "catalog", "must be one of \(known), or empty.")
        }
        var reply = CatalogReply()
        reply.entries = try view.catalog.list(request.catalog)
        return reply
      },
    ]
  }
}

extension Transaction {
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for too many ids; `NOT_FOUND/RECORD_UNKNOWN` for one that does not wait.
  fileprivate func requireWaiting(_ ids: [String]) throws(Failure) {
    guard ids.count <= 500 else { throw .invalid(field: "ids", "has \(ids.count) ids; at most 500 are taken at once.") }
    let settled = [RecordState.synced.name, RecordState.here.name]
    let hasServer = try self.accounts.current().hasServer
    let waiting = Set(try self.outbox.entries(of: ids).filter { hasServer && !settled.contains($0.state) }.map(\.id))
    if let unknown = ids.first(where: { !waiting.contains($0) }) {
      throw .unknownRecord(
        unknown, "No change '\(unknown.prefix(64))' waits for the server. `kith monica queue` lists those that do.")
    }
  }
}

extension Conflict {
  /// Both sides of a conflict as people read them, field by field.
  init(_ conflict: RecordConflict) {
    self.init()
    self.id = conflict.id
    self.kind = conflict.kind.name
    self.entityID = conflict.id
    self.personName = conflict.personName
    self.deletedHere = conflict.isDeletedHere
    self.deletedOnServer = conflict.server == nil
    self.foundAt = .init(nanosecondsSince1970: conflict.foundAt)
    // If one side deleted the record, there are no fields to compare.
    guard let server = conflict.server, !conflict.isDeletedHere else { return }
    self.fields = RecordMerge(conflict, server: server).fields
  }
}
