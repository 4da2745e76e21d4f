import Bus
import EventLoop
import Foundation
import KithMessages
import Testing

@testable import BusZeroMQ

/// What is told of peers costs the same the thousandth time.
struct AccessListenerTests {
  @Test func aListenerIsCalledAsDirectlyAsTheFirstTime() throws {
    let policy = AccessPolicy(ownUserID: 1)
    policy.setDevices([TokenDigest(of: "token"): DeviceGrant(name: "hanako", role: .viewer)])
    let depths = Lock<[Int]>([])
    policy.onDeviceCommand { _ in depths.withLock { $0.append(Thread.callStackReturnAddresses.count) } }
    for _ in 0..<50 { _ = try policy.principal(userID: "uid:1", token: "token") }
    #expect(Set(depths.withLock { $0 }).count == 1)
  }
}
