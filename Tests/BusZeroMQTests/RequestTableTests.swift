import Bus
import KithMessages
import TestKit
import Testing

@testable import BusZeroMQ

/// The promises of the protocol about time and numbers, with time passed in.
struct RequestTableTests {
  private let start = ContinuousClock.now

  private func key(_ peer: UInt8, _ id: String) -> RequestTable.Key { .init(peer: [0, peer], requestID: id) }

  private func request(
    plain: Bool = false, progress: Bool = true, principal: String = "uid:1", bytes: Int = 1, seconds: Int = 30
  ) -> RequestTable.Request {
    .init(
      principal: principal, service: "kith.v1.Contacts/Sync", encoding: .pb, content: 1, isPlainRequest: plain,
      wantsProgress: progress, bytes: bytes, deadline: self.start + .seconds(seconds))
  }

  @Test func acceptedComesAfterASecondAndASignOfLifeEveryThree() {
    var table = RequestTable()
    let key = self.key(1, "a")
    #expect(table.admit(key, self.request(progress: false), now: self.start) == .admitted(1))
    #expect(table.wakeAt == self.start + .seconds(1))
    #expect(table.tick(self.start + .milliseconds(999)).isEmpty)
    #expect(table.tick(self.start + .seconds(1)) == [.sendAccepted(key, sequence: 0)])
    #expect(table.wakeAt == self.start + .seconds(4))
    #expect(table.tick(self.start + .seconds(4)) == [.sendProgress(key, Progress(), sequence: 1)])
    #expect(table.tick(self.start + .seconds(7)) == [.sendProgress(key, Progress(), sequence: 2)])
    #expect(table.finish(key, 1)?.sequence == 3)
    #expect(table.wakeAt == nil)
  }

  @Test func aPlainRequestGetsNothingBeforeItsAnswer() {
    var table = RequestTable()
    let key = self.key(1, "a")
    #expect(table.admit(key, self.request(plain: true), now: self.start) == .admitted(1))
    #expect(table.progress(key, 1, Progress(), now: self.start).isEmpty)
    for second in 1..<30 { #expect(table.tick(self.start + .seconds(second)).isEmpty) }
    #expect(table.tick(self.start + .seconds(30)) == [.expire(key)])
  }

  @Test func progressIsCoalescedToFourASecond() {
    var table = RequestTable()
    let key = self.key(1, "a")
    _ = table.admit(key, self.request(), now: self.start)
    func report(_ fraction: Float) -> Progress {
      var progress = Progress()
      progress.fraction = fraction
      return progress
    }
    #expect(
      table.progress(key, 1, report(0.1), now: self.start)
        == [.sendAccepted(key, sequence: 0), .sendProgress(key, report(0.1), sequence: 1)])
    var sent = 0
    for tenth in 1...20 {
      let now = self.start + .milliseconds(100 * tenth)
      sent += table.progress(key, 1, report(Float(tenth)), now: now).count
      sent += table.tick(now).count
    }
    #expect(sent <= 8, "two seconds of reports gave \(sent) messages")
    #expect(sent >= 6)
    // The latest progress is sent last.
    let rest = table.tick(self.start + .seconds(3))
    #expect(rest.isEmpty || rest == [.sendProgress(key, report(20), sequence: UInt32(sent + 2))])
  }

  @Test func aResendOfARunningRequestIsADuplicate() {
    var table = RequestTable()
    #expect(table.admit(self.key(1, "a"), self.request(), now: self.start) == .admitted(1))
    #expect(table.admit(self.key(1, "a"), self.request(), now: self.start) == .duplicate)
    #expect(table.admit(self.key(2, "a"), self.request(), now: self.start) == .admitted(2))
    let other = RequestTable.Request(
      principal: "uid:1", service: "kith.v1.Contacts/Sync", encoding: .pb, content: 2, isPlainRequest: false,
      wantsProgress: true, bytes: 1, deadline: self.start + .seconds(30))
    guard case .refused(let failure) = table.admit(self.key(1, "a"), other, now: self.start) else {
      Issue.record("other content under a running id was let in")
      return
    }
    #expect(failure.reason == "IDEMPOTENCY_KEY_REUSED")
  }

  @Test func someAreLeftForThisMachine() {
    var table = RequestTable(limits: .init(perConnection: 10, perPrincipal: 10, total: 5, local: 2))
    func admit(_ id: String, _ principal: String) -> Bool {
      let admission = table.admit(
        RequestTable.Key(peer: [1], requestID: id), self.request(principal: principal), now: self.start)
      if case .admitted = admission { return true }
      return false
    }
    #expect(["a", "b", "c", "d"].map { admit($0, "key:kitchen") } == [true, true, true, false])
    #expect(["e", "f", "g"].map { admit($0, "uid:1") } == [true, true, false])
  }

  @Test func limitsHoldAndAreGivenBack() {
    var table = RequestTable(limits: .init(perConnection: 2, perPrincipal: 3, total: 4))
    func admits(_ peer: UInt8, _ id: String, _ principal: String) -> Bool {
      table.admit(self.key(peer, id), self.request(principal: principal), now: self.start).serial != nil
    }
    #expect(admits(1, "a", "uid:1"))
    #expect(admits(1, "b", "uid:1"))
    #expect(!admits(1, "c", "uid:1"), "a third of one connection")
    #expect(admits(2, "a", "uid:1"))
    #expect(!admits(3, "a", "uid:1"), "a fourth of one principal")
    #expect(admits(3, "a", "uid:2"))
    #expect(!admits(4, "a", "uid:3"), "a fifth in all")
    #expect(table.finish(self.key(1, "a"), 1) != nil)
    #expect(admits(4, "a", "uid:3"))
    #expect(table.finish(self.key(9, "x"), 9) == nil)
  }

  @Test func whatIsOverItsDeadlineCountsUntilItsTaskHasEnded() {
    var table = RequestTable(limits: .init(perConnection: 1))
    let (first, second) = (self.key(1, "a"), self.key(1, "b"))
    #expect(table.admit(first, self.request(seconds: 1), now: self.start) == .admitted(1))
    let late = self.start + .seconds(1)
    #expect(table.tick(late) == [.expire(first)])
    #expect(table.expire(first)?.sequence == 0)
    #expect(table.expire(first) == nil && table.count == 0 && table.running == 1 && table.wakeAt == nil)
    #expect(table.admit(second, self.request(), now: late).serial == nil, "the task of the first one runs")
    #expect(table.finish(first, 1) == nil, "it was answered")
    #expect(table.running == 0)
    #expect(table.admit(second, self.request(), now: late) == .admitted(2))
  }

  @Test func bytesAreBoundedPerConnectionPrincipalAndInAll() {
    var table = RequestTable(limits: .init(bytes: 1000))
    func admits(_ peer: UInt8, _ id: String, _ principal: String, _ bytes: Int) -> Bool {
      table.admit(self.key(peer, id), self.request(principal: principal, bytes: bytes), now: self.start).serial != nil
    }
    #expect(admits(1, "a", "uid:1", 200))
    #expect(!admits(1, "b", "uid:1", 176), "three eighths are a connection's")
    #expect(admits(1, "b", "uid:1", 175))
    #expect(admits(2, "a", "uid:1", 125))
    #expect(!admits(3, "a", "uid:1", 1), "half is a principal's")
    #expect(admits(4, "a", "uid:2", 250) && admits(5, "a", "uid:2", 249))
    #expect(!admits(6, "a", "uid:3", 2), "all of it")
    #expect(admits(6, "a", "uid:3", 1))
    let keys = [self.key(1, "a"), self.key(1, "b"), self.key(2, "a"), self.key(4, "a"), self.key(5, "a")]
    for (index, key) in keys.enumerated() { #expect(table.finish(key, UInt64(index + 1)) != nil) }
    #expect(!admits(7, "a", "uid:4", 5000), "not beside another one")
    #expect(table.finish(self.key(6, "a"), 6) != nil)
    #expect(admits(7, "a", "uid:4", 5000), "alone always")
    #expect(!admits(7, "b", "uid:4", 1))
    #expect(table.finish(self.key(7, "a"), 7) != nil && table.count == 0)
  }

  /// A random history: each admitted request is answered or expires exactly once, and no state is left.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func everyRequestEndsOnce(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = RequestTable(limits: .init(perConnection: 4, perPrincipal: 8, total: 10))
    var open: [RequestTable.Key: RequestTable.Serial] = [:]
    var overdue: [RequestTable.Key: RequestTable.Serial] = [:]
    var now = self.start
    for step in 0..<2000 {
      now += .milliseconds(Int.random(in: 0...400, using: &generator))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0:
        let key = self.key(.random(in: 0..<5, using: &generator), "\(step)")
        var request = self.request(plain: Bool.random(using: &generator))
        request = .init(
          principal: "uid:\(Int.random(in: 0..<2, using: &generator))", service: request.service, encoding: .json,
          content: 1,
          isPlainRequest: request.isPlainRequest, wantsProgress: true, bytes: 1,
          deadline: now + .seconds(Int.random(in: 1...10, using: &generator)))
        open[key] = table.admit(key, request, now: now).serial
      case 1:
        if let (key, serial) = open.randomElement(using: &generator) {
          #expect(table.finish(key, serial + 1) == nil, "the end of another admission")
          #expect(table.finish(key, serial) != nil)
          open[key] = nil
        }
      case 2:
        if let (key, serial) = open.randomElement(using: &generator) {
          _ = table.progress(key, serial, Progress(), now: now)
        }
      case 3:
        if let (key, serial) = overdue.randomElement(using: &generator) {
          #expect(table.finish(key, serial) == nil, "answered at its deadline")
          overdue[key] = nil
        }
      default:
        for case .expire(let key) in table.tick(now) {
          overdue[key] = open.removeValue(forKey: key)
          #expect(overdue[key] != nil && table.expire(key) != nil)
        }
      }
      #expect(table.count == open.count && table.running == open.count + overdue.count)
      #expect((table.wakeAt == nil) == open.isEmpty)
    }
  }
}

extension RequestTable.Admission {
  fileprivate var serial: RequestTable.Serial? {
    if case .admitted(let serial) = self { serial } else { nil }
  }
}
