internal import Bus
internal import BusZeroMQ
internal import EventLoop
internal import KithMessages
internal import Storage

/// The methods of `kith.v1.Jobs`: listing, retrying and cancelling jobs.
struct JobRoutes: Sendable {
  let storage: StorageActor
  let plane: WorkPlane
  let placement: Placement

  var routes: [Route] {
    [
      Route(ListJobsRequest.self) { request, _ throws(Failure) in
        var reply = try await self.storage.read { view throws(Failure) in try view.jobs.page(request) }
        for index in reply.jobs.indices { await self.plane.describe(&reply.jobs[index]) }
        reply.workers = await self.status().workers
        return reply
      },
      Route(GetJobRequest.self) { request, _ throws(Failure) in
        var reply = JobReply()
        reply.job = JobInfo(
          try await self.storage.read { view throws(Failure) in try view.jobs.require(request.jobID) })
        await self.plane.describe(&reply.job)
        return reply
      },
      Route(answering: RetryJobRequest.self) { request, context throws(Failure) in
        let answer = try await self.storage.commit(RetryJobRequest.self, context) { transaction throws(Failure) in
          var record = try transaction.jobs.require(request.jobID)
          guard Self.codec(of: record)?.isAskedAgain ?? false else { throw Self.obsolete(record) }
          try transaction.jobs.retry(&record, now: WallClock.nanoseconds())
          return Self.reply(record)
        }
        let record = try await self.storage.read { view throws(Failure) in try view.jobs.require(request.jobID) }
        // When the reply is replayed, the job may have been leased or ended since.
        if record.state == .queued { self.plane.post { $0.retry(record) } }
        return answer
      },
      Route(answering: CancelJobRequest.self) { request, context throws(Failure) in
        // The plane decides: a worker may hold or have ended the job before the store knows.
        let end = await self.plane.cancel(request.jobID)
        let answer = try await self.storage.commit(CancelJobRequest.self, context) { transaction throws(Failure) in
          var record = try transaction.jobs.require(request.jobID)
          guard record.state.isOpen else { return Self.reply(record) }
          record.state = end ?? .cancelled
          // The plane stores a result itself, with its reply.
          if record.state == .cancelled || record.state == .unknown {
            try transaction.jobs.update(record, now: WallClock.nanoseconds())
          }
          return Self.reply(record)
        }
        if answer.reply.job.knownState == .cancelled { await self.plane.cancelled(request.jobID) }
        return answer
      },
    ]
  }

  /// The work plane's part of `System/Status`.
  func status() async -> WorkStatus { await self.plane.status(placed: self.placement.onWorkers.map(\.name).sorted()) }

  private static func codec(of record: JobRecord) -> JobCodec? {
    Placement.codecs.first { $0.method.name == record.service }
  }

  private static func obsolete(_ record: JobRecord) -> Failure {
    Failure(
      .failedPrecondition, "JOB_NOT_RETRYABLE",
      "This job is obsolete. \(record.service.prefix { $0 != "/" }) starts a new one when it is needed."
    )
  }

  private static func reply(_ record: JobRecord) -> JobReply {
    var reply = JobReply()
    reply.job = JobInfo(record)
    return reply
  }
}
