import Storage
import TestKit
import Testing

@testable import ContactsSync

@Suite struct DeletionGuardTests {
  static let gap: Int64 = 12 * 3_600 * 1_000_000_000

  static func cards(
    _ count: Int, since: Int64 = 0, passes: Int = 0, countedAt: Int64 = 0, isKept: Bool = false
  ) -> [KnownCard] {
    (0..<count).map { index in
      KnownCard(
        href: "\(1000 + index).vcf", fingerprint: "", rawSHA256: [1], semanticDigest: [], contactID: "c\(index)",
        uid: "",
        missingSince: since, missingPasses: passes, countedAt: countedAt, isKept: isKept)
    }
  }

  struct Case: Sendable {
    let missing: Int
    let shown: Int
    var isConfirmed = false
    var listsCards = true
    let held: DeletionGuard.HoldReason?
  }

  /// A guard over a source of one part.
  static func guarding(
    shown: Int, isWhole: Bool = true, isConfirmed: Bool = false, listsCards: Bool = true, now: Int64 = 5
  ) -> DeletionGuard {
    DeletionGuard(
      isWhole: isWhole, isConfirmed: isConfirmed, shown: shown,
      parts: [DeletionGuard.Part(beginning: "", listsCards: listsCards)], now: now)
  }

  @Test(arguments: [
    Case(missing: 1, shown: 1, held: nil), Case(missing: 10, shown: 1, held: nil),
    Case(missing: 11, shown: 1, held: .tooMany), Case(missing: 20, shown: 80, held: nil),
    Case(missing: 21, shown: 79, held: .tooMany), Case(missing: 1, shown: 0, held: .allWouldGo),
    Case(missing: 100, shown: 0, held: .allWouldGo), Case(missing: 100, shown: 0, isConfirmed: true, held: nil),
    Case(missing: 2000, shown: 8000, held: nil), Case(missing: 2001, shown: 7999, held: .tooMany),
    Case(missing: 1, shown: 0, listsCards: false, held: .listingEmpty),
    Case(missing: 1, shown: 99, listsCards: false, held: .listingEmpty),
  ])
  func limits(_ example: Case) {
    let missing = Self.cards(example.missing, since: example.isConfirmed ? 1 : 0)
    let decision = Self.guarding(
      shown: example.shown, isConfirmed: example.isConfirmed, listsCards: example.listsCards
    ).decide(missing: missing)
    let hrefs = missing.map(\.href)
    guard let reason = example.held else {
      #expect(decision == DeletionGuard.Decision(deleted: hrefs))
      return
    }
    let isCounted = reason == .tooMany
    #expect(
      decision
        == DeletionGuard.Decision(
          held: hrefs, counted: isCounted ? hrefs : [], restarts: isCounted, reason: reason))
  }

  @Test func nothingGoesWithoutProof() {
    for isConfirmed in [false, true] {
      let decision = Self.guarding(shown: 99, isWhole: false, isConfirmed: isConfirmed)
        .decide(missing: Self.cards(1, since: 1))
      #expect(decision == DeletionGuard.Decision(held: ["1000.vcf"], reason: .listingNotWhole))
    }
  }

  @Test func keptCardsStayAndDoNotCount() {
    #expect(
      Self.guarding(shown: 0, isConfirmed: true).decide(missing: Self.cards(3, since: 1, isKept: true))
        == DeletionGuard.Decision())
    let missing = Self.cards(40, isKept: true) + Self.cards(60).suffix(4)
    #expect(Self.guarding(shown: 0).decide(missing: missing).reason == .allWouldGo)
    #expect(Self.guarding(shown: 0, listsCards: false).decide(missing: missing).reason == .listingEmpty)
    #expect(Self.guarding(shown: 1).decide(missing: missing).deleted.count == 4)
    #expect(Self.guarding(shown: 1).decide(missing: missing + Self.cards(90).suffix(7)).reason == .tooMany)
  }

  @Test func cardsWithoutContactsDoNotCount() {
    var cards = Self.cards(30)
    for index in cards.indices { cards[index].contactID = "" }
    for listsCards in [false, true] {
      let decision = Self.guarding(shown: 5, listsCards: listsCards).decide(missing: cards)
      #expect(decision == DeletionGuard.Decision(deleted: cards.map(\.href)))
    }
  }

  @Test func aPartIsReleasedAfterThreePassesTwelveHoursApart() {
    func decide(
      passes: Int, sinceLast: Int64, shown: Int = 50, listsCards: Bool = true
    ) -> DeletionGuard.Decision {
      Self.guarding(shown: shown, listsCards: listsCards, now: 9 + sinceLast)
        .decide(missing: Self.cards(50, since: 1, passes: passes, countedAt: 9))
    }
    let hrefs = Self.cards(50).map(\.href)
    let held = DeletionGuard.Decision(held: hrefs, counted: hrefs, reason: .tooMany)
    let waiting = DeletionGuard.Decision(held: hrefs, counted: hrefs, waits: true, reason: .tooMany)
    #expect(decide(passes: 2, sinceLast: Self.gap) == DeletionGuard.Decision(deleted: hrefs))
    #expect(decide(passes: 1, sinceLast: Self.gap) == held)
    #expect(decide(passes: 1, sinceLast: 80 * Self.gap) == held)
    #expect(decide(passes: 2, sinceLast: Self.gap - 1) == waiting)
    #expect(decide(passes: 9, sinceLast: 0) == waiting)
    #expect(
      decide(passes: 9, sinceLast: 9 * Self.gap, shown: 0) == DeletionGuard.Decision(held: hrefs, reason: .allWouldGo))
    #expect(
      decide(passes: 9, sinceLast: 9 * Self.gap, listsCards: false)
        == DeletionGuard.Decision(held: hrefs, reason: .listingEmpty))
    // Absences during listings without any card, and absences counted by a clock that was ahead, start to count now.
    #expect(decide(passes: 0, sinceLast: 9 * Self.gap).restarts)
    #expect(decide(passes: 2, sinceLast: -1).restarts)
  }

  @Test func anotherSetBeginsAnew() {
    let missing = Self.cards(40, since: 1, passes: 2, countedAt: 1) + Self.cards(60).suffix(20)
    let decision = Self.guarding(shown: 40, now: 9 * Self.gap).decide(missing: missing)
    let hrefs = missing.map(\.href).sorted()
    #expect(decision == DeletionGuard.Decision(held: hrefs, counted: hrefs, restarts: true, reason: .tooMany))
  }

  @Test func anEmptyOrAbsentBookHoldsItsCardsAlone() {
    func cards(_ book: String, _ count: Int, since: Int64 = 0) -> [KnownCard] {
      Self.cards(count, since: since).map { card in
        var card = card
        card.href = book + "/" + card.href
        return card
      }
    }
    let parts = [
      DeletionGuard.Part(beginning: "full/", listsCards: true), .init(beginning: "empty/", listsCards: false),
      .init(beginning: "gone/", listsCards: false, isGone: true),
    ]
    func decide(_ missing: [KnownCard], isConfirmed: Bool = false) -> DeletionGuard.Decision {
      DeletionGuard(isWhole: true, isConfirmed: isConfirmed, shown: 100, parts: parts, now: 5).decide(missing: missing)
    }
    var decision = decide(cards("full", 3) + cards("empty", 1))
    #expect(decision.deleted.count == 3 && decision.held == ["empty/1000.vcf"] && decision.reason == .listingEmpty)
    decision = decide(cards("full", 30) + cards("empty", 1) + cards("gone", 2))
    #expect(decision.deleted.isEmpty && decision.held.count == 33 && decision.counted.count == 30)
    #expect(decision.reason == .bookGone)
    #expect(decide(cards("unheard-of", 1)).reason == .bookGone)
    #expect(decide(cards("gone", 2, since: 1), isConfirmed: true).deleted.count == 2)
    // No one was shown that these are held back.
    decision = decide(cards("gone", 2, since: 1) + cards("empty", 1) + cards("full", 3), isConfirmed: true)
    #expect(decision.deleted.count == 5 && decision.held == ["empty/1000.vcf"] && decision.reason == .listingEmpty)
  }

  @Test func neverDeletesMoreThanItsLimits() {
    var random = SeededGenerator(seed: 7)
    var outcomes = (deleted: 0, held: 0)
    for _ in 0..<2000 {
      let live = Int.random(in: 1...60, using: &random)
      let count = Int.random(in: 1...live, using: &random)
      let missing = Self.cards(
        count, since: Int64.random(in: 0...3, using: &random), passes: Int.random(in: 0...4, using: &random),
        countedAt: Int64.random(in: 0...Self.gap, using: &random))
      let now = Int64.random(in: 1...(4 * Self.gap), using: &random)
      let decision = Self.guarding(shown: live - count, now: now).decide(missing: missing)
      #expect(decision.deleted.isEmpty != decision.held.isEmpty)
      if decision.deleted.isEmpty {
        outcomes.held += 1
      } else {
        outcomes.deleted += 1
        let isOld =
          missing[0].missingSince != 0 && missing[0].missingPasses >= 2 && now - missing[0].countedAt >= Self.gap
        #expect(count < live && (count <= max(10, live / 5) || isOld))
      }
    }
    #expect(outcomes.deleted > 100 && outcomes.held > 100)
  }
}
