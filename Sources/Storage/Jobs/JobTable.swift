public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// The jobs of workers, kept for a day after their end.
  static let jobs = Migration(
    name: "jobs",
    sql: """
      -- inputs: a Job message with nothing else. command: until the reply is there. reply: where somebody may come back for it.
      CREATE TABLE job (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        kept INTEGER NOT NULL,
        service TEXT NOT NULL,
        state TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        losses INTEGER NOT NULL,
        worker TEXT NOT NULL,
        instance TEXT NOT NULL,
        lease TEXT NOT NULL,
        batches INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        command BLOB NOT NULL,
        inputs BLOB NOT NULL,
        checkpoint BLOB NOT NULL,
        status BLOB NOT NULL,
        reply BLOB NOT NULL
      ) STRICT;
      CREATE INDEX job_key ON job (key) WHERE kept = 1;
      CREATE INDEX job_unended ON job (id) WHERE state IN ('queued', 'leased', 'unknown');
      CREATE INDEX job_ended ON job (updated_at, id) WHERE state NOT IN ('queued', 'leased');
      """)
}

extension DatabaseView {
  /// The jobs of workers.
  public var jobs: JobTable<Self> { JobTable(view: self) }
}

/// The jobs that are queued, leased, or ended within the last day.
public struct JobTable<View: DatabaseView> {
  let view: View

  /// A job that must exist.
  ///
  /// - Throws: `NOT_FOUND/JOB_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> JobRecord {
    guard let record = try self.find(id) else {
      throw Failure(
        .notFound, "JOB_UNKNOWN",
        "There is no job '\(id.prefix(64))'. `kith jobs list` lists the jobs of the last day.",
        details: ["job_id": String(id.unicodeScalars.prefix(64))])
    }
    return record
  }

  /// A job; nil if the id is unknown.
  public func find(_ id: String) throws(Failure) -> JobRecord? {
    try self.rows("WHERE uuid = ?", [.text(id)]).first
  }

  /// The newest kept job under a key: one whose caller may come back for it.
  public func kept(under key: String) throws(Failure) -> JobRecord? {
    try self.rows("WHERE key = ? AND kept = 1 ORDER BY id DESC LIMIT 1", [.text(key)]).first
  }

  /// The jobs that are open or of unknown outcome, the oldest first.
  public func unended() throws(Failure) -> [JobRecord] {
    try self.rows("WHERE state \([JobState.queued, .leased, .unknown].inSQL) ORDER BY id", [])
  }

  /// A page of jobs, the newest first. It ends early if the reply would become too large.
  ///
  /// - Throws: `FIELD_INVALID` for the cursor or the state.
  public func page(_ request: ListJobsRequest) throws(Failure) -> ListJobsReply {
    guard request.state.isEmpty || request.knownState != nil else {
      let states = JobState.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(field: "state", "'\(request.state.prefix(32))' is not a state; the states are \(states).")
    }
    let limit = PageLimit.records(request.limit, most: 200)
    let before = request.cursor.isEmpty ? Int64.max : try PageCursor(text: request.cursor).row
    let found = try self.numbered(
      "WHERE id < ? AND (? = '' OR state = ?) ORDER BY id DESC LIMIT ?",
      [.integer(before), .text(request.state), .text(request.state), .integer(Int64(limit + 1))], hasBodies: false)
    var page = Page<JobInfo>(limit: limit)
    for (row, record) in found {
      let info = JobInfo(record)
      guard page.hasRoom(for: try Encoding.pb.encode(info).count) else { break }
      page.append(info, at: PageCursor(key: "", row: row))
    }
    var reply = ListJobsReply()
    reply.jobs = page.records
    reply.nextCursor = page.nextCursor
    return reply
  }

  private func rows(_ condition: String, _ values: [EngineValue]) throws(Failure) -> [JobRecord] {
    try self.numbered(condition, values).map(\.record)
  }

  /// - Parameter hasBodies: Whether to read command, inputs, checkpoint and reply, which may be large.
  private func numbered(
    _ condition: String, _ values: [EngineValue], hasBodies: Bool = true
  ) throws(Failure) -> [(row: Int64, record: JobRecord)] {
    let bodies = hasBodies ? "command, inputs, checkpoint, reply" : "x'', x'', x'', x''"
    return try self.view.attempt { database in
      var found: [(row: Int64, record: JobRecord)] = []
      try EngineStatement(
        database,
        """
        SELECT id, uuid, key, kept, service, state, attempt, losses, worker, instance, lease, batches, created_at,
          updated_at, status, \(bodies)
        FROM job \(condition)
        """
      ).forEach(values) { row in
        var record = JobRecord(
          id: row.text(1), key: row.text(2), isKept: row.integer(3) == 1, service: row.text(4), command: row.blob(15),
          inputs: try Job(serializedBytes: row.blob(16)).inputs, createdAt: row.integer(12))
        record.state = JobState(rawValue: row.text(5)) ?? .failed
        record.attempt = UInt32(clamping: row.integer(6))
        record.losses = UInt32(clamping: row.integer(7))
        record.worker = row.text(8)
        record.instance = row.text(9)
        record.leaseID = row.text(10)
        record.batches = UInt32(clamping: row.integer(11))
        record.updatedAt = row.integer(13)
        record.status = try Status(serializedBytes: row.blob(14))
        record.checkpoint = row.blob(17)
        record.reply = row.blob(18)
        found.append((row.integer(0), record))
      }
      return found
    }
  }
}

extension JobTable where View == Transaction {
  /// Inserts a new job and appends an event.
  public func insert(_ record: JobRecord) throws(Failure) {
    var inputs = Job()
    inputs.inputs = record.inputs
    let inputBytes = try Encoding.pb.encode(inputs)
    try self.view.attempt { database in
      try database.run(
        """
        INSERT INTO job (uuid, key, kept, service, state, attempt, losses, worker, instance, lease, batches, created_at,
          updated_at, command, inputs, checkpoint, status, reply)
        VALUES (?, ?, ?, ?, ?, 0, 0, '', '', '', 0, ?, ?, ?, ?, zeroblob(0), zeroblob(0), zeroblob(0))
        """, .text(record.id), .text(record.key), .integer(record.isKept ? 1 : 0), .text(record.service),
        .text(record.state.rawValue), .integer(record.createdAt), .integer(record.updatedAt), .blob(record.command),
        .blob(inputBytes))
    }
    try self.publish(record)
  }

  /// Stores a job's new state, and appends an event if state or attempt changed.
  ///
  /// An ended job does not change, except when an unknown outcome becomes known.
  public func update(_ record: JobRecord, now: Int64) throws(Failure) {
    guard let before = try self.find(record.id), before.state.isOpen || before.state == .unknown else { return }
    try self.write(record, now: now)
    if before.state != record.state || before.attempt != record.attempt { try self.publish(record) }
  }

  /// Queues a dead job again and resets its count of lost workers.
  ///
  /// - Throws: `FAILED_PRECONDITION/JOB_NOT_RETRYABLE` for every other state: the caller has already used that result.
  public func retry(_ record: inout JobRecord, now: Int64) throws(Failure) {
    guard record.state == .dead else {
      throw Failure(
        .failedPrecondition, "JOB_NOT_RETRYABLE",
        "The job is \(record.state.rawValue). Only a dead job, which five workers failed to run, can be retried; "
          + "`kith care retry` has the recording of an entry transcribed again.")
    }
    record.state = .queued
    record.losses = 0
    record.status = Status()
    try self.write(record, now: now)
    try self.publish(record)
  }

  /// Deletes a slice of the jobs that ended before a moment or are over the limit.
  ///
  /// - Returns: Whether there may be more.
  public func expire(before: Int64, limit: Int) throws(Failure) -> Bool {
    let slice = 200
    let old = try self.view.attempt { database in
      try database.all(
        """
        SELECT id, uuid FROM job WHERE state NOT \([JobState.queued, .leased].inSQL)
          AND (updated_at < ?1 OR id <= (SELECT id FROM job ORDER BY id DESC LIMIT 1 OFFSET ?2))
        ORDER BY updated_at, id LIMIT ?3
        """, .integer(before), .integer(Int64(limit)), .integer(Int64(slice))
      ) { (row: $0.integer(0), id: $0.text(1)) }
    }
    for job in old {
      try self.view.attempt { try $0.run("DELETE FROM job WHERE id = ?", .integer(job.row)) }
      var event = Event()
      event.job.jobID = job.id
      try self.view.emit(event, on: EventStream.jobs.name, key: job.id, tombstone: true)
    }
    return old.count == slice
  }

  private func write(_ record: JobRecord, now: Int64) throws(Failure) {
    let status = try Encoding.pb.encode(record.status)
    try self.view.attempt { database in
      try database.run(
        """
        UPDATE job SET state = ?, attempt = ?, losses = ?, worker = ?, instance = ?, lease = ?, batches = ?,
          updated_at = ?, command = ?, checkpoint = ?, status = ?, reply = ? WHERE uuid = ?
        """, .text(record.state.rawValue), .integer(Int64(record.attempt)), .integer(Int64(record.losses)),
        .text(record.worker), .text(record.instance), .text(record.leaseID), .integer(Int64(record.batches)),
        .integer(now), .blob(record.state == .done ? [] : record.command), .blob(record.checkpoint), .blob(status),
        .blob(record.reply), .text(record.id))
    }
  }

  private func publish(_ record: JobRecord) throws(Failure) {
    var event = Event()
    event.job.jobID = record.id
    event.job.capability = record.service
    event.job.knownState = record.state
    event.job.attempt = record.attempt
    event.job.worker = record.worker
    if record.status.code != .ok {
      // Without the message, which may name what the job was about.
      event.job.status.code = record.status.code
      event.job.status.reason = record.status.reason
    }
    try self.view.emit(event, on: EventStream.jobs.name, key: record.id)
  }
}

extension JobInfo {
  /// The job as stored.
  public init(_ record: JobRecord) {
    self.init()
    self.jobID = record.id
    self.service = record.service
    self.knownState = record.state
    self.attempt = record.attempt
    self.losses = record.losses
    self.worker = record.worker
    if let failure = record.failure { self.status = failure.status }
    self.createdAt = .init(nanosecondsSince1970: record.createdAt)
    self.updatedAt = .init(nanosecondsSince1970: record.updatedAt)
    self.batches = record.batches
  }
}
