import Foundation
import Logging
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(5))) struct WallAlarmTests {
  private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000_000) }

  @Test("It rings at its time, at once for a time that has passed, and again when it is set anew")
  func rings() async throws {
    try await LoopExecutor.withLoop(poller: try DescriptorPoller(), logger: Logger(label: "test")) { loop in
      let alarm = try WallAlarm(loop: loop)
      let (rings, ring) = AsyncStream<Int64>.makeStream()
      await alarm.connect { ring.yield(Self.now()) }
      var elements = rings.makeAsyncIterator()
      let wanted = Self.now() + 20_000_000
      alarm.set(wanted)
      let first = try #require(await elements.next())
      #expect(first >= wanted - 1_000_000)
      alarm.set(1)
      #expect(await elements.next() != nil)
      // The last time that is set counts.
      alarm.set(Self.now() + 3_600_000_000_000)
      alarm.set(Self.now() + 10_000_000)
      #expect(await elements.next() != nil)
      alarm.set(nil)
    }
  }
}
