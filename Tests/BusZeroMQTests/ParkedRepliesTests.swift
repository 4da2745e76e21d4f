import Testing

@testable import BusZeroMQ

struct ParkedRepliesTests {
  private let start = ContinuousClock.now

  private func message(_ peer: UInt8, bytes: Int) -> [[UInt8]] { [[peer], [UInt8](repeating: 0, count: bytes - 1)] }

  @Test func areSentInOrderOncePeersReadAgain() {
    var parked = ParkedReplies()
    for number in 1...3 { parked.park(self.message(1, bytes: number), for: [1], now: self.start) }
    parked.park(self.message(2, bytes: 9), for: [2], now: self.start)
    #expect(parked.retryAt == self.start + .milliseconds(50))
    parked.retry(now: self.start) { _ in
      Issue.record("tried before its time")
      return true
    }
    var sent: [Int] = []
    // The first peer takes one and is full again.
    parked.retry(now: self.start + .milliseconds(50)) { message in
      guard message[0] == [2] || sent.isEmpty || sent == [9] else { return false }
      sent.append(message[1].count + 1)
      return true
    }
    #expect(sent.sorted() == [1, 9] && parked.count == 2 && parked.bytes == 5)
    #expect(parked.retryAt == self.start + .milliseconds(100))
    sent = []
    parked.retry(now: self.start + .milliseconds(100)) { message in
      sent.append(message[1].count + 1)
      return true
    }
    #expect(sent == [2, 3] && parked.count == 0 && parked.bytes == 0 && parked.retryAt == nil)
  }

  @Test func whatIsParkedLaterPutsNobodyOff() {
    var parked = ParkedReplies()
    for number in 0..<10 {
      parked.park(
        self.message(UInt8(number), bytes: 9), for: [UInt8(number)], now: self.start + .milliseconds(40 * number))
      #expect(parked.retryAt == self.start + .milliseconds(50))
    }
  }

  @Test func anOwnerHasAQuarterAndOneMessageAlways() {
    var parked = ParkedReplies(limits: ParkedReplies.Limits(messagesPerPeer: 9, bytesPerPeer: 1000, bytes: 1000))
    for peer: UInt8 in 1...9 { parked.park(self.message(peer, bytes: 90), for: [peer], of: "key:a", now: self.start) }
    #expect(parked.bytes == 180, "of all connections of an owner together")
    for peer: UInt8 in 11...19 { parked.park(self.message(peer, bytes: 90), for: [peer], now: self.start) }
    #expect(parked.bytes == 990, "what is nobody's has no share")
    parked.park(self.message(20, bytes: 400), for: [20], of: "key:b", now: self.start)
    #expect(parked.bytes == 1390, "one alone always")
    parked.park(self.message(20, bytes: 1), for: [20], of: "key:b", now: self.start)
    #expect(parked.bytes == 1390)
  }

  @Test func moreThanTheLimitsIsDropped() {
    let limits = ParkedReplies.Limits(messagesPerPeer: 4, bytesPerPeer: 1000, bytes: 1500)
    var parked = ParkedReplies(limits: limits)
    for _ in 0..<10 { parked.park(self.message(1, bytes: 10), for: [1], now: self.start) }
    #expect(parked.count == 4 && parked.bytes == 40)
    parked.park(self.message(2, bytes: 1001), for: [2], now: self.start)
    #expect(parked.count == 4)
    for _ in 0..<3 { parked.park(self.message(2, bytes: 400), for: [2], now: self.start) }
    #expect(parked.count == 6 && parked.bytes == 840)
    for peer: UInt8 in 3...9 { parked.park(self.message(peer, bytes: 300), for: [peer], now: self.start) }
    #expect(parked.count == 8 && parked.bytes == 1440)
    // Sent messages make room.
    parked.retry(now: self.start + .seconds(1)) { _ in true }
    parked.park(self.message(9, bytes: 900), for: [9], now: self.start)
    #expect(parked.count == 1 && parked.bytes == 900)
  }

  @Test func aPeerThatIsFullKeepsNoMemoryOfOneThatWasNeverParked() {
    var parked = ParkedReplies(limits: ParkedReplies.Limits(messagesPerPeer: 0, bytesPerPeer: 10, bytes: 10))
    parked.park(self.message(1, bytes: 5), for: [1], now: self.start)
    #expect(parked.count == 0 && parked.retryAt == nil)
  }
}
