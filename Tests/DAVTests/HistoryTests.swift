import DAV
import TestKit
import Testing

@Suite struct HistoryTests {
  /// Random histories on random servers: whenever a pass is over, the client has what the server has.
  @Test(arguments: 0..<300)
  func theClientHoldsWhatTheServerHolds(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var server = ModelServer()
    server.faults.countsTokens = Bool.random(using: &random)
    server.faults.lacksSync = Int.random(in: 0..<5, using: &random) == 0
    server.faults.lacksTokens = Int.random(in: 0..<5, using: &random) == 0
    server.faults.refusal = [403, 409, 410, 412, 400, 500].randomElement(using: &random)!
    server.faults.partSize = Bool.random(using: &random) ? Int.random(in: 1...3, using: &random) : nil
    server.faults.namesTheForgotten = Bool.random(using: &random)
    server.faults.repeatsTags = !server.faults.lacksTokens && !server.faults.lacksSync && Bool.random(using: &random)
    var backup = server
    // The text of each card, and its ETag when it was read.
    var held: [Href: (text: Int?, tag: String?)] = [:]
    var state: CollectionState?
    var now = CollectionPassTests.start
    for _ in 0..<60 {
      // Without a list of changes there are only ETags: with ETags that repeat, tokens have to be valid.
      let events = [0..<8, 8..<10, 10..<12]
      let event = (server.faults.repeatsTags ? [events[0], events[2]] : events).joined().randomElement(using: &random)!
      switch event {
      case 0..<5: server.put("c\(Int.random(in: 0..<12, using: &random))")
      case 5..<8: server.delete("c\(Int.random(in: 0..<12, using: &random))")
      case 8: server.oldest = server.version
      case 9 where server.faults.countsTokens && !server.faults.lacksTokens: server.restore(backup)
      case 10: backup = server
      default: now += CollectionPassTests.day / 5
      }
      // A server that was restored and advanced beyond the old token cannot be recognised.
      guard event == 9 || Int.random(in: 0..<3, using: &random) == 0 else { continue }
      // Without known cards every card is read, with its ETag.
      let readsAll = held.isEmpty
      let listing = try run(pass(state, now: now, wantsETags: !readsAll), &server).get()
      if listing.extent == .whole {
        let listed = Set(listing.cards.map(\.href))
        held = held.filter { listed.contains($0.key) }
      }
      for card in listing.cards {
        let isUntold = readsAll && listing.extent == .whole
        #expect(card.fingerprint.isEmpty == isUntold, "seed \(seed)")
        let tag = server.tag(card.href.name)
        guard isUntold || card.mustBeRead || held[card.href]?.tag != tag else { continue }
        held[card.href] = (server.cards[card.href.name], tag)
      }
      for href in listing.gone { held[href] = nil }
      state = listing.state
      let truth = Dictionary(uniqueKeysWithValues: server.cards.map { (path("/alice/book/\($0.key)"), $0.value) })
      #expect(held.mapValues(\.text) == truth, "seed \(seed)")
    }
  }
}
