import Storage
import TestKit
import Testing

@testable import ContactsSync

@Suite struct DeletionGuardTests {
  static let day: Int64 = 24 * 3_600 * 1_000_000_000

  static func cards(_ count: Int, since: Int64 = 0, passes: Int = 0, isKept: Bool = false) -> [KnownCard] {
    (0..<count).map { index in
      KnownCard(
        href: "\(1000 + index).vcf", fingerprint: "", rawSHA256: [1], semanticDigest: [], contactID: "c\(index)",
        uid: "",
        missingSince: since, missingPasses: passes, isKept: isKept)
    }
  }

  struct Case: Sendable {
    let missing: Int
    let live: Int
    var isWhole = true
    var isConfirmed = false
    let held: DeletionGuard.HoldReason?
  }

  @Test(arguments: [
    Case(missing: 1, live: 2, held: nil), Case(missing: 10, live: 11, held: nil),
    Case(missing: 11, live: 12, held: .tooMany), Case(missing: 20, live: 100, held: nil),
    Case(missing: 21, live: 100, held: .tooMany), Case(missing: 1, live: 1, held: .allWouldGo),
    Case(missing: 100, live: 100, held: .allWouldGo), Case(missing: 100, live: 100, isConfirmed: true, held: nil),
    Case(missing: 2000, live: 10_000, held: nil), Case(missing: 2001, live: 10_000, held: .tooMany),
  ])
  func limits(_ example: Case) {
    let missing = Self.cards(example.missing)
    let decision = DeletionGuard(
      isWhole: example.isWhole, isConfirmed: example.isConfirmed, live: example.live, now: 5
    ).decide(missing: missing)
    let hrefs = missing.map(\.href)
    #expect(decision == (example.held.map { .hold(hrefs, beginsAnew: true, reason: $0) } ?? .delete(hrefs)))
  }

  @Test func nothingGoesWithoutProof() {
    for isConfirmed in [false, true] {
      let decision = DeletionGuard(isWhole: false, isConfirmed: isConfirmed, live: 100, now: 5)
        .decide(missing: Self.cards(1))
      #expect(decision == .unproven(1))
    }
  }

  @Test func keptCardsStay() {
    let decision = DeletionGuard(isWhole: true, isConfirmed: true, live: 3, now: 5)
      .decide(missing: Self.cards(3, isKept: true))
    #expect(decision == .none)
  }

  @Test func cardsWithoutContactsDoNotCount() {
    var cards = Self.cards(30)
    for index in cards.indices { cards[index].contactID = "" }
    let decision = DeletionGuard(isWhole: true, isConfirmed: false, live: 5, now: 5).decide(missing: cards)
    #expect(decision == .delete(cards.map(\.href)))
  }

  @Test func aPartIsReleasedAfterThreePassesAndADay() {
    func decide(passes: Int, age: Int64, live: Int = 100) -> DeletionGuard.Decision {
      DeletionGuard(isWhole: true, isConfirmed: false, live: live, now: 1 + age)
        .decide(missing: Self.cards(50, since: 1, passes: passes))
    }
    let hrefs = Self.cards(50).map(\.href)
    #expect(decide(passes: 2, age: Self.day) == .delete(hrefs))
    #expect(decide(passes: 1, age: Self.day) == .hold(hrefs, beginsAnew: false, reason: .tooMany))
    #expect(decide(passes: 9, age: Self.day - 1) == .hold(hrefs, beginsAnew: false, reason: .tooMany))
    #expect(decide(passes: 9, age: 9 * Self.day, live: 50) == .hold(hrefs, beginsAnew: false, reason: .allWouldGo))
  }

  @Test func anotherSetBeginsAnew() {
    let missing = Self.cards(40, since: 1, passes: 2) + Self.cards(60).suffix(20)
    let decision = DeletionGuard(isWhole: true, isConfirmed: false, live: 100, now: 9 * Self.day).decide(
      missing: missing)
    #expect(decision == .hold(missing.map(\.href).sorted(), beginsAnew: true, reason: .tooMany))
  }

  @Test func neverDeletesMoreThanItsLimits() {
    var random = SeededGenerator(seed: 7)
    var outcomes = (deleted: 0, held: 0)
    for _ in 0..<2000 {
      let live = Int.random(in: 1...60, using: &random)
      let count = Int.random(in: 1...live, using: &random)
      let missing = Self.cards(
        count, since: Int64.random(in: 0...3, using: &random), passes: Int.random(in: 0...4, using: &random))
      let now = Int64.random(in: 1...(3 * Self.day), using: &random)
      switch DeletionGuard(isWhole: true, isConfirmed: false, live: live, now: now).decide(missing: missing) {
      case .delete(let hrefs):
        outcomes.deleted += 1
        let isOld =
          missing[0].missingSince != 0 && missing[0].missingPasses >= 2 && now - missing[0].missingSince >= Self.day
        #expect(hrefs.count < live && (hrefs.count <= max(10, live / 5) || isOld))
      case .hold: outcomes.held += 1
      case .none, .unproven: Issue.record("something is missing, and the listing is whole")
      }
    }
    #expect(outcomes.deleted > 100 && outcomes.held > 100)
  }
}
