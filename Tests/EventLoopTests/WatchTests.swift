import EventLoop
import Glibc
import Logging
import Testing

/// A pipe that is closed when it is destroyed.
private struct Pipe: ~Copyable {
  let reader: Int32
  let writer: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }
}

private actor Reader: LoopActor {
  nonisolated let loop: LoopExecutor
  private let pipe = Pipe()
  private var watch: Watch?
  private var bytes = 0
  private var waiter: (count: Int, CheckedContinuation<Void, Never>)?

  init(loop: LoopExecutor) {
    self.loop = loop
  }

  isolated deinit {}

  func start() {
    watch = watch(.descriptor(pipe.reader), for: .readable) { reader, ready in
      #expect(ready == .readable)
      reader.readable()
    }
  }

  func pause() { watch?.setInterest([]) }
  func resume() { watch?.setInterest(.readable) }
  func stop() { watch = nil }
  func count() -> Int { bytes }

  func write() {
    var byte: UInt8 = 1
    Glibc.write(pipe.writer, &byte, 1)
  }

  func received(_ count: Int) async {
    if bytes < count { await withCheckedContinuation { waiter = (count, $0) } }
  }

  private func readable() {
    var byte: UInt8 = 0
    bytes += read(pipe.reader, &byte, 1)
    if let (count, continuation) = waiter, bytes >= count {
      waiter = nil
      continuation.resume()
    }
  }
}

@Suite(.timeLimit(.minutes(5)))
struct WatchTests {
  @Test("a handler is called while its descriptor is ready, and again for what it left")
  func readable() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let reader = Reader(loop: loop)
      await reader.start()
      for _ in 0..<3 { await reader.write() }
      await reader.received(3)
      #expect(await reader.count() == 3)
    }
  }

  @Test("a paused watch is silent until it is resumed; a dropped one stays so")
  func interest() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let reader = Reader(loop: loop)
      await reader.start()
      await reader.pause()
      await reader.write()
      await turns(3, of: loop)
      #expect(await reader.count() == 0)
      await reader.resume()
      await reader.received(1)
      await reader.stop()
      await reader.write()
      await turns(3, of: loop)
      #expect(await reader.count() == 1)
    }
  }

  @Test("nothing is left of a loop: no thread, no descriptor")
  func nothingLeft() async {
    await #expect(processExitsWith: .success) {
      let logger = Logger(label: "left") { _ in SwiftLogNoOpLogHandler() }
      func use() async throws {
        try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: logger) { loop in
          let reader = Reader(loop: loop)
          await reader.start()
          await reader.write()
          await reader.received(1)
        }
      }
      func entries(_ path: String) -> Int {
        guard let directory = opendir(path) else { return -1 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
      }
      // The first use starts the runtime's own threads.
      try await use()
      let threads = entries("/proc/self/task")
      let descriptors = entries("/proc/self/fd")
      for _ in 0..<20 { try await use() }
      guard entries("/proc/self/task") <= threads + 3, entries("/proc/self/fd") <= descriptors else { exit(1) }
    }
  }

  /// Lets the event loop poll its descriptors `count` times.
  private func turns(_ count: Int, of loop: LoopExecutor) async {
    for _ in 0..<count {
      await withCheckedContinuation { done in loop.post { loop.post { done.resume() } } }
    }
  }
}
