import BusZeroMQ
import KithMessages
import Logging
import Storage
import TestKit
import Testing

@testable import Bus
@testable import Hub

/// What people do about jobs, where the store and the plane have to agree.
@Suite(.timeLimit(.minutes(5))) struct JobRoutesTests {
  /// A plane that has taken up a job from the process before, whose caller has not come back.
  private func waiting(_ post: WorkerPortTests.Post) async throws -> (plane: WorkPlane, job: String) {
    let first = try await post.open()
    let call = post.ask("one", under: "attempt", first)
    try await post.until(first) { $0.queued == 1 }
    try await post.stop(first, call)
    let plane = try await post.open()
    let page = try await post.storage.read { view throws(Failure) in try view.jobs.page(ListJobsRequest()) }
    let job = try #require(page.jobs.first?.jobID)
    #expect(await plane.waitsFor(job) == .caller)
    return (plane, job)
  }

  private func cancel(_ job: String, _ storage: StorageActor, _ plane: WorkPlane) async throws(Failure) -> String {
    let routes = JobRoutes(storage: storage, plane: plane, placement: Placement())
    var request = CancelJobRequest()
    request.jobID = job
    return try await LocalBatchPort(routes.routes, batches: []).ask(request).job.state
  }

  @Test("A job whose cancelling could not be stored is done when its caller comes back")
  func notStored() async throws {
    let post = try await WorkerPortTests.Post()
    let (plane, job) = try await self.waiting(post)
    let closed = try StorageActor(
      directory: post.directory.file("closed"), logger: Logger(label: "closed") { _ in SwiftLogNoOpLogHandler() }
    ) { _ in }
    await closed.close()
    await #expect(throws: Failure.self) { try await self.cancel(job, closed, plane) }
    let again = post.ask("one", under: "attempt", plane, timeout: .seconds(30))
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    post.mayEnd.continuation.finish()
    #expect(try await again.value.receipt == "receipt of one")
    try await post.close(plane, worker, serving)
  }

  @Test("A job that is cancelled while it waits for its caller is gone from the plane, and its caller begins another")
  func stored() async throws {
    let post = try await WorkerPortTests.Post()
    let (plane, job) = try await self.waiting(post)
    #expect(try await self.cancel(job, post.storage, plane) == "cancelled")
    #expect(await plane.status(placed: []).queued == 0)
    let again = post.ask("two", under: "attempt", plane, timeout: .seconds(30))
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    post.mayEnd.continuation.finish()
    #expect(try await again.value.receipt == "receipt of two")
    try await post.close(plane, worker, serving)
  }
}
