import Bus
import KithMessages
import SwiftProtobuf

@testable import Storage

extension ContactsFixture {
  /// Records a person.
  @discardableResult
  func addPerson(_ first: String, _ last: String = "", now: Int64 = 1, _ change: (inout Person) -> Void = { _ in })
    throws
    -> Person
  {
    var person = Person(first: first, last: last)
    change(&person)
    return try self.write { try $0.records.create(person, now: now) }
  }

  /// Records a call.
  @discardableResult
  func addCall(_ person: Person, at: Int64, _ note: String = "", _ change: (inout Call) -> Void = { _ in }) throws
    -> Call
  {
    var call = Call(with: person, at: at, note)
    change(&call)
    return try self.write { try $0.records.create(call, now: at) }
  }

  /// The queue, as operations, kinds and states.
  func queued() throws -> [String] {
    try self.read { try $0.outbox.page(limit: 500) }.entries.map { "\($0.operation) \($0.kind) \($0.state)" }
  }

  /// Sends all entries that are due to a server that accepts everything; new ids count up from `next`.
  func push(now: Int64 = 100, next: UInt64 = 1) throws {
    var next = next
    while true {
      let due = try self.read { try $0.outbox.due(now: now, limit: 100) }
      guard !due.isEmpty else { return }
      try self.write { transaction in
        for entry in try transaction.outbox.begin(due.map(\.row), now: now) {
          if entry.operation == .delete {
            try transaction.outbox.deleted(entry.row, now: now)
          } else {
            try transaction.outbox.arrived(entry.row, server: entry.record.stored(as: next, at: now), now: now)
            next += 1
          }
        }
      }
    }
  }
}

extension Transaction {
  /// Decides on records of a kind that a reading has missed.
  func settle(missing ids: [UInt64], of kind: RecordKind, now: Int64) throws -> (deleted: Int, conflicts: Int) {
    var missing: [MissingRecord] = []
    for id in ids { if let record = try self.records.missing(kind, id) { missing.append(record) } }
    return try self.records.settle(missing: missing, now: now)
  }
}

extension RemoteRecord {
  /// The record as the server returns it after storing it.
  func stored(as id: UInt64, at now: Int64) -> RemoteRecord {
    var record = self
    if record.monicaID == 0 { record.monicaID = id }
    record.updatedAt = .init(nanosecondsSince1970: now)
    return record
  }

  /// The record as a server returns it that keeps when it made it.
  func made(as id: UInt64, at now: Int64) -> RemoteRecord {
    var record = self.stored(as: id, at: now)
    record.record?.edit { $0.createdAt = .init(nanosecondsSince1970: now) }
    return record
  }

  /// A record as a server lists it.
  init(_ record: AnyRecord, id: UInt64, owner: UInt64 = 0, others: [UInt64] = [], at: Int64 = 1_000_000_000) {
    self.init()
    self.record = record
    self.monicaID = id
    self.owner = owner
    self.others = others
    self.updatedAt = .init(nanosecondsSince1970: at)
  }
}

extension Person {
  init(first: String, last: String = "") {
    self.init()
    self.firstName = first
    self.lastName = last
  }
}

extension Call {
  init(with person: Person, at: Int64, _ note: String = "") {
    self.init()
    self.personID = person.id
    self.calledAt = .init(nanosecondsSince1970: at)
    self.note = note
  }
}

extension Note {
  init(of person: Person, _ body: String) {
    self.init()
    self.personID = person.id
    self.body = body
  }
}
