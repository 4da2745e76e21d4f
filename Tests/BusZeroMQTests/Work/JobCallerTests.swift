import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

struct JobCallerTests {
  @Test func aCallerThatIsBusyHearsTheLastOfHowFarItIs() async {
    let (news, continuation) = AsyncStream<JobCaller.News>.makeStream()
    let caller = JobCaller(token: "", isInBatches: true, inputs: [:], deadline: 0, news: continuation)
    continuation.yield(.batch(1, []))
    for percent in 1...1000 { caller.report(.with { $0.fraction = Float(percent) / 1000 }) }
    caller.end(.success([]))
    var (count, heard) = (0, [Float]())
    for await one in news {
      count += 1
      if case .progress = one, let progress = caller.takeProgress() { heard.append(progress.fraction) }
    }
    #expect(count == 3 && heard == [1])
    #expect(caller.takeProgress() == nil)
  }
}
