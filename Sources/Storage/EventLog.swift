internal import Bus
internal import Foundation
internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// Reads the event log.
struct EventLog {
  let view: ReadView
  /// The epoch of the open log.
  let epoch: String

  /// The events of a stream after a position: at most 500, and as many as fit a reply.
  ///
  /// - Throws: `NOT_FOUND` for an unknown stream; `OUT_OF_RANGE/SEQ_COMPACTED` or `OUT_OF_RANGE/EPOCH_CHANGED` if the
  ///   client needs a snapshot.
  func replay(_ request: ReplayRequest) throws(Failure) -> ReplayReply {
    let stream = try EventStream(named: request.stream)
    let (head, first) = try self.bounds(of: stream)
    guard request.epoch.isEmpty || request.epoch == self.epoch, request.afterSeq <= head else { throw .epochChanged }
    guard request.afterSeq + 1 >= first else {
      throw Failure(
        .outOfRange, "SEQ_COMPACTED",
        "The events of '\(stream.name)' up to \(first - 1) are no longer kept. Take a Snapshot.",
        details: ["first_available": "\(first)"])
    }
    var reply = ReplayReply()
    reply.firstAvailable = first
    reply.head = StreamPosition(stream: stream, epoch: self.epoch, seq: head)
    reply.events = try self.page(
      stream, limit: request.limit,
      sql: "SELECT \(Self.columns) FROM event WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?",
      [.integer(Int64(stream.rawValue)), .integer(Int64(request.afterSeq))])
    reply.more = (reply.events.last?.header.seq ?? request.afterSeq) < head
    return reply
  }

  /// The last event of every live key, a page at a time, with the position to replay from.
  ///
  /// All pages together are the state at the position of the first page. Later pages leave out what changed since,
  /// because the replay has it.
  ///
  /// - Throws: `NOT_FOUND`; `INVALID_ARGUMENT` for an invalid page token; `OUT_OF_RANGE/EPOCH_CHANGED`.
  func snapshot(_ request: SnapshotRequest) throws(Failure) -> SnapshotReply {
    let stream = try EventStream(named: request.stream)
    let (head, _) = try self.bounds(of: stream)
    let token = try SnapshotToken(request.pageToken, epoch: self.epoch, head: head)
    var reply = SnapshotReply()
    reply.position = StreamPosition(stream: stream, epoch: self.epoch, seq: token.position)
    reply.lastByKey = try self.page(
      stream, limit: request.limit,
      sql: """
        SELECT \(Self.columns) FROM last_event JOIN event USING (stream, seq)
        WHERE last_event.stream = ? AND last_event.seq > ? AND last_event.seq <= ? ORDER BY last_event.seq LIMIT ?
        """,
      [.integer(Int64(stream.rawValue)), .integer(Int64(token.after)), .integer(Int64(token.position))])
    guard let last = reply.lastByKey.last?.header.seq else { return reply }
    let isMore = try self.view.attempt { database in
      try database.first(
        "SELECT 1 FROM last_event WHERE stream = ? AND seq > ? AND seq <= ? LIMIT 1", .integer(Int64(stream.rawValue)),
        .integer(Int64(last)), .integer(Int64(token.position))
      ) { _ in true } ?? false
    }
    if isMore { reply.nextPageToken = SnapshotToken(epoch: self.epoch, position: token.position, after: last).text }
    return reply
  }

  private func bounds(of stream: EventStream) throws(Failure) -> (head: UInt64, first: UInt64) {
    try self.view.attempt { database in
      try database.first("SELECT seq, first_seq FROM stream WHERE id = ?", .integer(Int64(stream.rawValue))) {
        (UInt64($0.integer(0)), UInt64($0.integer(1)))
      } ?? (0, 1)
    }
  }

  private func page(
    _ stream: EventStream, limit: UInt32, sql: String, _ values: [EngineValue]
  ) throws(Failure) -> [LoggedEvent] {
    let count = PageLimit.records(limit, usual: Self.maximumEvents, most: Self.maximumEvents)
    return try self.view.attempt { database in
      var page = Page<LoggedEvent>(limit: count)
      try EngineStatement(database, sql).takeRows(values + [.integer(Int64(count))]) { row in
        let payload = row.blob(5)
        guard page.hasRoom(for: payload.count + Self.headerBytes) else { return false }
        var logged = LoggedEvent()
        logged.header.stream = stream.name
        logged.header.epoch = self.epoch
        logged.header.seq = UInt64(row.integer(0))
        logged.header.key = row.text(1)
        logged.header.time = .init(nanosecondsSince1970: row.integer(2))
        logged.header.causeRequestID = row.text(3)
        logged.header.tombstone = row.integer(4) != 0
        logged.event = try Event(serializedBytes: payload)
        page.append(logged)
        return true
      }
      return page.records
    }
  }

  private static let columns = "event.seq, event.key, event.time, event.cause, event.tombstone, event.payload"
  private static let maximumEvents = 500
  /// An estimate of a header with its names.
  private static let headerBytes = 200
}

/// Where the next page of a snapshot begins.
struct SnapshotToken {
  private let epoch: String
  /// The position of the whole snapshot.
  let position: UInt64
  /// The number of the last event that was returned.
  let after: UInt64

  init(epoch: String, position: UInt64, after: UInt64) {
    self.epoch = epoch
    self.position = position
    self.after = after
  }

  /// Parses a token; empty = the first page, at `head`.
  init(_ text: String, epoch: String, head: UInt64) throws(Failure) {
    guard !text.isEmpty else {
      self.init(epoch: epoch, position: head, after: 0)
      return
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let position = UInt64(parts[1]), let after = UInt64(parts[2]), after <= position else {
      throw .invalid(field: "page_token", "is not one that a Snapshot gave. Leave it empty for the first page.")
    }
    guard parts[0] == epoch, position <= head else { throw .epochChanged }
    self.init(epoch: epoch, position: position, after: after)
  }

  var text: String { "\(self.epoch).\(self.position).\(self.after)" }
}

extension Failure {
  static let epochChanged = Failure(
    .outOfRange, "EPOCH_CHANGED",
    "The event log is not the one that this position belongs to, as after a restore. Take a Snapshot.")
}
