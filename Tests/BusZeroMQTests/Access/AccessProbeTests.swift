import EventLoop
import KithMessages
import Logging
import Testing
import ZeroMQ

@testable import BusZeroMQ

@Suite(.timeLimit(.minutes(2)))
struct AccessProbeTests {
  private static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  /// Whether the probe finds that a handler with this policy refuses unknown keys.
  private func isGuarded(
    _ access: AccessPolicy = AccessPolicy(ownUserID: 1), domain: String = "control", policy: ZAPHandler.Policy?
  ) async throws -> Bool {
    let context = try Context()
    let loop = try LoopExecutor(name: "probe", poller: Poller(), logger: Self.silent)
    var handler: ZAPHandler?
    if let policy {
      handler = try await ZAPHandler.start(context: context, loop: loop, logger: Self.silent, policy: policy)
    }
    let result = try await AccessProbe.isGuarded(
      domain, context: context, loop: loop, access: access, within: .milliseconds(policy == nil ? 500 : 100_000))
    withExtendedLifetime(handler) {}
    return result
  }

  @Test("the policy refuses strangers at every plane, and keeps nothing of the one that tried")
  func real() async throws {
    let access = AccessPolicy(ownUserID: 1)
    let attempts = Lock(0)
    access.onAccessAttempt { _ in attempts.withLock { $0 += 1 } }
    for domain in ["control", "events", "work"] {
      #expect(try await self.isGuarded(access, domain: domain) { access.decide($0) })
    }
    #expect(attempts.withLock { $0 } == 0)
  }

  @Test("without a handler there is no guard, though nobody gets in") func withoutHandler() async throws {
    #expect(try await !self.isGuarded(policy: nil))
  }

  @Test("a handler that lets everybody in is no guard") func openDoor() async throws {
    #expect(try await !self.isGuarded { _ in .accept(userID: "anybody") })
  }
}
