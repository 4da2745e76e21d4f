internal import Bus
internal import GRDB
internal import KithMessages

/// Converts records between their stored form, with our ids of people, and the server's form, with the server's ids.
struct RemoteNames {
  let database: Database
  let account: Int64

  /// The record in the server's form.
  ///
  /// - Parameter content: The content to convert: that of the record, of the last attempt, or of the base.
  func remote(_ record: StoredRecord, saying content: AnyRecord) throws -> RemoteRecord {
    var remote = RemoteRecord()
    remote.monicaID = record.monicaID
    if let stamp = record.remoteStamp { remote.updatedAt = .init(nanosecondsSince1970: stamp) }
    remote.clientID = record.id
    let people = try self.serverIDs(ofPeople: content.people)
    remote.owner = people[content.record.personID] ?? 0
    switch content.stripped {
    case .activity(var activity):
      remote.others = activity.participants.compactMap { people[$0] }
      remote.owner = remote.others.first ?? remote.owner
      activity.participants = []
      remote.record = activity.any
    case .relationship(var relationship):
      remote.others = [relationship.otherID].compactMap { people[$0] }
      relationship.otherID = ""
      remote.record = relationship.any
    case let other: remote.record = other
    }
    return remote
  }

  /// The record in its stored form.
  ///
  /// - Parameter people: Our ids of the people that the record names, by the server's ids.
  /// - Returns: nil for a message without a record.
  func content(of remote: RemoteRecord, people: [UInt64: String]) -> AnyRecord? {
    guard let record = remote.record else { return nil }
    var content = record.stripped
    let others = remote.others.compactMap { people[$0] }
    switch content {
    case .activity(var activity):
      activity.participants = others.isEmpty ? [people[remote.owner]].compactMap { $0 } : others
      activity.personID = activity.participants.first ?? ""
      return activity.any
    case .relationship(var relationship):
      relationship.otherID = others.first ?? ""
      content = relationship.any
    default: break
    }
    content.edit { $0.personID = people[remote.owner] ?? "" }
    return content
  }

  /// The server's ids of the people that a record names.
  static func people(of remote: RemoteRecord) -> [UInt64] { ([remote.owner] + remote.others).filter { $0 != 0 } }

  /// Our ids of people, by the server's; deleted ones included.
  func people(_ serverIDs: [UInt64]) throws -> [UInt64: String] {
    var people: [UInt64: String] = [:]
    try EngineStatement(
      self.database,
      """
      SELECT monica_id, uuid FROM record
      WHERE account = ? AND kind = 1 AND monica_id IN (SELECT value FROM json_each(?))
      """
    ).forEach([.integer(self.account), .text(ColumnValues.array(serverIDs.map { Int64(bitPattern: $0) }))]) { row in
      people[UInt64(bitPattern: row.integer(0))] = row.text(1)
    }
    return people
  }

  /// The server's ids of people, by ours; deleted people included, because the server may not have deleted them yet.
  private func serverIDs(ofPeople ids: [String]) throws -> [String: UInt64] {
    guard !ids.isEmpty else { return [:] }
    var people: [String: UInt64] = [:]
    try EngineStatement(
      self.database,
      """
      SELECT uuid, monica_id FROM record
      WHERE uuid IN (SELECT value FROM json_each(?)) AND kind = 1 AND monica_id IS NOT NULL
      """
    ).forEach([.text(ColumnValues.array(ids))]) { people[$0.text(0)] = UInt64(bitPattern: $0.integer(1)) }
    return people
  }
}

extension RemoteRecord.OneOf_Record {
  /// The server's record, completed with what the server does not return: fields of the hub, the middle name, our ids of
  /// messages.
  ///
  /// - Parameters:
  ///   - local: The stored record.
  ///   - known: The last known version of the server, or the last one that was sent.
  func completed(local: AnyRecord?, known: AnyRecord?) -> AnyRecord {
    switch local.map(self.takingHubFields(of:)) ?? self {
    case .person(var person):
      if person.middleName.isEmpty, case .person(let known)? = known { person.middleName = known.middleName }
      return person.any
    case .conversation(var conversation):
      var ids: [UInt64: String] = [:]
      for case .conversation(let known)? in [known, local] {
        for message in known.messages where message.monicaID != 0 { ids[message.monicaID] = message.id }
      }
      for index in conversation.messages.indices where conversation.messages[index].id.isEmpty {
        conversation.messages[index].id = ids[conversation.messages[index].monicaID] ?? UUIDv7.make().text
      }
      return conversation.any
    case let other: return other
    }
  }

  /// The record with the person `old` replaced by `new`.
  func replacing(person old: String, with new: String) -> AnyRecord {
    var record = self
    if record.record.personID == old { record.edit { $0.personID = new } }
    switch record {
    case .activity(var activity):
      activity.participants = activity.participants.map { $0 == old ? new : $0 }
      return activity.any
    case .relationship(var relationship):
      if relationship.otherID == old { relationship.otherID = new }
      return relationship.any
    default: return record
    }
  }
}
