import CLinux
import Dispatch
import EventLoop
import Glibc
import Logging
import TestKit
import Testing

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Records events of an event loop, with their threads.
private actor Recorder: LoopActor {
  nonisolated let loop: LoopExecutor
  private(set) var values: [Int] = []
  private(set) var threads: Set<Int32> = []
  private let released: @Sendable () -> Void

  init(loop: LoopExecutor, released: @escaping @Sendable () -> Void = {}) {
    self.loop = loop
    self.released = released
  }

  isolated deinit { self.released() }

  func note(_ value: Int) {
    values.append(value)
    threads.insert(kith_gettid())
  }

  func noteAfterSuspensions() async {
    note(0)
    await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
    note(1)
    await Task { self.note(2) }.value
    await elsewhere()
    note(3)
  }

  @concurrent private nonisolated func elsewhere() async {
    #expect(!loop.isCurrent)
  }
}

@Suite(.timeLimit(.minutes(5)))
struct LoopExecutorTests {
  @Test("jobs and closures of one caller run in order")
  func order() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let recorder = Recorder(loop: loop)
      for value in 0..<1000 {
        recorder.post { $0.note(value) }
      }
      #expect(await recorder.values == Array(0..<1000))
    }
  }

  @Test("actor code runs on the loop's thread, whoever calls and after every suspension")
  func isolation() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let recorder = Recorder(loop: loop)
      await recorder.noteAfterSuspensions()
      await Task.detached { await recorder.noteAfterSuspensions() }.value
      await Task(executorPreference: loop) { await recorder.note(9) }.value
      #expect(await recorder.threads.count == 1)
      #expect(await recorder.threads != [kith_gettid()])
      #expect(await recorder.values == [0, 1, 2, 3, 0, 1, 2, 3, 9])
    }
  }

  @Test("a task that prefers the loop runs there")
  func executorPreference() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let isOnLoop = await Task(executorPreference: loop) { loop.isCurrent }.value
      #expect(isOnLoop)
      #expect(!loop.isCurrent)
    }
  }

  @Test("posts from many threads all run, each thread's in order")
  func manyPosters() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let recorder = Recorder(loop: loop)
      await withTaskGroup { group in
        for poster in 0..<8 {
          group.addTask {
            for index in 0..<500 { recorder.post { $0.note(poster * 1000 + index) } }
          }
        }
      }
      let values = await recorder.values
      #expect(values.count == 4000)
      for poster in 0..<8 {
        #expect(values.filter { $0 / 1000 == poster } == (0..<500).map { poster * 1000 + $0 })
      }
    }
  }

  @Test("a loop that is awake is not woken")
  func wakeups() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let recorder = Recorder(loop: loop)
      await recorder.note(0)
      let before = loop.wakeups
      await withCheckedContinuation { done in
        loop.post {
          for value in 1...1000 { recorder.post { $0.note(value) } }
          loop.post { done.resume() }
        }
      }
      #expect(loop.wakeups - before <= 1)
      #expect(await recorder.values.count == 1001)
    }
  }

  @Test("shutdown runs what was enqueued, releases timers, and may be repeated")
  func shutdown() async throws {
    let count = Lock(0)
    let loop = try LoopExecutor(name: "shutdown", poller: DescriptorPoller(), logger: silent)
    do {
      let recorder = Recorder(loop: loop)
      await recorder.schedule(at: .now + .seconds(3600)) { _ in count.withLock { $0 += 1000 } }
    }
    for _ in 0..<100 {
      loop.post { count.withLock { $0 += 1 } }
    }
    await loop.shutdown()
    await loop.shutdown()
    #expect(count.withLock { $0 } == 100)
  }

  @Test("a retired loop has no thread, and what comes later runs all the same, one after another")
  func retire() async throws {
    let loop = try LoopExecutor(name: "retired", poller: DescriptorPoller(), logger: silent)
    let released = Lock(0)
    do {
      let recorder = Recorder(loop: loop, released: { released.withLock { $0 += 1 } })
      await recorder.note(0)
      let thread = try #require(await recorder.threads.first)
      #expect(access("/proc/self/task/\(thread)", F_OK) == 0)
      await loop.retire()
      await loop.retire()
      // The system may list a thread for a moment after it was joined.
      try await until { access("/proc/self/task/\(thread)", F_OK) != 0 }
      await withTaskGroup { group in
        for value in 1...100 { group.addTask { await recorder.note(value) } }
      }
      recorder.post { $0.assumeIsolated { $0.note(101) } }
      #expect(await recorder.values.sorted() == Array(0...101))
      #expect(await !recorder.threads.contains(kith_gettid()))
    }
    // The release of the actor is one of these jobs.
    await withCheckedContinuation { done in loop.post { done.resume() } }
    #expect(released.withLock { $0 } == 1)
  }

  @Test("a job that is slower than the watchdog allows is logged")
  func watchdog() async throws {
    let log = Lock<[String]>([])
    let logger = Logger(label: "test") { _ in MessageLog(messages: log) }
    let loop = try LoopExecutor(name: "slow", poller: DescriptorPoller(), logger: logger, watchdog: .zero)
    loop.post {}
    await loop.shutdown()
    #expect(log.withLock { $0 }.contains("Event loop was held by one job"))
  }

  @Test("a job after the exit traps where assertions are checked", .enabled(if: Self.assertionsAreChecked))
  func enqueueAfterExit() async {
    await #expect(processExitsWith: .failure) {
      let loop = try LoopExecutor(
        name: "late", poller: DescriptorPoller(), logger: Logger(label: "late") { _ in SwiftLogNoOpLogHandler() })
      await loop.shutdown()
      loop.post {}
    }
  }

  private static var assertionsAreChecked: Bool {
    var isChecked = false
    func check() -> Bool {
      isChecked = true
      return true
    }
    assert(check())
    return isChecked
  }
}

/// Records messages.
private struct MessageLog: LogHandler {
  let messages: Lock<[String]>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(messages: Lock<[String]>) {
    self.messages = messages
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    messages.withLock { $0.append(event.message.description) }
  }
}
