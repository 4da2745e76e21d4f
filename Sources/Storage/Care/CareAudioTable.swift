public import Bus
internal import GRDB
internal import KithMessages

extension DatabaseView {
  /// The recordings that wait for transcription.
  public var careAudio: CareAudioTable<Self> { CareAudioTable(view: self) }
}

/// The sound of an entry. The row is inserted before its file is created and deleted after the file was unlinked.
public struct CareAudio: Sendable, Equatable {
  /// The state of the file.
  public enum State: String, Sendable {
    /// The recording is in progress.
    case recording
    /// The file is complete and waits for transcription.
    case waiting
    /// The transcript is stored: unlink the file, then delete the row.
    case deleting
  }

  /// The id of the entry.
  public let record: String
  /// The name of the file, without folder and extension.
  public let name: String
  /// The state of the file.
  public var state: State
  /// The spoken language, as a BCP 47 tag.
  public var language: String
  /// The number of transcription attempts.
  public var attempts: Int
  /// The number of the attempt in progress or of the next one. It names the worker's job and changes only when the
  /// attempt has ended.
  public var attempt: Int
  /// When the next attempt is due, nanoseconds since 1970; nil if a person has to decide.
  public var nextAttemptAt: Int64?
  /// When the recording began, or its first sound arrived.
  public var since: ClockReading

  /// Makes a row.
  public init(
    record: String, name: String, state: State, language: String, attempts: Int = 0, attempt: Int = 0,
    nextAttemptAt: Int64? = nil, since: ClockReading
  ) {
    self.record = record
    self.name = name
    self.state = state
    self.language = language
    self.attempts = attempts
    self.attempt = attempt
    self.nextAttemptAt = nextAttemptAt
    self.since = since
  }
}

/// The recordings that wait for transcription.
public struct CareAudioTable<View: DatabaseView> {
  let view: View

  /// All rows, the oldest first.
  public func all() throws(Failure) -> [CareAudio] { try self.rows() }

  /// The sound of an entry; nil if it has none or it was removed.
  public func of(_ record: String) throws(Failure) -> CareAudio? {
    try self.rows("WHERE care_record.uuid = ?", .text(record)).first
  }

  private func rows(_ condition: String = "", _ values: EngineValue...) throws(Failure) -> [CareAudio] {
    try self.view.attempt { database in
      var found: [CareAudio] = []
      try EngineStatement(
        database,
        """
        SELECT care_record.uuid, name, care_audio.state, language, attempts, attempt, next_attempt_at, since, steady, boot
        FROM care_audio JOIN care_record ON care_record.id = care_audio.record \(condition)
        ORDER BY since, care_audio.record
        """
      ).forEach(values) { row in
        found.append(
          CareAudio(
            record: row.text(0), name: row.text(1), state: CareAudio.State(rawValue: row.text(2)) ?? .waiting,
            language: row.text(3), attempts: Int(row.integer(4)), attempt: Int(row.integer(5)),
            nextAttemptAt: row.isNull(6) ? nil : row.integer(6),
            since: ClockReading(wall: row.integer(7), steady: row.integer(8), boot: row.text(9))))
      }
      return found
    }
  }
}

extension CareAudioTable where View == Transaction {
  /// Inserts or replaces the row of an entry's sound.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the entry.
  public func put(_ audio: CareAudio) throws(Failure) {
    let record = try self.row(audio.record)
    try self.view.attempt { database in
      try database.run(
        """
        INSERT INTO care_audio (record, name, state, language, attempts, attempt, next_attempt_at, since, steady, boot)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (record) DO UPDATE SET state = excluded.state, language = excluded.language,
          attempts = excluded.attempts, attempt = excluded.attempt, next_attempt_at = excluded.next_attempt_at,
          since = excluded.since, steady = excluded.steady, boot = excluded.boot
        """, .integer(record), .text(audio.name), .text(audio.state.rawValue), .text(audio.language),
        .integer(Int64(audio.attempts)), .integer(Int64(audio.attempt)),
        audio.nextAttemptAt.map { .integer($0) } ?? .null, .integer(audio.since.wall), .integer(audio.since.steady),
        .text(audio.since.boot))
    }
  }

  /// Corrects the stored start times of recordings after the wall clock was set, by the monotonic clock.
  ///
  /// Recordings from before the last boot are left alone: only the wall clock knows their age.
  ///
  /// - Parameter clock: The current reading of both clocks.
  public func follow(_ clock: ClockReading) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        """
        UPDATE care_audio SET since = ?1 - (?2 - steady)
        WHERE boot = ?3 AND steady <= ?2 AND abs(since - (?1 - (?2 - steady))) >= 1000000000
        """, .integer(clock.wall), .integer(clock.steady), .text(clock.boot))
    }
  }

  /// Deletes the row after its file was unlinked.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the entry.
  public func remove(_ record: String) throws(Failure) {
    let row = try self.row(record)
    try self.view.attempt { try $0.run("DELETE FROM care_audio WHERE record = ?", .integer(row)) }
  }

  private func row(_ record: String) throws(Failure) -> Int64 {
    guard let (row, _) = try self.view.care.row(record) else {
      throw .unknownRecord(record, "There is no care record '\(record.prefix(64))'.")
    }
    return row
  }
}
