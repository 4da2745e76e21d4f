public import Bus
internal import Foundation
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension DatabaseView {
  /// What is on its way over channels, and what became of the rest.
  public var deliveries: DeliveryTable<Self> { DeliveryTable(view: self) }
}

/// The one queue of everything that goes over channels.
public struct DeliveryTable<View: DatabaseView> {
  let view: View

  /// A delivery; nil when there is none of that id.
  public func get(_ id: String) throws(Failure) -> DeliveryEntry? { try self.entries("WHERE uuid = ?", [id]).first }

  /// A delivery that has to be there.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> DeliveryEntry {
    guard let entry = try self.get(id) else {
      throw .unknownRecord(
        id, "There is no delivery '\(id.prefix(64))'. `kith channels deliveries` lists them.")
    }
    return entry
  }

  /// What a delivery says; nil when that is not kept any more.
  public func notice(of id: String) throws(Failure) -> Notice? {
    try self.view.attempt { database in
      try Data.fetchOne(
        database.cachedStatement(sql: "SELECT notice FROM delivery WHERE uuid = ? AND notice IS NOT NULL"),
        arguments: [id]
      ).map { try Notice(serializedBytes: [UInt8]($0)) }
    }
  }

  /// The first of each channel that waits or is under way: the others of the channel come after it.
  public func heads() throws(Failure) -> [DeliveryEntry] {
    try self.entries(
      "WHERE id IN (SELECT min(id) FROM delivery WHERE state IN ('pending', 'sending') GROUP BY channel) ORDER BY id",
      [])
  }

  /// The newest of a channel.
  public func last(on channel: String) throws(Failure) -> DeliveryEntry? {
    try self.entries("WHERE channel = ? ORDER BY id DESC LIMIT 1", [channel]).first
  }

  /// What was sent about a reminder, the newest of each channel.
  public func newest(about reminder: String) throws(Failure) -> [DeliveryEntry] {
    try self.entries(
      "WHERE id IN (SELECT max(id) FROM delivery WHERE reminder = ? AND reminder <> '' GROUP BY channel) ORDER BY channel",
      [reminder])
  }

  /// A page of deliveries, newest first; fewer than asked for where they say so much that one reply does not hold them.
  ///
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(_ request: ListDeliveriesRequest) throws(Failure) -> ListDeliveriesReply {
    let limit = PageLimit.records(request.limit)
    let start = request.cursor.isEmpty ? Int64.max : try PageCursor(text: request.cursor).row
    let rows = try self.view.attempt { database in
      try Row.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT body, id FROM delivery WHERE (?1 = '' OR channel = ?1) AND (?2 = '' OR state = ?2) AND id < ?3
            ORDER BY id DESC LIMIT ?4
            """), arguments: [request.channel, request.state, start, limit + 1]
      ).map { (try DeliveryEntry(serializedBytes: [UInt8]($0[0] as Data)), $0[1] as Int64) }
    }
    var page = Page<DeliveryEntry>(limit: limit)
    for (entry, row) in rows {
      guard page.hasRoom(for: try Encoding.pb.encode(entry).count) else { break }
      page.append(entry, at: PageCursor(key: "", row: row))
    }
    var reply = ListDeliveriesReply()
    reply.deliveries = page.records
    reply.nextCursor = page.nextCursor
    return reply
  }

  func entries(_ condition: String, _ arguments: StatementArguments) throws(Failure) -> [DeliveryEntry] {
    try self.view.attempt { database in
      try Data.fetchAll(
        database.cachedStatement(sql: "SELECT body FROM delivery \(condition)"), arguments: arguments
      ).map { try DeliveryEntry(serializedBytes: [UInt8]($0)) }
    }
  }
}
