import TestKit
import Testing
import ZeroMQ

@testable import BusZeroMQ

struct ConnectionTableTests {
  private static let remote = "tcp://192.168.1.5:7750"
  private static let local = "ipc:///run/kith/control.sock"
  private static let silence = ConnectionTable.youth
  private let start = ContinuousClock.now

  private static func arrival(_ userID: String, share: Int? = nil, isLocal: Bool = true) -> Arrival {
    Arrival(userID: userID, isLocal: isLocal, share: share)
  }

  /// A connection is opened, and its peer authenticates.
  private static func come(
    _ descriptor: Int32, to table: inout ConnectionTable, as userID: String = "uid:1000", share: Int? = nil,
    over endpoint: String = ConnectionTableTests.local, at now: ContinuousClock.Instant
  ) -> ConnectionTable.Admission {
    table.note(.accepted(descriptor), at: endpoint, now: now)
    return table.admit(
      Self.arrival(userID, share: share, isLocal: endpoint == Self.local), now: now)
  }

  /// A connection is opened and admitted, and sends a message.
  private static func enter(
    _ descriptor: Int32, _ table: inout ConnectionTable, as userID: String = "uid:1000", share: Int? = nil,
    over endpoint: String = ConnectionTableTests.local, at now: ContinuousClock.Instant
  ) -> Bool {
    guard Self.come(descriptor, to: &table, as: userID, share: share, over: endpoint, at: now) == .letIn(cutting: nil)
    else { return false }
    return table.heard(userID, by: descriptor, share: share, now: now) == nil
  }

  @Test func whoComesWhenItIsFullWaitsUntilOneLeaves() {
    var table = ConnectionTable(limit: 3)
    for descriptor: Int32 in 1...3 { #expect(Self.enter(descriptor, &table, at: self.start)) }
    #expect(!Self.enter(4, &table, at: self.start))
    // Time alone changes nothing.
    let later = self.start + .seconds(60)
    table.note(.disconnected(4), now: later)
    #expect(!Self.enter(4, &table, at: later))
    table.note(.disconnected(2), now: later)
    #expect(Self.enter(2, &table, at: later))
    #expect(table.count == 4)
  }

  @Test func thoseWhoWaitDoNotKeepOthersOut() {
    var table = ConnectionTable(limit: 3)
    for descriptor: Int32 in 1...3 { #expect(Self.enter(descriptor, &table, at: self.start)) }
    let later = self.start + .seconds(60)
    for descriptor: Int32 in 10..<30 { #expect(!Self.enter(descriptor, &table, at: later)) }
    table.note(.disconnected(1), now: later)
    #expect(Self.enter(1, &table, at: later))
  }

  /// Peers connect, send, wait, give up and leave at random: there are never more than the limit, no user exceeds its share
  /// with connections that have sent messages, and a peer alone is always admitted.
  @Test(arguments: 0..<50) func neverMoreThanTheLimit(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (limit, share) = (6, 3)
    var table = ConnectionTable(limit: limit)
    var now = self.start
    var inside: [Int32: (user: String, hasSpoken: Bool, since: ContinuousClock.Instant)] = [:]
    var waiting: [Int32: ContinuousClock.Instant] = [:]
    for _ in 0..<2000 {
      now += .milliseconds(Int.random(in: 0...400, using: &random))
      // libzmq closes peers that were not admitted.
      for (descriptor, since) in waiting where since + .seconds(5) <= now {
        waiting[descriptor] = nil
        table.note(.disconnected(descriptor), now: now)
      }
      let descriptor = Int32.random(in: 1...20, using: &random)
      if let peer = inside[descriptor], !peer.hasSpoken, Bool.random(using: &random) {
        inside[descriptor]?.hasSpoken = true
        let others = inside.values.count { $0.user == peer.user && $0.hasSpoken } - 1
        let cut = table.heard(peer.user, by: descriptor, share: share, now: now)
        #expect(cut == (others >= share ? descriptor : nil))
        if let cut { inside[cut] = nil }
      } else if inside.removeValue(forKey: descriptor) != nil || waiting.removeValue(forKey: descriptor) != nil {
        table.note(.disconnected(descriptor), now: now)
      } else {
        let user = ["ann", "ben", "cai"].randomElement(using: &random) ?? ""
        switch Self.come(descriptor, to: &table, as: user, share: share, at: now) {
        case .later: waiting[descriptor] = now
        case .letIn(let cut):
          if let cut {
            let gone = inside.removeValue(forKey: cut)
            #expect(gone?.hasSpoken == false && gone.map { $0.since + Self.silence <= now } == true)
          }
          inside[descriptor] = (user, false, now)
        }
      }
      #expect(inside.count <= limit)
      #expect(table.count == inside.count + waiting.count)
      for user in ["ann", "ben", "cai"] {
        #expect(inside.values.count { $0.user == user && $0.hasSpoken } <= share)
      }
    }
    for descriptor in [Int32](inside.keys) + waiting.keys { table.note(.disconnected(descriptor), now: now) }
    #expect(Self.enter(1, &table, as: "dot", share: share, at: now))
  }

  @Test func aKeyHasItsShareAndOthersComeInBesideIt() {
    var table = ConnectionTable(limit: 64)
    for descriptor: Int32 in 0..<16 {
      #expect(Self.enter(descriptor, &table, as: "key:one", share: 16, over: Self.remote, at: self.start))
    }
    for moment in [self.start, self.start + .seconds(3600)] {
      #expect(!Self.enter(100, &table, as: "key:one", share: 16, over: Self.remote, at: moment))
      table.note(.disconnected(100), now: moment)
    }
    #expect(Self.enter(101, &table, as: "key:two", share: 16, over: Self.remote, at: self.start))
    table.note(.disconnected(3), now: self.start)
    #expect(Self.enter(102, &table, as: "key:one", share: 16, over: Self.remote, at: self.start))
  }

  @Test func whoComesSpeaksAndLeavesMayComeAgainAtOnce() {
    var table = ConnectionTable(limit: 64)
    for round in 0..<100 {
      #expect(Self.enter(7, &table, as: "key:one", share: 2, over: Self.remote, at: self.start), "round \(round)")
      table.note(.disconnected(7), now: self.start)
    }
  }

  @Test func whatIsLeftOfAConnectionThatSpokeAndEndedSpeaksForNoOther() {
    var table = ConnectionTable(limit: 64)
    #expect(Self.enter(1, &table, as: "key:one", share: 3, over: Self.remote, at: self.start))
    table.note(.disconnected(1), now: self.start)
    for descriptor: Int32 in 2...4 {
      #expect(Self.come(descriptor, to: &table, as: "key:one", share: 3, over: Self.remote, at: self.start) != .later)
      #expect(table.heard("key:one", by: 1, share: 3, now: self.start) == nil)
    }
    #expect(Self.come(5, to: &table, as: "key:one", share: 3, over: Self.remote, at: self.start) == .later)
  }

  @Test func whoEndsBeforeItsMessageIsReadMayComeAgainAtOnce() {
    var table = ConnectionTable(limit: 64)
    for descriptor: Int32 in 1...100 {
      #expect(Self.come(descriptor, to: &table, as: "key:one", share: 1, over: Self.remote, at: self.start) != .later)
      table.note(.disconnected(descriptor), now: self.start)
      #expect(table.heard("key:one", by: descriptor, share: 1, now: self.start) == nil)
    }
  }

  @Test func theSilentAreOneUsersForASecondAndNobodysAfterwards() {
    var table = ConnectionTable(limit: WireLimits.localConnections + 4)
    for descriptor: Int32 in 0..<2 {
      #expect(Self.come(descriptor, to: &table, as: "key:one", share: 2, over: Self.remote, at: self.start) != .later)
    }
    #expect(Self.come(2, to: &table, as: "key:one", share: 2, over: Self.remote, at: self.start) == .later)
    table.note(.disconnected(2), now: self.start)
    // Silent connections of one key may use all places, but keep none.
    let later = self.start + Self.silence
    for descriptor: Int32 in 2..<4 {
      #expect(
        Self.come(descriptor, to: &table, as: "key:one", share: 2, over: Self.remote, at: later) == .letIn(cutting: nil)
      )
    }
    #expect(Self.come(10, to: &table, as: "key:two", over: Self.remote, at: later) == .letIn(cutting: 0))
    #expect(Self.come(11, to: &table, as: "key:two", over: Self.remote, at: later) == .letIn(cutting: 1))
    // The remaining ones may still send their first message.
    #expect(Self.come(12, to: &table, as: "key:two", over: Self.remote, at: later) == .later)
    // Connections of this machine are not closed for others.
    for descriptor: Int32 in 20..<28 {
      #expect(Self.come(descriptor, to: &table, at: later) == .letIn(cutting: nil))
    }
    let end = later + Self.silence
    // A connection that was silent for long does not exceed its share by sending a message.
    #expect(table.heard("key:one", by: 2, share: 1, now: end) == nil)
    #expect(table.heard("key:one", by: 3, share: 1, now: end) == 3)
    #expect(Self.enter(12, &table, as: "key:two", over: Self.remote, at: end))
    for descriptor in [10, 11] as [Int32] {
      #expect(table.heard("key:two", by: descriptor, share: nil, now: end) == nil)
    }
    #expect(Self.come(30, to: &table, as: "key:three", over: Self.remote, at: end) == .later)
    #expect(Self.come(31, to: &table, at: end) == .letIn(cutting: 20))
  }

  @Test func aDescriptorThatIsUsedAgainBelongsToWhoSpeaksByIt() {
    var table = ConnectionTable(limit: 64)
    #expect(Self.enter(7, &table, as: "key:one", share: 1, over: Self.remote, at: self.start))
    table.note(.disconnected(7), now: self.start)
    #expect(Self.come(7, to: &table, as: "key:two", share: 1, over: Self.remote, at: self.start) != .later)
    // The messages of the first connection are read now, then those of the second.
    #expect(table.heard("key:one", by: 7, share: 1, now: self.start) == nil)
    #expect(table.heard("key:two", by: 7, share: 1, now: self.start) == nil)
    #expect(Self.enter(8, &table, as: "key:one", share: 1, over: Self.remote, at: self.start))
    #expect(!Self.enter(9, &table, as: "key:two", share: 1, over: Self.remote, at: self.start))
  }

  @Test func whatAnEndedConnectionLeftCutsNoOther() {
    var table = ConnectionTable(limit: 64)
    #expect(Self.enter(7, &table, as: "key:one", share: 1, over: Self.remote, at: self.start))
    table.note(.disconnected(7), now: self.start)
    #expect(Self.enter(8, &table, as: "key:one", share: 1, over: Self.remote, at: self.start))
    #expect(Self.come(7, to: &table, as: "key:two", share: 1, over: Self.remote, at: self.start) != .later)
    #expect(table.heard("key:one", by: 7, share: 1, now: self.start) == nil)
    #expect(table.heard("key:two", by: 7, share: 1, now: self.start) == nil)
    // Nor does it take a connection over that has spoken, however old.
    let later = self.start + Self.silence
    #expect(table.heard("key:one", by: 7, share: 1, now: later) == nil)
    #expect(!Self.enter(9, &table, as: "key:two", share: 1, over: Self.remote, at: later))
  }

  @Test func aListenerThatClosesTakesItsConnectionsAlong() {
    var table = ConnectionTable(limit: 8)
    for descriptor: Int32 in 1...2 { table.note(.accepted(descriptor), at: Self.remote, now: self.start) }
    table.note(.accepted(3), at: "tcp://192.168.1.5:7753", now: self.start)
    table.note(.accepted(4), at: Self.local, now: self.start)
    table.note(.closed, at: "tcp://0.0.0.0:7750", now: self.start)
    #expect(table.count == 2)
    table.note(.closed, at: Self.local, now: self.start)
    #expect(table.count == 2)
  }

  @Test func placesAreLeftForThisMachine() {
    var table = ConnectionTable(limit: WireLimits.localConnections + 2)
    func admit(_ numbers: Range<Int32>, over endpoint: String, at moment: ContinuousClock.Instant) -> Int {
      numbers.count { number in
        let isIn = Self.enter(number, &table, over: endpoint, at: moment)
        if !isIn { table.note(.disconnected(number), now: moment) }
        return isIn
      }
    }
    #expect(admit(0..<5, over: Self.remote, at: self.start) == 2)
    #expect(admit(5..<20, over: Self.local, at: self.start) == WireLimits.localConnections)
    // A closed connection makes room for another one of its user, however many others there are.
    table.note(.disconnected(0), now: self.start)
    #expect(admit(20..<23, over: Self.remote, at: self.start + .seconds(60)) == 1)
  }

  @Test func strangersElsewhereDoNotKeepOthersOutWhoComeAndGoHere() {
    var table = ConnectionTable(limit: WireLimits.localConnections + 2)
    for number: Int32 in 0..<50 {
      table.note(.accepted(number), at: Self.remote, now: self.start)
    }
    for number: Int32 in 100..<200 {
      #expect(Self.enter(number, &table, at: self.start))
      table.note(.disconnected(number), now: self.start)
    }
  }
}
