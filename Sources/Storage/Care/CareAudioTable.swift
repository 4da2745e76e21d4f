public import Bus
internal import GRDB
internal import KithMessages

extension DatabaseView {
  /// The sound that waits to be transcribed.
  public var careAudio: CareAudioTable<Self> { CareAudioTable(view: self) }
}

/// The sound of an entry, from before its file is made until after it is unlinked.
public struct CareAudio: Sendable, Equatable {
  /// Where the file is in its life.
  public enum State: String, Sendable {
    /// It grows.
    case recording
    /// It is whole and waits to be transcribed.
    case waiting
    /// Its words are stored: it may be unlinked, and then the row goes.
    case deleting
  }

  /// The id of the entry.
  public let record: String
  /// The name of the file, without folder and extension.
  public let name: String
  /// Where the file is in its life.
  public var state: State
  /// What is spoken, BCP 47.
  public var language: String
  /// How often it was tried to be transcribed.
  public var attempts: Int
  /// Numbers the attempt that is under way or comes next, and with it the job of a worker: the same until it has come
  /// to something.
  public var attempt: Int
  /// When it is tried again, nanoseconds since 1970; nil = a person has to decide.
  public var nextAttemptAt: Int64?
  /// When recording began, or its first sound came.
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

/// The sound that waits to be transcribed.
public struct CareAudioTable<View: DatabaseView> {
  let view: View

  /// Everything, the oldest first.
  public func all() throws(Failure) -> [CareAudio] { try self.rows("", []) }

  /// The sound of an entry; nil when it has none, or none any more.
  public func of(_ record: String) throws(Failure) -> CareAudio? {
    try self.rows("WHERE care_record.uuid = ?", [record]).first
  }

  private func rows(_ condition: String, _ arguments: StatementArguments) throws(Failure) -> [CareAudio] {
    try self.view.attempt { database in
      try Row.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT care_record.uuid, name, care_audio.state, language, attempts, attempt, next_attempt_at, since, steady,
              boot
            FROM care_audio JOIN care_record ON care_record.id = care_audio.record \(condition)
            ORDER BY since, care_audio.record
            """), arguments: arguments
      ).map {
        CareAudio(
          record: $0[0], name: $0[1], state: CareAudio.State(rawValue: $0[2]) ?? .waiting, language: $0[3],
          attempts: $0[4], attempt: $0[5], nextAttemptAt: $0[6],
          since: ClockReading(wall: $0[7], steady: $0[8], boot: $0[9]))
      }
    }
  }
}

extension CareAudioTable where View == Transaction {
  /// Writes the row of an entry's sound, in the place of what it was.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the entry.
  public func put(_ audio: CareAudio) throws(Failure) {
    let record = try self.row(audio.record)
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO care_audio (record, name, state, language, attempts, attempt, next_attempt_at, since, steady, boot)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (record) DO UPDATE SET state = excluded.state, language = excluded.language,
          attempts = excluded.attempts, attempt = excluded.attempt, next_attempt_at = excluded.next_attempt_at,
          since = excluded.since, steady = excluded.steady, boot = excluded.boot
        """
      ).run([
        .integer(record), .text(audio.name), .text(audio.state.rawValue), .text(audio.language),
        .integer(Int64(audio.attempts)), .integer(Int64(audio.attempt)),
        audio.nextAttemptAt.map { .integer($0) } ?? .null, .integer(audio.since.wall),
        .integer(audio.since.steady), .text(audio.since.boot),
      ])
    }
  }

  /// Puts the times of day right at which recordings began, where the clock was set since: they are as old as the clock says that
  /// nobody sets.
  ///
  /// Of sound from before the machine was started, nobody can tell how old it is but by the time of day.
  ///
  /// - Parameter clock: What the clocks show.
  public func follow(_ clock: ClockReading) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        UPDATE care_audio SET since = ?1 - (?2 - steady)
        WHERE boot = ?3 AND steady <= ?2 AND abs(since - (?1 - (?2 - steady))) >= 1000000000
        """
      ).run([.integer(clock.wall), .integer(clock.steady), .text(clock.boot)])
    }
  }

  /// Takes the row away: the file is gone.
  public func remove(_ record: String) throws(Failure) {
    let row = try self.row(record)
    try self.view.attempt { try EngineStatement($0, "DELETE FROM care_audio WHERE record = ?").run([.integer(row)]) }
  }

  private func row(_ record: String) throws(Failure) -> Int64 {
    guard let (row, _) = try self.view.care.row(record) else {
      throw .unknownRecord(record, "There is no care record '\(record.prefix(64))'.")
    }
    return row
  }
}
