import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

struct JobCallerTests {
  @Test func aCallerThatIsBusyHearsTheLastOfHowFarItIs() async {
    let (updates, continuation) = AsyncStream<JobCaller.Update>.makeStream()
    let caller = JobCaller(token: "", isInBatches: true, inputs: [:], deadline: 0, updates: continuation)
    continuation.yield(.batch(1, []))
    for percent in 1...1000 { caller.report(.with { $0.fraction = Float(percent) / 1000 }) }
    caller.end(.success([]))
    var (count, heard) = (0, [Float]())
    for await update in updates {
      count += 1
      if case .progress = update, let progress = caller.takeProgress() { heard.append(progress.fraction) }
    }
    #expect(count == 3 && heard == [1])
    #expect(caller.takeProgress() == nil)
  }
}
