import TestKit
import Testing
import ZeroMQ

@testable import BusZeroMQ

struct ConnectionTableTests {
  private let start = ContinuousClock.now

  @Test func whoComesWhenItIsFullWaitsUntilOneLeaves() {
    var table = ConnectionTable(limit: 3)
    for descriptor: Int32 in 1...3 {
      table.note(.accepted(descriptor), now: self.start)
      #expect(table.admit(self.start) == true)
    }
    table.note(.accepted(4), now: self.start)
    #expect(table.admit(self.start) == false)
    // Not because some time has passed.
    let later = self.start + .seconds(60)
    table.note(.disconnected(4), now: later)
    table.note(.accepted(4), now: later)
    #expect(table.admit(later) == false)
    table.note(.disconnected(2), now: later)
    table.note(.accepted(2), now: later)
    #expect(table.admit(later) == true)
    #expect(table.count == 4)
  }

  @Test func thoseWhoWaitDoNotKeepOthersOut() {
    var table = ConnectionTable(limit: 3)
    for descriptor: Int32 in 1...3 {
      table.note(.accepted(descriptor), now: self.start)
      #expect(table.admit(self.start) == true)
    }
    let later = self.start + .seconds(60)
    for descriptor: Int32 in 10..<30 {
      table.note(.accepted(descriptor), now: later)
      #expect(table.admit(later) == false)
    }
    table.note(.disconnected(1), now: later)
    table.note(.accepted(1), now: later)
    #expect(table.admit(later) == true)
  }

  /// Peers come, wait, give up and leave at random: never are more in than the limit, and one that comes alone gets in.
  @Test(arguments: 0..<50) func neverMoreThanTheLimit(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limit = 5
    var table = ConnectionTable(limit: limit)
    var now = self.start
    var inside: Set<Int32> = []
    var waiting: [Int32: ContinuousClock.Instant] = [:]
    for _ in 0..<2000 {
      now += .milliseconds(Int.random(in: 0...400, using: &random))
      // libzmq cuts who was not let in.
      for (descriptor, since) in waiting where since + .seconds(5) <= now {
        waiting[descriptor] = nil
        table.note(.disconnected(descriptor), now: now)
      }
      let descriptor = Int32.random(in: 1...20, using: &random)
      if inside.remove(descriptor) != nil || waiting.removeValue(forKey: descriptor) != nil {
        table.note(.disconnected(descriptor), now: now)
      } else {
        table.note(.accepted(descriptor), now: now)
        if table.admit(now) { inside.insert(descriptor) } else { waiting[descriptor] = now }
      }
      #expect(inside.count <= limit)
      #expect(table.count == inside.count + waiting.count)
    }
    for descriptor in inside.union(waiting.keys) { table.note(.disconnected(descriptor), now: now) }
    table.note(.accepted(1), now: now)
    #expect(table.admit(now) == true)
  }

  @Test func aListenerThatClosesTakesItsConnectionsAlong() {
    var table = ConnectionTable(limit: 8)
    for descriptor: Int32 in 1...2 { table.note(.accepted(descriptor), at: "tcp://192.168.1.5:7750", now: self.start) }
    table.note(.accepted(3), at: "tcp://192.168.1.5:7753", now: self.start)
    table.note(.accepted(4), at: "ipc:///run/kith/control.sock", now: self.start)
    table.note(.closed, at: "tcp://0.0.0.0:7750", now: self.start)
    #expect(table.count == 2)
    table.note(.closed, at: "ipc:///run/kith/control.sock", now: self.start)
    #expect(table.count == 2)
  }

  @Test func placesAreLeftForThisMachine() {
    var table = ConnectionTable(limit: WireLimits.localConnections + 2)
    func admit(_ numbers: Range<Int32>, over endpoint: String, at moment: ContinuousClock.Instant) -> Int {
      numbers.count { number in
        table.note(.accepted(number), at: endpoint, now: moment)
        let isIn = table.admit(moment, isLocal: endpoint.hasPrefix("ipc"))
        if !isIn { table.note(.disconnected(number), now: moment) }
        return isIn
      }
    }
    let (tcp, ipc) = ("tcp://192.168.1.5:7750", "ipc:///run/kith/control.sock")
    #expect(admit(0..<5, over: tcp, at: self.start) == 2)
    #expect(admit(5..<20, over: ipc, at: self.start) == WireLimits.localConnections)
    // Whoever leaves makes room for one of his own, however many there are of the others.
    table.note(.disconnected(0), now: self.start)
    #expect(admit(20..<23, over: tcp, at: self.start + .seconds(60)) == 1)
  }

  @Test func strangersElsewhereDoNotKeepOthersOutWhoComeAndGoHere() {
    var table = ConnectionTable(limit: WireLimits.localConnections + 2)
    for number: Int32 in 0..<50 {
      table.note(.accepted(number), at: "tcp://192.168.1.5:7750", now: self.start)
    }
    for number: Int32 in 100..<200 {
      table.note(.accepted(number), at: "ipc:///run/kith/control.sock", now: self.start)
      #expect(table.admit(self.start) == true)
      table.note(.disconnected(number), now: self.start)
    }
  }
}
