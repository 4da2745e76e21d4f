import EventLoop
import TestKit
import Testing

@testable import Bus

@Suite struct AsyncLockTests {
  private let lock = AsyncLock()
  private let log = Lock<[String]>([])

  /// A task that holds the lock until it is told to release it.
  private func holder() async -> (task: Task<Void, any Error>, release: AsyncStream<Void>.Continuation) {
    let (released, release) = AsyncStream<Void>.makeStream()
    let (taken, take) = AsyncStream<Void>.makeStream()
    let task = Task { [lock] in
      try await lock.withLock { () async throws(Failure) in
        take.yield()
        for await _ in released { break }
      }
    }
    for await _ in taken { break }
    return (task, release)
  }

  private func asker(_ name: String) -> Task<Void, any Error> {
    Task { [lock, log] in
      try await lock.withLock { () async throws(Failure) in log.withLock { $0.append(name) } }
    }
  }

  @Test func itIsHadInTheOrderOfThoseWhoWait() async throws {
    let (first, release) = await self.holder()
    #expect(self.lock.waiting == 0)
    var tasks: [Task<Void, any Error>] = []
    for number in 1...5 {
      tasks.append(self.asker("\(number)"))
      try await until { self.lock.waiting == number }
    }
    release.yield()
    for task in tasks { try await task.value }
    try await first.value
    #expect(self.log.withLock { $0 } == ["1", "2", "3", "4", "5"])
    #expect(self.lock.waiting == 0)
  }

  @Test func whoIsCancelledWaitsNoLonger() async throws {
    let (first, release) = await self.holder()
    let (given, kept) = (self.asker("given up"), self.asker("kept"))
    try await until { self.lock.waiting == 2 }
    given.cancel()
    await #expect(throws: Failure.cancelled) { try await given.value }
    release.yield()
    try await kept.value
    try await first.value
    #expect(self.log.withLock { $0 } == ["kept"])
  }

  @Test func whoWasCancelledBeforeDoesNotWaitAtAll() async throws {
    let (first, release) = await self.holder()
    let late = Task { [lock] in
      while !Task.isCancelled { await Task.yield() }
      try await lock.withLock { () async throws(Failure) in }
    }
    late.cancel()
    await #expect(throws: Failure.cancelled) { try await late.value }
    release.yield()
    try await first.value
  }

  @Test func workThatFailsLetsItGo() async throws {
    await #expect(throws: Failure.cancelled) {
      try await self.lock.withLock { () async throws(Failure) in throw .cancelled }
    }
    try await self.asker("next").value
    #expect(self.log.withLock { $0 } == ["next"])
  }

  @Test func manyThatComeAndGiveUpNeverHaveItTogether() async throws {
    let inside = Lock(0)
    let tasks = (0..<500).map { _ in
      Task { [lock] in
        try await lock.withLock { () async throws(Failure) in
          #expect(
            inside.withLock {
              $0 += 1; return $0
            } == 1)
          await Task.yield()
          inside.withLock { $0 -= 1 }
        }
      }
    }
    for (number, task) in tasks.enumerated() where number % 3 == 0 { task.cancel() }
    for task in tasks { _ = await task.result }
    #expect(self.lock.waiting == 0)
    try await self.asker("last").value
  }
}
