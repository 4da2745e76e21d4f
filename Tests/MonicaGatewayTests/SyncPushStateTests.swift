import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// What each answer of the server means for its change and for the others.
@Suite struct SyncPushStateTests {
  private static let second: Int64 = 1_000_000_000

  private func failure(_ code: Code, _ reason: String, retryAfter: UInt32 = 0, unsure: Bool = false) -> Failure {
    Failure(
      code, reason, "", retryAfterMilliseconds: retryAfter, details: unsure ? ["outcome": "unknown"] : [:])
  }

  @Test func aServerMayCountAsItLikes() {
    var report = SyncReport(SyncStatus())
    for _ in 0..<3 { report.expect(Int(UInt32.max)) }
    #expect(report.status.total == .max && report.progress.fraction == 0)
  }

  @Test func fourGoAtOnce() {
    var state = PushState()
    for row in 1...4 { state.begin(Int64(row)) }
    #expect(state.room(now: 0) == 0)
    _ = state.end(1, attempts: 1, .success(PushReply.with { $0.outcome = .done }), now: 0, jitter: 0)
    #expect(state.room(now: 0) == 1)
  }

  @Test func troubleIsWaitedOutEverLongerAndNeverGivenUp() {
    var state = PushState()
    var waits: [Int64] = []
    for attempt in 1...40 {
      state.begin(1)
      let trouble = self.failure(.unavailable, "MONICA_TROUBLE", unsure: attempt.isMultiple(of: 2))
      guard
        case .later(after: let wait, let isUnsure) = state.end(
          1, attempts: attempt, .failure(trouble), now: 0, jitter: 1)
      else { return #expect(Bool(false), "given up after \(attempt)") }
      #expect(isUnsure == attempt.isMultiple(of: 2))
      waits.append(wait)
      // Only this change fails.
      state.begin(2)
      _ = state.end(2, attempts: 1, .success(PushReply.with { $0.outcome = .done }), now: 0, jitter: 0)
    }
    #expect(waits.prefix(4) == [1, 2, 4, 8].map { $0 * Self.second }[...])
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 } && waits.last == 900 * Self.second)
    #expect(state.room(now: 0) == PushState.width)
  }

  @Test func waitsAreScatteredByHalf() {
    #expect(ServerGate.backoff.wait(after: 3, jitter: 0) == 2 * Self.second)
    #expect(ServerGate.backoff.wait(after: 3, jitter: 0.5) == 3 * Self.second)
    #expect(ServerGate.backoff.wait(after: 3, jitter: 1) == 4 * Self.second)
  }

  @Test func troubleOfAnyThreeStopsAll() {
    var state = PushState()
    for row in 1...3 {
      #expect(state.room(now: 0) > 0)
      state.begin(Int64(row))
      _ = state.end(
        Int64(row), attempts: 1, .failure(self.failure(.unavailable, "MONICA_TROUBLE")), now: 0, jitter: 0)
    }
    #expect(state.room(now: 0) == 0 && state.room(now: Self.second) == PushState.width)
  }

  @Test func aRateLimitStopsAllUntilTheTimeThatTheServerNames() {
    var state = PushState()
    state.begin(1)
    let limited = self.failure(.resourceExhausted, "RATE_LIMITED", retryAfter: 40_000)
    #expect(
      state.end(1, attempts: 9, .failure(limited), now: 5, jitter: 0) == .postponed(isUnsure: false))
    #expect(state.gate.until == 5 + 40 * Self.second && state.room(now: 40 * Self.second) == 0)
    state.gate.force(now: 10)
    #expect(state.room(now: 40 * Self.second) == 0, "nobody shortens what the server ordered")
    #expect(state.room(now: 5 + 40 * Self.second) == PushState.width)
  }

  @Test func aTimeThatTheServerNamesIsNoLongerForAPersonThanTheServerSays() {
    var state = PushState()
    state.begin(1)
    let limited = self.failure(.resourceExhausted, "RATE_LIMITED", retryAfter: 1)
    _ = state.end(1, attempts: 1, .failure(limited), now: 0, jitter: 1)
    #expect(state.gate.until == Self.second, "it backs off by itself all the same")
    #expect(state.gate.refusal(now: 0)?.status.retryAfterMs == 1 && state.gate.order(now: 0) != nil)
    #expect(state.gate.refusal(now: 2_000_000)?.status.retryAfterMs == 0 && state.gate.order(now: 2_000_000) == nil)
    state.gate.force(now: 2_000_000)
    #expect(state.room(now: 2_000_000) == PushState.width)
  }

  @Test func aServerInTroubleThatNamesATimeIsAskedNothingUntilThen() {
    var state = PushState()
    state.begin(1)
    let trouble = self.failure(.unavailable, "MONICA_TROUBLE", retryAfter: 3_600_000)
    let verdict = state.end(1, attempts: 1, .failure(trouble), now: 5, jitter: 1)
    #expect(verdict == .later(after: Self.second, isUnsure: false))
    #expect(state.gate.until == 5 + 3600 * Self.second)
  }

  @Test func aTimeThatTheServerNamedStandsWhateverOthersMeet() {
    var state = PushState()
    let hour: UInt32 = 3_600_000
    for (row, wait) in [(1, hour), (2, 0), (3, 0), (4, hour / 2)] {
      state.begin(Int64(row))
      let trouble = self.failure(.unavailable, "MONICA_TROUBLE", retryAfter: wait)
      _ = state.end(Int64(row), attempts: 1, .failure(trouble), now: 5, jitter: 1)
    }
    #expect(state.gate.until == 5 + 3600 * Self.second)
    state.gate.force(now: 10 * Self.second)
    #expect(state.gate.order(now: 10 * Self.second)?.status.retryAfterMs == hour - 10_000)
    state.begin(5)
    let limited = self.failure(.resourceExhausted, "RATE_LIMITED", retryAfter: 2 * hour)
    _ = state.end(5, attempts: 1, .failure(limited), now: 5, jitter: 1)
    #expect(state.gate.until == 5 + 7200 * Self.second && state.gate.refusal(now: 5)?.reason == "RATE_LIMITED")
  }

  @Test(arguments: [
    (Code.deadlineExceeded, "MONICA_TIMEOUT", "", true), (.unavailable, "MONICA_UNREACHABLE", "", true),
    (.unavailable, "MONICA_TROUBLE", "504", true), (.unavailable, "MONICA_TROUBLE", "500", false),
    (.dataLoss, "MONICA_GARBLED", "", false), (.invalidArgument, "MONICA_REFUSED", "", false),
  ])
  func whatAServerHasAnsweredItIsAtNoLonger(_ code: Code, _ reason: String, _ status: String, _ isBusy: Bool) {
    let details = ["outcome": "unknown", "status": status].filter { !$0.value.isEmpty }
    #expect(Failure(code, reason, "", details: details).leavesServerBusy == isBusy)
    #expect(!Failure(code, reason, "").leavesServerBusy, "nothing arrived")
  }

  @Test func anUnreachableServerStopsAllAndAPersonMayTryAtOnce() {
    var state = PushState()
    for attempt in 1...3 {
      state.begin(1)
      let away = self.failure(.unavailable, "MONICA_UNREACHABLE")
      #expect(state.end(1, attempts: 1, .failure(away), now: 0, jitter: 1) == .postponed(isUnsure: false))
      #expect(state.gate.until == Self.second << Int64(attempt - 1))
    }
    state.gate.force(now: 0)
    #expect(state.room(now: 0) == PushState.width)
    state.begin(1)
    _ = state.end(1, attempts: 1, .success(PushReply.with { $0.outcome = .done }), now: 0, jitter: 0)
    #expect(state.gate == ServerGate(), "one answer and the count of failures begins anew")
  }

  @Test(arguments: [Code.invalidArgument, .notFound, .alreadyExists, .permissionDenied])
  func aRefusalStopsTheChangeAlone(_ code: Code) {
    var state = PushState()
    for row in 1...20 {
      state.begin(Int64(row))
      let refused = self.failure(code, "MONICA_REFUSED")
      #expect(state.end(Int64(row), attempts: 1, .failure(refused), now: 0, jitter: 0) == .refused(isUnsure: false))
    }
    #expect(state.room(now: 0) == PushState.width)
  }

  @Test func whatIsForbiddenBeforeTheServerWaitsAloneAndIsNotGivenUp() {
    var state = PushState()
    let forbidden = self.failure(.permissionDenied, "MONICA_FORBIDDEN")
    for row in 1...20 {
      state.begin(Int64(row))
      let verdict = state.end(Int64(row), attempts: 3, .failure(forbidden), now: 0, jitter: 1)
      #expect(verdict == .later(after: 4 * Self.second, isUnsure: false))
    }
    #expect(state.room(now: 0) == PushState.width)
  }

  @Test func anExpiredTokenStopsAll() {
    var state = PushState()
    state.begin(1)
    state.begin(2)
    let expired = self.failure(.unauthenticated, "TOKEN_INVALID")
    #expect(state.end(1, attempts: 1, .failure(expired), now: 0, jitter: 0) == .postponed(isUnsure: false))
    #expect(state.isExpired && state.room(now: .max) == 0)
    _ = state.end(2, attempts: 1, .success(PushReply.with { $0.outcome = .done }), now: 0, jitter: 0)
    #expect(state.room(now: .max) == 0)
  }

  @Test func whatWasCancelledIsUnsureWhenItMayHaveArrived() {
    var state = PushState()
    state.begin(1)
    #expect(
      state.end(
        1, attempts: 1, .failure(self.failure(.cancelled, "CANCELLED_BY_USER", unsure: true)), now: 0, jitter: 0)
        == .postponed(isUnsure: true))
  }

  @Test func aRaceWithTheServerEndsAfterSomeRounds() {
    var state = PushState()
    let changed = PushReply.with { $0.outcome = .changed }
    for _ in 1...PushState.longestRace {
      state.begin(1)
      #expect(state.end(1, attempts: 1, .success(changed), now: 0, jitter: 0) == .changed(RemoteRecord()))
    }
    state.begin(1)
    #expect(
      state.end(1, attempts: 6, .success(changed), now: 0, jitter: 1)
        == .later(after: 32 * Self.second, isUnsure: false))
    // A merge resets the count of attempts. The second rest is longer than the first all the same.
    for _ in 1...PushState.longestRace {
      state.begin(1)
      #expect(state.end(1, attempts: 1, .success(changed), now: 0, jitter: 0) == .changed(RemoteRecord()))
    }
    state.begin(1)
    #expect(
      state.end(1, attempts: 1, .success(changed), now: 0, jitter: 1) == .later(after: 2 * Self.second, isUnsure: false)
    )
  }

  @Test func anAnswerWithoutAnOutcomeIsUnsure() {
    var state = PushState()
    state.begin(1)
    #expect(
      state.end(1, attempts: 1, .success(PushReply()), now: 0, jitter: 1) == .later(after: Self.second, isUnsure: true))
  }
}
