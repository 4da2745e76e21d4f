import DAV
import TestKit
import Testing

@Suite struct HistoryTests {
  /// Random histories on random servers: whenever a pass says that it is over, the client holds what the server does.
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
    var backup = server
    var held: [Href: String] = [:]
    var state: CollectionState?
    var now = CollectionPassTests.start
    for _ in 0..<60 {
      let event = Int.random(in: 0..<12, using: &random)
      switch event {
      case 0..<5: server.put("c\(Int.random(in: 0..<12, using: &random))")
      case 5..<8: server.delete("c\(Int.random(in: 0..<12, using: &random))")
      case 8: server.oldest = server.version
      case 9 where server.faults.countsTokens && !server.faults.lacksTokens: server.restore(backup)
      case 10: backup = server
      default: now += CollectionPassTests.day / 5
      }
      // A server that was set back and went on beyond the old token cannot be told from one that was not.
      guard event == 9 || Int.random(in: 0..<3, using: &random) == 0 else { continue }
      // Who holds nothing reads every card, which tells its ETag then.
      let readsAll = held.isEmpty
      let listing = try run(pass(state, now: now, wantsETags: !readsAll), &server).get()
      if listing.extent == .whole { held = [:] }
      for card in listing.cards {
        let isUntold = readsAll && listing.extent == .whole
        #expect(card.fingerprint.isEmpty == isUntold, "seed \(seed)")
        held[card.href] = isUntold ? server.fingerprint(of: card.href) : card.fingerprint
      }
      for href in listing.gone { held[href] = nil }
      state = listing.state
      let truth = Dictionary(
        uniqueKeysWithValues: server.cards.map { (path("/alice/book/\($0.key)"), "\"\($0.value)\"") })
      #expect(held == truth, "seed \(seed)")
    }
  }
}
