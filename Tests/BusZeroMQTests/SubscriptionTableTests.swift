import Bus
import KithMessages
import Testing

@testable import BusZeroMQ

struct SubscriptionTableTests {
  private func table() -> SubscriptionTable {
    var table = SubscriptionTable(streams: ["sync", "contacts"], limitPerPeer: 3)
    for peer: Int32 in [7, 8] { table.meet(peer: peer) }
    return table
  }
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
  private let all =
    ["sync", "contacts"].flatMap { [Topic.stream($0, .json), .stream($0, .pb)] } + [.head(.json), .head(.pb)]

  @Test func aWholeStreamIsWanted() {
    var table = self.table()
    #expect(table.isEmpty)
    let isNew = table.subscribe(self.bytes("j/sync/"), peer: 7)
    #expect(isNew && self.all.filter(table.wants) == [.stream("sync", .json)])
  }

  @Test(arguments: [("j/", 3), ("p/", 3), ("", 6), ("j/s", 1)])
  func aPrefixStandsForAllTopicsBelowIt(prefix: String, topics: Int) {
    var table = self.table()
    let isNew = table.subscribe(self.bytes(prefix), peer: 7)
    #expect(isNew && self.all.count(where: table.wants) == topics)
    #expect(table.count == 1)
    table.unsubscribe(self.bytes(prefix), peer: 7)
    #expect(table.isEmpty && table.count == 0)
  }

  @Test(arguments: ["j/secrets/", "j/sync/key", "x/sync/", "j/sync/" + String(repeating: "a", count: 57)])
  func aPrefixOfNoTopicStandsForNone(prefix: String) {
    var table = self.table()
    let isNew = table.subscribe(self.bytes(prefix), peer: 7)
    #expect(!isNew && table.isEmpty && table.count == 0 && !table.isGreedy(7))
  }

  @Test func moreSubscriptionsThanTheLimitAreGreedyWhateverTheyStandFor() {
    var table = self.table()
    for prefix in ["j/sync/", "x", "y", "j/sync/"] { _ = table.subscribe(self.bytes(prefix), peer: 7) }
    #expect(!table.isGreedy(7))
    table.unsubscribe(self.bytes("x"), peer: 7)
    _ = table.subscribe(self.bytes("z"), peer: 7)
    #expect(!table.isGreedy(7))
    let isNew = table.subscribe(self.bytes("p/sync/"), peer: 7)
    #expect(!isNew && table.isGreedy(7) && !table.isGreedy(8))
    #expect(!table.wants(.stream("sync", .pb)))
    table.meet(peer: 7)
    #expect(!table.isGreedy(7), "another connection under the descriptor")
  }

  @Test func moreEndsOfSubscriptionsThatItDoesNotHaveThanTheLimitAreGreedy() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 7)
    for _ in 0..<4 { table.unsubscribe(self.bytes("j/sync/"), peer: 7) }
    #expect(!table.isGreedy(7))
    table.unsubscribe([], peer: 7)
    #expect(table.isGreedy(7) && !table.isGreedy(8))
  }

  @Test func aPrefixThatIsLongerThanAnyTopicIsGreedy() {
    var table = self.table()
    _ = table.subscribe([UInt8](repeating: 0, count: 64), peer: 8)
    #expect(!table.isGreedy(8))
    _ = table.subscribe([UInt8](repeating: 0, count: 65), peer: 8)
    #expect(table.isGreedy(8))
  }

  @Test func aPeerThatHasGoneMeanwhileCountsForNothing() {
    var table = self.table()
    table.forget(peer: 7)
    var isNew = table.subscribe(self.bytes("j/sync/"), peer: 7)
    #expect(!isNew && table.isEmpty && table.count == 0)
    table.unsubscribe(self.bytes("j/sync/"), peer: 7)
    table.meet(peer: 7)
    isNew = table.subscribe(self.bytes("j/sync/"), peer: 7)
    #expect(isNew)
  }

  @Test func aGreedyPeerTakesNothingFromOthersWhenItLeaves() {
    var table = self.table()
    _ = table.subscribe(self.bytes("p/sync/"), peer: 8)
    for topic in ["j/sync/", "j/contacts/", "j/!head/", "p/sync/"] { _ = table.subscribe(self.bytes(topic), peer: 7) }
    table.forget(peer: 7)
    #expect(table.wants(.stream("sync", .pb)))
    #expect(!table.wants(.stream("contacts", .json)))
    #expect(table.count == 1)
  }

  @Test func aStreamIsWantedUntilTheLastListenerLeaves() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 7)
    _ = table.subscribe(self.bytes("j/"), peer: 8)
    table.forget(peer: 7)
    #expect(table.wants(.stream("sync", .json)))
    table.keep([7, 9])
    #expect(table.isEmpty && table.count == 0)
  }

  @Test func aTopicThatIsSubscribedTwiceIsHeldOnce() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 7)
    let isNew = table.subscribe(self.bytes("j/sync/"), peer: 7)
    #expect(!isNew && table.count == 1)
    table.unsubscribe(self.bytes("j/sync/"), peer: 7)
    #expect(table.isEmpty)
    table.unsubscribe(self.bytes("j/sync/"), peer: 7)
    #expect(table.isEmpty && table.count == 0)
  }

  @Test func whatAWiderPrefixStandsForStaysWhenANarrowerOneEnds() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 7)
    _ = table.subscribe(self.bytes("j/"), peer: 7)
    table.unsubscribe(self.bytes("j/sync/"), peer: 7)
    #expect(table.wants(.stream("sync", .json)))
    table.unsubscribe(self.bytes("j/"), peer: 7)
    #expect(table.isEmpty)
  }

  @Test func aSubscriptionIsNewWhereItBringsATopic() {
    var table = self.table()
    let isNew = ["j/sync/", "j/", "j/s"].map { table.subscribe(self.bytes($0), peer: 7) }
    #expect(isNew == [true, true, false])
    let isNewToAnother = table.subscribe(self.bytes("j/sync/"), peer: 8)
    #expect(isNewToAnother)
  }
}
