internal import Bus
internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// Appends the events of one group to the log. It exists for the length of a group and runs on the writer's queue.
final class EventAppender {
  /// The group's numbers and events so far.
  private(set) var sequence: GroupSequence
  /// The cause of the events that follow.
  var cause = ""

  private let epoch: String
  private var firsts: [UInt64]
  private let now: Int64
  private var changes: [GatheredChange] = []
  private let insertEvent: EngineStatement
  private let noteLast: EngineStatement

  /// Begins a group.
  ///
  /// - Parameters:
  ///   - position: The positions of the streams.
  ///   - now: Nanoseconds since 1970.
  init(_ database: Database, position: LogPosition, now: Int64) throws {
    self.sequence = GroupSequence(heads: position.heads)
    self.epoch = position.epoch
    self.firsts = position.firsts
    self.now = now
    self.insertEvent = try EngineStatement(
      database, "INSERT INTO event (stream, seq, key, time, cause, tombstone, payload) VALUES (?, ?, ?, ?, ?, ?, ?)")
    self.noteLast = try EngineStatement(
      database,
      """
      INSERT INTO last_event (stream, key, seq) VALUES (?, ?, ?)
      ON CONFLICT (stream, key) DO UPDATE SET seq = excluded.seq
      """)
  }

  func beginMember(cause: String) {
    self.sequence.beginMember()
    self.cause = cause
    self.changes.removeAll()
  }

  func undoMember() { self.sequence.undoMember() }

  /// Adds the bytes that the journal keeps for the member.
  ///
  /// - Returns: The bytes of the group so far.
  func keep(bytes: Int64) -> Int64 {
    self.sequence.keep(bytes: bytes)
    return self.sequence.journalBytes
  }

  /// Adds ids to a kind's `Changed` event, which ``flush(through:)`` appends.
  func gather(_ ids: [String], kind: String, on stream: EventStream) {
    guard !ids.isEmpty else { return }
    if let index = self.changes.firstIndex(where: { $0.kind == kind }) {
      self.changes[index].ids.append(contentsOf: ids)
    } else {
      self.changes.append(GatheredChange(kind: kind, stream: stream, ids: ids))
    }
  }

  /// Appends the gathered `Changed` events.
  func flush(through view: some DatabaseView) throws(Failure) {
    let changes = self.changes
    self.changes.removeAll()
    for change in changes {
      var seen: Set<String> = []
      let ids = change.ids.filter { seen.insert($0).inserted }
      for start in stride(from: 0, to: ids.count, by: Self.idsInChanged) {
        var event = Event()
        event.changed.ids = Array(ids[start..<min(start + Self.idsInChanged, ids.count)])
        event.changed.kind = change.kind
        event.changed.changeSeq = self.sequence[change.stream] + 1
        try self.append(event, on: change.stream.name, key: "", tombstone: false, through: view)
      }
    }
  }

  func append(
    _ event: Event, on name: String, key: String, tombstone: Bool, through view: some DatabaseView
  ) throws(Failure) {
    let stream = try EventStream(named: name)
    let seq = self.sequence.take(stream)
    try view.attempt { database in
      try self.insertEvent.run([
        .integer(Int64(stream.rawValue)), .integer(Int64(seq)), .text(key), .integer(self.now), .text(self.cause),
        .integer(tombstone ? 1 : 0), .blob(try event.serializedBytes()),
      ])
      guard !key.isEmpty else { return }
      if self.firsts[stream.rawValue] > 1 { try self.dropCompactedLast(of: stream, key, database) }
      if tombstone {
        try database.run(
          "DELETE FROM last_event WHERE stream = ? AND key = ?", .integer(Int64(stream.rawValue)), .text(key))
      } else {
        try self.noteLast.run([.integer(Int64(stream.rawValue)), .text(key), .integer(Int64(seq))])
      }
    }
    var header = EventHeader()
    header.stream = name
    header.epoch = self.epoch
    header.seq = seq
    header.key = key
    header.time = .init(nanosecondsSince1970: self.now)
    header.causeRequestID = self.cause
    header.tombstone = tombstone
    var logged = LoggedEvent()
    logged.header = header
    logged.event = event
    self.sequence.record(logged)
  }

  /// The positions of the streams that the current member appended to.
  var effects: [StreamPosition] {
    self.sequence.movedByMember.map { StreamPosition(stream: $0, epoch: self.epoch, seq: self.sequence[$0]) }
  }

  /// The positions of all streams that are not empty.
  var positions: [StreamPosition] {
    EventStream.allCases.filter { self.sequence[$0] > 0 }.map {
      StreamPosition(stream: $0, epoch: self.epoch, seq: self.sequence[$0])
    }
  }

  /// Saves the last numbers of the streams that the group appended to.
  func saveHeads(_ database: Database) throws {
    for stream in self.sequence.movedByGroup {
      try database.run(
        "UPDATE stream SET seq = ? WHERE id = ?", .integer(Int64(self.sequence[stream])),
        .integer(Int64(stream.rawValue)))
    }
  }

  /// Records that a member of this group compacted a stream.
  ///
  /// Not undone with the member; the cost is one DELETE that matches no row.
  func noteCompacted(_ stream: EventStream, from first: UInt64) { self.firsts[stream.rawValue] = first }

  /// Deletes the event that compaction kept only because it was the key's last.
  private func dropCompactedLast(of stream: EventStream, _ key: String, _ database: Database) throws {
    try database.run(
      """
      DELETE FROM event WHERE stream = ?1 AND seq < (SELECT first_seq FROM stream WHERE id = ?1)
        AND seq = (SELECT seq FROM last_event WHERE stream = ?1 AND key = ?2)
      """, .integer(Int64(stream.rawValue)), .text(key))
  }

  private static let idsInChanged = 500
}

/// The changed records of one kind.
private struct GatheredChange {
  let kind: String
  let stream: EventStream
  var ids: [String]
}
