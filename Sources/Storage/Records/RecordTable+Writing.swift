public import Bus
internal import Digest
internal import Foundation
internal import GRDB
public import KithMessages

/// Writes records. Each write queues a change for the server.
extension RecordTable where View == Transaction {
  /// Adds a record.
  ///
  /// - Parameters:
  ///   - record: Checked by the caller. Its read-only fields are not stored; an empty id is replaced by a new one.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The record as it is stored.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for a person; `FAILED_PRECONDITION/RECORD_DELETED` for a deleted one;
  ///   `ALREADY_EXISTS/RECORD_EXISTS` for the id; `FIELD_INVALID` for a person that is needed.
  public func create<R: SyncedRecord>(_ record: R, now: Int64) throws(Failure) -> R {
    let id = record.id.isEmpty ? UUIDv7.make().text : record.id
    let content = record.any.withOwner.takingReadings(of: nil, now: now)
    try self.check(peopleOf: content)
    if try self.row(of: id) != nil {
      throw Failure(.alreadyExists, "RECORD_EXISTS", "There is a record \(id.prefix(64)) already.")
    }
    var stored = StoredRecord(content.stripped, id: id, account: try self.account, createdAt: now, updatedAt: now)
    stored.content.edit { $0.personID = content.record.personID }
    let row = try self.view.attempt { database in
      stored.row = try RecordWriter(database: database).save(stored, over: nil)
      try RecordKeeper(database: database).requeue(stored, now: now)
      return stored.row
    }
    return try self.tell(row)
  }

  /// Replaces the content of a stored record.
  ///
  /// - Returns: The record as it is stored.
  /// - Throws: As ``create(_:now:)``; `NOT_FOUND/RECORD_UNKNOWN` for the id; `FAILED_PRECONDITION/RECORD_DELETED`.
  public func update<R: SyncedRecord>(_ record: R, now: Int64) throws(Failure) -> R {
    let old = try self.stored(R.kind, record.id)
    guard !old.isDeleted else { throw Self.deleted(R.kind, record.id) }
    let content = record.any.withOwner.takingReadings(of: old.content, now: now)
    try self.check(peopleOf: content, known: old.content.people)
    var new = old
    new.content = content.stripped
    new.content.edit { $0.personID = content.record.personID }
    guard new.content != old.content else { return try self.require(R.self, record.id) }
    new.updatedAt = now
    try self.view.attempt { database in
      try RecordWriter(database: database).save(new, over: old)
      try RecordKeeper(database: database).requeue(new, now: now)
    }
    return try self.tell(old.row)
  }

  /// Soft-deletes a record: lists and search leave it out, and it can be undeleted. A deleted record does not change.
  ///
  /// A person is deleted with the records of that person alone and all relationships; records with other people stay.
  ///
  /// - Returns: The record as it is stored.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func delete<R: SyncedRecord>(_ type: R.Type, _ id: String, now: Int64) throws(Failure) -> R {
    let old = try self.stored(R.kind, id)
    guard !old.isDeleted else { return try self.require(type, id) }
    let changed = try self.view.attempt { try RecordKeeper(database: $0).delete(old, now: now) }
    self.tell(changed)
    return try self.require(type, id)
  }

  /// Undeletes a record. It is created again on a server that has deleted it.
  ///
  /// A person is undeleted with the records that were deleted with it. A record that is not deleted does not change.
  ///
  /// - Returns: The record as it is stored.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`; `FAILED_PRECONDITION/RECORD_DELETED` when everybody whom it is about is deleted.
  public func restore<R: SyncedRecord>(_ type: R.Type, _ id: String, now: Int64) throws(Failure) -> R {
    let old = try self.stored(R.kind, id)
    guard old.isDeleted else { return try self.require(type, id) }
    if R.kind != .person { try self.check(peopleOf: old.content) }
    let changed = try self.view.attempt { try RecordKeeper(database: $0).restore(old, now: now) }
    self.tell(changed)
    return try self.require(type, id)
  }

  /// Replaces the picture of a person. Nothing is queued for the server.
  ///
  /// - Parameter bytes: The bytes of the file; if empty, no picture is stored.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func setPhoto(_ bytes: [UInt8], mediaType: String, ofPerson id: String) throws(Failure) {
    let old = try self.stored(.person, id)
    guard !bytes.isEmpty else { return }
    var picture = Picture()
    picture.ref.sha256 = Hex.encode(SHA256.digest(bytes))
    picture.ref.size = UInt64(bytes.count)
    picture.ref.mediaType = mediaType
    picture.data = Data(bytes)
    guard case .person(var person) = old.content, person.photo != picture.ref else { return }
    person.photo = picture.ref
    try self.view.photos.put(picture)
    var new = old
    new.content = person.any
    _ = try self.view.attempt { try RecordWriter(database: $0).save(new, over: old) }
    try self.view.photos.dropUnreferenced()
    self.tell([new])
  }

  /// Emits the events of changed records.
  func tell(_ changed: [StoredRecord]) {
    for record in changed { self.view.changed(record.kind, [record.id]) }
  }

  func stored(_ kind: RecordKind?, _ id: String) throws(Failure) -> StoredRecord {
    guard let row = try self.row(of: id, kind),
      let stored = try self.view.attempt({ try RecordWriter(database: $0).read(row) })
    else { throw Self.unknown(kind, id) }
    return stored
  }

  /// Emits the event of a changed record.
  ///
  /// - Returns: The record as it is stored.
  private func tell<R: SyncedRecord>(_ row: Int64) throws(Failure) -> R {
    guard let any = try self.load([row]).first, let record = R(any) else { throw .storeDamaged }
    self.view.changed(R.kind, [record.id])
    return record
  }

  /// - Parameter known: People that may be deleted: they are of the record already.
  private func check(peopleOf content: AnyRecord, known: [String] = []) throws(Failure) {
    let people = content.people
    guard !people.isEmpty || !content.kind.needsPerson else {
      throw .invalid(field: "person_id", "is empty. Name the person that the \(content.kind.noun) is about.")
    }
    for id in people where !known.contains(id) {
      guard try !self.stored(.person, id).isDeleted else { throw Self.deleted(.person, id) }
    }
  }

  private static func deleted(_ kind: RecordKind, _ id: String) -> Failure {
    Failure(
      .failedPrecondition, "RECORD_DELETED", "The \(kind.noun) '\(id.prefix(64))' is deleted. Restore it first.",
      details: ["record": String(id.prefix(64))])
  }
}

extension RemoteRecord.OneOf_Record {
  /// The record with its owner named: an activity belongs to its first participant.
  fileprivate var withOwner: AnyRecord {
    guard case .activity(var activity) = self else { return self }
    if activity.participants.isEmpty, !activity.personID.isEmpty { activity.participants = [activity.personID] }
    activity.personID = activity.participants.first ?? ""
    return activity.any
  }
}
