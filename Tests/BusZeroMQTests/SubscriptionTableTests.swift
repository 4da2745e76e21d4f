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

  @Test func aWholeStreamIsGranted() {
    var table = self.table()
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer) == [self.bytes("j/sync/")])
    #expect(table.wants(.stream("sync", .json)))
    #expect(!table.wants(.stream("sync", .pb)))
    #expect(!table.wants(.stream("contacts", .json)))
  }

  @Test(arguments: [("j/", 3), ("p/", 3), ("", 6), ("j/s", 1)])
  func aWideRequestIsNarrowed(topic: String, streams: Int) {
    var table = self.table()
    #expect(table.subscribe(self.bytes(topic), peer: 7, role: .viewer).count == streams)
    #expect(table.unsubscribe(self.bytes(topic), peer: 7).count == streams)
    #expect(!table.wants(.stream("sync", .json)))
    #expect(table.count == 0)
  }

  @Test(arguments: ["j/secrets/", "j/sync/key", "x/sync/", "j/sync/" + String(repeating: "a", count: 60)])
  func anUnknownTopicIsRefused(topic: String) {
    var table = self.table()
    #expect(table.subscribe(self.bytes(topic), peer: 7, role: .admin).isEmpty)
    #expect(table.unsubscribe(self.bytes(topic), peer: 7).isEmpty)
  }

  @Test func whoAsksForMuchThatItCannotHaveIsGreedy() {
    var table = self.table()
    for number in 0..<64 { _ = table.subscribe(self.bytes("j/\(number)"), peer: 7, role: .viewer) }
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer).count == 1)
    #expect(!table.isGreedy(7))
    _ = table.subscribe(self.bytes("j/64"), peer: 7, role: .viewer)
    #expect(table.isGreedy(7) && !table.isGreedy(8))
    _ = table.subscribe([UInt8](repeating: 0, count: 65), peer: 8, role: .viewer)
    #expect(table.isGreedy(8), "longer than any topic")
    table.meet(peer: 8)
    #expect(!table.isGreedy(8), "another connection under the descriptor")
  }

  @Test func strangersAndWorkersGetNothing() {
    var table = self.table()
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: nil).isEmpty)
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: .worker).isEmpty)
    #expect(table.count == 0)
  }

  @Test func aPeerHasSoManyAndANewOneStartsAfresh() {
    var table = self.table()
    for topic in ["j/sync/", "j/contacts/", "j/!head/"] {
      #expect(!table.subscribe(self.bytes(topic), peer: 7, role: .viewer).isEmpty)
    }
    #expect(table.subscribe(self.bytes("p/sync/"), peer: 7, role: .viewer).isEmpty)
    #expect(!table.subscribe(self.bytes("p/sync/"), peer: 8, role: .viewer).isEmpty)
    table.meet(peer: 7)
    #expect(!table.subscribe(self.bytes("p/sync/"), peer: 7, role: .viewer).isEmpty)
    #expect(table.count == 2)
  }

  @Test func whoHasGoneMeanwhileGetsNothing() {
    var table = self.table()
    table.forget(peer: 7)
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer).isEmpty)
    #expect(!table.wants(.stream("sync", .json)) && table.count == 0)
    #expect(table.unsubscribe(self.bytes("j/sync/"), peer: 7).isEmpty)
    table.meet(peer: 7)
    #expect(!table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer).isEmpty)
  }

  @Test func whoAsksForTooMuchTakesNothingFromOthersWhenItLeaves() {
    var table = self.table()
    #expect(!table.subscribe(self.bytes("p/sync/"), peer: 8, role: .viewer).isEmpty)
    for topic in ["j/sync/", "j/contacts/", "j/!head/", "p/sync/"] {
      _ = table.subscribe(self.bytes(topic), peer: 7, role: .viewer)
    }
    table.forget(peer: 7)
    #expect(table.wants(.stream("sync", .pb)))
    #expect(!table.wants(.stream("contacts", .json)))
    #expect(table.count == 1)
  }

  @Test func theStreamIsWantedUntilTheLastOneLeaves() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer)
    _ = table.subscribe(self.bytes("j/"), peer: 8, role: .viewer)
    table.forget(peer: 7)
    #expect(table.wants(.stream("sync", .json)))
    table.keep([7, 9])
    #expect(!table.wants(.stream("sync", .json)))
    #expect(table.count == 0)
  }

  @Test func whoAsksTwiceHasOne() {
    var table = self.table()
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer).count == 1)
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer).isEmpty)
    #expect(table.count == 1)
    #expect(table.unsubscribe(self.bytes("j/sync/"), peer: 7).count == 1)
    #expect(!table.wants(.stream("sync", .json)))
    #expect(table.unsubscribe(self.bytes("j/sync/"), peer: 7).isEmpty)
  }

  @Test func whatAWiderRequestStandsForStaysWhenANarrowerOneIsGivenBack() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer)
    _ = table.subscribe(self.bytes("j/"), peer: 7, role: .viewer)
    #expect(table.unsubscribe(self.bytes("j/sync/"), peer: 7).isEmpty)
    #expect(table.wants(.stream("sync", .json)))
    #expect(table.unsubscribe(self.bytes("j/"), peer: 7).count == 3)
    #expect(table.count == 0)
  }

  @Test func onlyWhatIsNewIsSubscribed() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 7, role: .viewer)
    #expect(
      Set(table.subscribe(self.bytes("j/"), peer: 7, role: .viewer)) == [
        self.bytes("j/contacts/"), self.bytes("j/!head/"),
      ])
    #expect(table.subscribe(self.bytes("j/s"), peer: 7, role: .viewer).isEmpty)
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 8, role: .viewer) == [self.bytes("j/sync/")])
  }

  @Test func aKeyThatMayNoMoreTakesNothingFromOthersWhenItLeaves() {
    var table = self.table()
    _ = table.subscribe(self.bytes("j/sync/"), peer: 8, role: .viewer)
    #expect(table.subscribe(self.bytes("j/sync/"), peer: 7, role: nil).isEmpty)
    table.forget(peer: 7)
    #expect(table.wants(.stream("sync", .json)))
  }
}
