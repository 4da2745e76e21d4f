internal import Bus
internal import Fields
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// How each sort of request is served, whatever the kind of records.
extension MonicaGatewayActor {
  nonisolated func creating<C: RecordCreation>(_ type: C.Type) -> Route where C.Reply: EditableRecord {
    self.writing(type) { request, transaction, now throws(Failure) in
      try transaction.make(request, now: now)
    }
  }

  nonisolated func changing<C: RecordChange>(_ type: C.Type) -> Route where C.Reply: EditableRecord {
    self.writing(type) { request, transaction, now throws(Failure) in
      try transaction.change(request, now: now)
    }
  }

  nonisolated func deleting<C: RecordNaming>(_ type: C.Type) -> Route {
    self.writing(type) { request, transaction, now throws(Failure) in
      try transaction.records.delete(C.Reply.self, request.id, now: now)
    }
  }

  nonisolated func restoring<C: RecordNaming>(_ type: C.Type) -> Route {
    self.writing(type) { request, transaction, now throws(Failure) in
      try transaction.records.restore(C.Reply.self, request.id, now: now)
    }
  }

  nonisolated func reading<C: RecordNaming>(_ type: C.Type) -> Route {
    self.answering(type) { request, view throws(Failure) in
      try PageLimit.fit(try view.records.require(C.Reply.self, request.id))
    }
  }

  nonisolated func listing<C: RecordQuerying>(_ type: C.Type) -> Route {
    self.answering(type) { request, view throws(Failure) in
      C.Reply(try view.records.page(C.Reply.Record.self, request.query))
    }
  }

  /// A method that is answered by one look at the store.
  nonisolated func answering<C: Command>(
    _ type: C.Type, _ body: @escaping @Sendable (C, ReadView) throws(Failure) -> C.Reply
  ) -> Route {
    Route(type) { request, _ throws(Failure) in
      try await self.storage.read { view throws(Failure) in try body(request, view) }
    }
  }

  /// A method that is one transaction.
  ///
  /// - Parameter body: Its last argument is the time of day in nanoseconds since 1970.
  nonisolated func writing<C: Command>(
    _ type: C.Type, _ body: @escaping @Sendable (C, Transaction, Int64) throws(Failure) -> C.Reply
  ) -> Route {
    Route(answering: type, order: .afterWrites) { request, context throws(Failure) in
      try await self.write(request, context, body)
    }
  }

  /// Commits the changes of a command, and wakes the sync to send them.
  nonisolated func write<C: Command>(
    _ request: C, _ context: CallContext,
    _ body: @escaping @Sendable (C, Transaction, Int64) throws(Failure) -> C.Reply
  ) async throws(Failure) -> Answer<C.Reply> {
    let now = self.now()
    let answer = try await self.storage.commit(C.self, context) { transaction throws(Failure) in
      try body(request, transaction, now)
    }
    self.engine.nudge()
    return answer
  }
}

extension Transaction {
  /// Makes the record of a request.
  ///
  /// - Throws: As ``make(_:_:now:)``.
  func make<C: RecordCreation>(_ request: C, now: Int64) throws(Failure) -> C.Reply where C.Reply: EditableRecord {
    try self.make(request.clientID, request.record, now: now)
  }

  /// Creates a record from the fields of a request, once for each client id.
  ///
  /// - Parameter clientID: Empty = the client gave none.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`; `NOT_FOUND/RECORD_UNKNOWN` for a person; the errors of
  ///   ``CreationTable/once(_:of:id:known:make:)`` and ``EditableRecord``.
  func make<Record: EditableRecord>(_ clientID: String, _ given: Record, now: Int64) throws(Failure) -> Record {
    try self.once(clientID) { () throws(Failure) in try self.create(given, now: now) }
  }

  /// Runs `make` once for each client id; later calls return the present record.
  func once<Record: SyncedRecord>(
    _ clientID: String, _ make: () throws(Failure) -> Record
  ) throws(Failure) -> Record {
    try self.creations.once(clientID, of: Record.kind.name, id: { $0.id }) { id throws(Failure) in
      guard let record = try self.records.get(Record.self, id) else { return nil }
      return try PageLimit.fit(record)
    } make: { () throws(Failure) in
      try make()
    }
  }

  private func create<Record: EditableRecord>(_ given: Record, now: Int64) throws(Failure) -> Record {
    try given.checkWhole()
    var record = try Record(creating: given, now: now)
    try record.settle(nil, in: self, now: now)
    return try PageLimit.fit(try self.records.create(record, now: now))
  }

  /// Changes the record of a request.
  ///
  /// - Parameter given: The record of the request after normalization; nil = the record as the request has it.
  /// - Throws: As ``change(_:_:ifUpdatedAt:now:)``.
  func change<C: RecordChange>(_ request: C, as given: C.Reply? = nil, now: Int64) throws(Failure) -> C.Reply
  where C.Reply: EditableRecord {
    try self.change(
      given ?? request.record, request.fields, ifUpdatedAt: request.hasIfUpdatedAt ? request.ifUpdatedAt : nil,
      now: now)
  }

  /// Changes fields of a record.
  ///
  /// - Parameters:
  ///   - given: The id of the record and the new values.
  ///   - names: The names of the fields to change; none = the fields that are not empty.
  ///   - stamp: The `updated_at` of the record that the client shows; nil = no precondition.
  /// - Throws: As ``make(_:_:now:)``; `ABORTED/CHANGED_MEANWHILE` if the record has another stamp;
  ///   `NOT_FOUND/RECORD_UNKNOWN` for the id; `FAILED_PRECONDITION/RECORD_DELETED`.
  func change<Record: EditableRecord>(
    _ given: Record, _ names: [String], ifUpdatedAt stamp: Google_Protobuf_Timestamp? = nil, now: Int64
  ) throws(Failure) -> Record {
    guard !given.id.isEmpty else { throw .invalid(field: "id", "must not be empty. Name the record to change.") }
    try given.checkWhole()
    let previous = try self.records.require(Record.self, given.id)
    guard !previous.hasDeletedAt else {
      throw Failure(
        .failedPrecondition, "RECORD_DELETED", "This \(Record.kind.name) is deleted, so it cannot be changed.",
        details: ["record": previous.id])
    }
    if let stamp, stamp != previous.updatedAt {
      let fields = try Record.fields(named: names, of: given).map { ($0.name, $0.text(previous)) }
      throw .changedMeanwhile("This \(Record.kind.name)", at: previous.updatedAt, now: fields)
    }
    var record = previous
    try record.change(names, as: given, now: now)
    try record.settle(previous, in: self, now: now)
    return try PageLimit.fit(try self.records.update(record, now: now))
  }
}

extension SyncedRecord {
  /// Refuses a record that was truncated in a reply, so that no client replaces the whole record by a part of it.
  fileprivate func checkWhole() throws(Failure) {
    guard self.any.isTruncated else { return }
    throw .invalid(
      field: "truncated",
      "is set: this record was cut to fit into a reply. Leave it out, and give only the fields that change.")
  }
}
