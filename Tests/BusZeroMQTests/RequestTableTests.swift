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
    plain: Bool = false, progress: Bool = true, principal: String = "uid:1", seconds: Int = 30
  ) -> RequestTable.Request {
    .init(
      principal: principal, service: "kith.v1.Contacts/Sync", encoding: .pb, isPlainRequest: plain,
      wantsProgress: progress, deadline: self.start + .seconds(seconds))
  }

  @Test func acceptedComesAfterASecondAndASignOfLifeEveryThree() {
    var table = RequestTable()
    let key = self.key(1, "a")
    #expect(table.admit(key, self.request(progress: false), now: self.start) == .admitted)
    #expect(table.wakeAt == self.start + .seconds(1))
    #expect(table.tick(self.start + .milliseconds(999)).isEmpty)
    #expect(table.tick(self.start + .seconds(1)) == [.sendAccepted(key, sequence: 0)])
    #expect(table.wakeAt == self.start + .seconds(4))
    #expect(table.tick(self.start + .seconds(4)) == [.sendProgress(key, Progress(), sequence: 1)])
    #expect(table.tick(self.start + .seconds(7)) == [.sendProgress(key, Progress(), sequence: 2)])
    #expect(table.finish(key)?.sequence == 3)
    #expect(table.wakeAt == nil)
  }

  @Test func aPlainRequestGetsNothingBeforeItsAnswer() {
    var table = RequestTable()
    let key = self.key(1, "a")
    #expect(table.admit(key, self.request(plain: true), now: self.start) == .admitted)
    #expect(table.progress(key, Progress(), now: self.start).isEmpty)
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
      table.progress(key, report(0.1), now: self.start)
        == [.sendAccepted(key, sequence: 0), .sendProgress(key, report(0.1), sequence: 1)])
    var sent = 0
    for tenth in 1...20 {
      let now = self.start + .milliseconds(100 * tenth)
      sent += table.progress(key, report(Float(tenth)), now: now).count
      sent += table.tick(now).count
    }
    #expect(sent <= 8, "two seconds of reports gave \(sent) messages")
    #expect(sent >= 6)
    // What was reported last is what is said last.
    let rest = table.tick(self.start + .seconds(3))
    #expect(rest.isEmpty || rest == [.sendProgress(key, report(20), sequence: UInt32(sent + 2))])
  }

  @Test func aResendOfARunningRequestIsADuplicate() {
    var table = RequestTable()
    #expect(table.admit(self.key(1, "a"), self.request(), now: self.start) == .admitted)
    #expect(table.admit(self.key(1, "a"), self.request(), now: self.start) == .duplicate)
    #expect(table.admit(self.key(2, "a"), self.request(), now: self.start) == .admitted)
  }

  @Test func limitsHoldAndAreGivenBack() {
    var table = RequestTable(limits: .init(perConnection: 2, perPrincipal: 3, total: 4))
    func admits(_ peer: UInt8, _ id: String, _ principal: String) -> Bool {
      table.admit(self.key(peer, id), self.request(principal: principal), now: self.start) == .admitted
    }
    #expect(admits(1, "a", "uid:1"))
    #expect(admits(1, "b", "uid:1"))
    #expect(!admits(1, "c", "uid:1"), "a third of one connection")
    #expect(admits(2, "a", "uid:1"))
    #expect(!admits(3, "a", "uid:1"), "a fourth of one principal")
    #expect(admits(3, "a", "uid:2"))
    #expect(!admits(4, "a", "uid:3"), "a fifth in all")
    #expect(table.finish(self.key(1, "a")) != nil)
    #expect(admits(4, "a", "uid:3"))
    #expect(table.finish(self.key(9, "x")) == nil)
  }

  /// A seeded walk: whatever happens in whatever order, what was admitted is answered or expired once, and nothing stays.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func everyRequestEndsOnce(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = RequestTable(limits: .init(perConnection: 4, perPrincipal: 8, total: 10))
    var open: Set<RequestTable.Key> = []
    var now = self.start
    for step in 0..<2000 {
      now += .milliseconds(Int.random(in: 0...400, using: &generator))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        let key = self.key(.random(in: 0..<5, using: &generator), "\(step)")
        var request = self.request(plain: Bool.random(using: &generator))
        request = .init(
          principal: "uid:\(Int.random(in: 0..<2, using: &generator))", service: request.service, encoding: .json,
          isPlainRequest: request.isPlainRequest, wantsProgress: true,
          deadline: now + .seconds(Int.random(in: 1...10, using: &generator)))
        if table.admit(key, request, now: now) == .admitted { open.insert(key) }
      case 1:
        if let key = open.randomElement(using: &generator) {
          #expect(table.finish(key) != nil)
          open.remove(key)
        }
      case 2:
        if let key = open.randomElement(using: &generator) { _ = table.progress(key, Progress(), now: now) }
      default:
        for case .expire(let key) in table.tick(now) {
          #expect(open.remove(key) != nil)
          #expect(table.finish(key) != nil)
        }
      }
      #expect(table.count == open.count)
      #expect((table.wakeAt == nil) == open.isEmpty)
    }
  }
}
