import Bus
import Foundation
import KithMessages
import Storage
import TestKit
import Testing

@testable import ContactsSync

@Suite struct CardDecisionTests {
  static func read(raw: UInt8 = 1, says: UInt8 = 1, isReadable: Bool = true) -> CardRead {
    var read = CardRead()
    read.href = "a.vcf"
    read.rawSha256 = isReadable ? Data([raw]) : Data()
    read.semanticDigest = Data([says])
    if isReadable { read.contact = Contact() }
    return read
  }

  static func known(
    raw: [UInt8] = [1], says: UInt8 = 1, contact: String = "c", isDeleted: Bool = false
  ) -> KnownCard {
    KnownCard(
      href: "a.vcf", fingerprint: "f", rawSHA256: raw, semanticDigest: [says], contactID: contact, uid: "u",
      isDeleted: isDeleted)
  }

  @Test func decides() {
    #expect(CardDecision(read: Self.read(), known: nil) == .insert)
    #expect(CardDecision(read: Self.read(), known: Self.known(contact: "")) == .insert)
    #expect(CardDecision(read: Self.read(), known: Self.known()) == .touch)
    #expect(CardDecision(read: Self.read(says: 2), known: Self.known()) == .update(contactID: "c"))
    #expect(CardDecision(read: Self.read(raw: 2), known: Self.known()) == .store(contactID: "c"))
    #expect(CardDecision(read: Self.read(raw: 2, says: 2), known: Self.known()) == .update(contactID: "c"))
    #expect(CardDecision(read: Self.read(), known: Self.known(isDeleted: true)) == .undelete(contactID: "c"))
    #expect(CardDecision(read: Self.read(), known: Self.known(raw: [])) == .update(contactID: "c"))
    #expect(CardDecision(read: Self.read(isReadable: false), known: nil) == .reportOnly)
    #expect(CardDecision(read: Self.read(isReadable: false), known: Self.known()) == .keepStale(contactID: "c"))
    #expect(CardDecision(read: Self.read(isReadable: false), known: Self.known(isDeleted: true)) == .reportOnly)
    var cutOff = Self.read(raw: 2, says: 2)
    cutOff.problems = [CardProblem.problem("missing_end", href: "a.vcf", skipped: false)]
    #expect(CardDecision(read: cutOff, known: nil) == .insert)
    #expect(CardDecision(read: cutOff, known: Self.known()) == .keepStale(contactID: "c"))
    #expect(CardDecision(read: cutOff, known: Self.known(raw: [2])) == .touch)
    #expect(CardDecision(read: cutOff, known: Self.known(isDeleted: true)) == .reportOnly)
    #expect(!cutOff.withoutContact.hasContact && cutOff.withoutContact.problems.allSatisfy(\.skipped))
    var gone = CardRead()
    gone.vanished = true
    #expect(CardDecision(read: gone, known: Self.known()) == .vanished)
  }
}

@Suite struct CardPlaceTests {
  @Test func readsNamesOfFilesInFolders() throws {
    #expect(try CardPlace("a.vcf").folder == nil)
    #expect(try CardPlace("%FF/a%25.vcf").folder?.bytes == [0xFF])
    #expect(try CardPlace("%FF/a%25.vcf").name.bytes == Array("a%.vcf".utf8))
    for href in ["../a.vcf", "/a.vcf", "a/b/c.vcf", "a/", "a/..", "./a.vcf", ""] {
      #expect(throws: Failure.self) { try CardPlace(href) }
    }
    let folder = FileName(Array("x.vcf#y".utf8))
    #expect(CardPlace.beginning(of: folder) == "x.vcf%23y/")
    #expect(try CardPlace(CardPlace.beginning(of: folder) + "a.vcf").folder == folder)
    #expect(CardPlace.beginning(ofCard: "x.vcf%23y/a.vcf#urn:a/b") == "x.vcf%23y/")
    #expect(CardPlace.beginning(ofCard: "a.vcf#urn:a/b") == "")
  }
}

@Suite struct ListingDiffTests {
  static func item(_ href: String, _ fingerprint: String) -> SourceItem {
    var item = SourceItem()
    item.href = href
    item.fingerprint = fingerprint
    return item
  }

  static func known(_ href: String, _ fingerprint: String, isDeleted: Bool = false, since: Int64 = 0) -> KnownCard {
    KnownCard(
      href: href, fingerprint: fingerprint, rawSHA256: [1], semanticDigest: [1], contactID: "c" + href, uid: "",
      isDeleted: isDeleted, missingSince: since)
  }

  @Test func comparesFiles() {
    var diff = ListingDiff(
      known: [
        Self.known("same.vcf", "1"), Self.known("changed.vcf", "1"), Self.known("gone.vcf", "1"),
        Self.known("deleted.vcf", "1", isDeleted: true), Self.known("back.vcf", "1", since: 5),
        Self.known("many.vcf#a", "1"), Self.known("many.vcf#b", "1"), Self.known("odd.vcf", "1"),
      ], readsAll: false)
    diff.add([
      Self.item("same.vcf", "1"), Self.item("changed.vcf", "2"), Self.item("new.vcf", "1"),
      Self.item("deleted.vcf", "1"), Self.item("back.vcf", "1"), Self.item("many.vcf", "1"),
    ])
    diff.addPresent(["odd.vcf"])
    #expect(diff.toFetch == ["changed.vcf", "new.vcf", "deleted.vcf"])
    #expect(diff.unchanged == 4)
    #expect(diff.reappeared == ["back.vcf"])
    #expect(diff.missing.map(\.href) == ["gone.vcf"])
    #expect(diff.item(of: "many.vcf#a") == "many.vcf")
  }

  @Test func whatWasFoundUnderAnotherNameIsShownAndNotListed() {
    var diff = ListingDiff(known: [Self.known("a/1.vcf", "1"), Self.known("b/1.vcf", "1")], readsAll: false)
    diff.add([Self.item("b/1.vcf", "1")])
    diff.show("a/1.vcf")
    #expect(diff.shownContacts(without: [:]) == 2)
    #expect(!diff.lists(under: "a/") && diff.lists(under: "b/"))
    #expect(diff.beginnings(CardPlace.beginning(ofCard:)) == ["a/": false, "b/": true])
    #expect(diff.cards(of: "a/1.vcf").isEmpty)
  }

  @Test func comparesCardsOfOneFile() {
    var diff = ListingDiff(
      known: [Self.known("all.vcf#a", "1"), Self.known("all.vcf#b", "1"), Self.known("all.vcf#c", "1")],
      readsAll: false)
    diff.add([Self.item("all.vcf#a", "1"), Self.item("all.vcf#b", "2")])
    #expect(diff.toFetch == ["all.vcf#b"])
    #expect(diff.missing.map(\.href) == ["all.vcf#c"])
    #expect(diff.item(of: "all.vcf#b") == "all.vcf#b")
  }

  @Test func whatHasNoFingerprintIsRead() {
    var diff = ListingDiff(known: [Self.known("a.vcf", ""), Self.known("b.vcf", "1")], readsAll: false)
    diff.add([Self.item("a.vcf", ""), Self.item("b.vcf", "")])
    #expect(diff.toFetch == ["a.vcf", "b.vcf"])
    #expect(diff.missing.isEmpty)
  }

  @Test func aFullPassReadsEverything() {
    var diff = ListingDiff(known: [Self.known("a.vcf", "1")], readsAll: true)
    diff.add([Self.item("a.vcf", "1")])
    #expect(diff.toFetch == ["a.vcf"])
    #expect(diff.missing.isEmpty)
  }

  /// Every known card that is not deleted is exactly one of unchanged, fetched or missing.
  @Test func everyCardHasOneFate() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let known = (0..<20).compactMap { index in
        Bool.random(using: &random)
          ? Self.known(
            "\(index).vcf", "\(Int.random(in: 0...1, using: &random))",
            isDeleted: Int.random(in: 0...4, using: &random) == 0)
          : nil
      }
      let items = (0..<20).compactMap { index in
        Bool.random(using: &random) ? Self.item("\(index).vcf", "\(Int.random(in: 0...1, using: &random))") : nil
      }
      var diff = ListingDiff(known: known, readsAll: false)
      diff.add(items)
      let live = Set(known.filter { !$0.isDeleted }.map(\.href))
      let fetched = Set(diff.toFetch)
      let missing = Set(diff.missing.map(\.href))
      #expect(diff.unchanged + live.intersection(fetched).count + missing.count == live.count)
      #expect(missing.isDisjoint(with: items.map(\.href)))
      #expect(fetched.isSubset(of: items.map(\.href)))
    }
  }
}

@Suite struct PassStateTests {
  @Test func runsFromIdleToCompleted() {
    var state = PassState(SyncStatus(), source: "home")
    state.begin(runID: "r", live: 3, now: 10)
    #expect(state.status.state == .syncing && state.status.source == "contacts:home" && state.status.live == 3)
    state.list(total: 5, unchanged: 2)
    state.count(PassCounts(seen: 3, added: 1, updated: 1, unchanged: 0, revived: 0, skipped: 1))
    #expect(state.status.done == 5)
    state.decide(DeletionGuard.Decision(held: ["a", "b"], reason: .tooMany), deleted: 0)
    state.complete(live: 4, now: 20)
    #expect(state.status.state == .completed && state.status.live == 4 && state.status.heldBack == 2)
    #expect(state.status.holdReason == "TOO_MANY" && state.status.lastSuccessAt == state.status.finishedAt)
  }

  @Test func aFailureKeepsTheLastSuccess() {
    var state = PassState(SyncStatus(), source: "home")
    state.begin(runID: "1", live: 0, now: 10)
    state.complete(live: 4, now: 20)
    for failures in 1...3 {
      state.begin(runID: "2", live: 4, now: 30)
      state.fail(Failure(.unavailable, "SOURCE_UNAVAILABLE", "away"), live: 4, now: 40)
      #expect(state.status.state == .error && state.status.consecutiveFailures == failures)
      #expect(state.status.error.reason == "SOURCE_UNAVAILABLE" && state.status.live == 4)
      #expect(state.status.lastSuccessAt.nanosecondsSince1970 == 20)
    }
    state.begin(runID: "3", live: 4, now: 50)
    #expect(!state.status.hasError)
    state.complete(live: 4, now: 60)
    #expect(state.status.consecutiveFailures == 0)
  }

  @Test func booksThatCannotBeReadAreNamed() {
    func said(_ unavailable: [String], _ partial: [String] = []) -> SyncStatus {
      var state = PassState(SyncStatus(), source: "home")
      state.note(unavailable: unavailable, partial: partial)
      return state.status
    }
    #expect(!said([]).hasError)
    #expect(said(["Family"]).error.message == "The address book 'Family' could not be read. Its contacts stay.")
    #expect(said(["a", "b"]).error.message == "2 address books could not be read: 'a', 'b'. Their contacts stay.")
    #expect(said(["a", "b"], ["c"]).error.reason == "BOOK_UNAVAILABLE")
    #expect(said([], ["c"]).error.reason == "BOOK_PARTIAL")
    #expect(said([], ["c", "d"]).error.message.contains("lists of 2 address books are not complete: 'c', 'd'."))
  }

  @Test func aBookIsCalledAsItsOwnerCallsIt() {
    let token = #"{"books":[{"key":"1a2b","url":"/1a2b/","state":"","form":"any","name":"Family"}],"foundAt":1}"#
    let problems = ["1a2b/", "%E5%8F%8B/"].map {
      CardProblem.problem(CardProblem.bookUnavailable, href: $0, skipped: true)
    }
    #expect(
      AccountPosition.titles(of: problems, CardProblem.bookUnavailable, token: token) == ["Family", "\u{53CB}"])
    #expect(AccountPosition.titles(of: problems, CardProblem.bookPartial, token: token).isEmpty)
  }

  @Test func reportsFourTimesASecond() {
    var state = PassState(SyncStatus(), source: "home")
    state.begin(runID: "r", live: 0, now: 0)
    let second: Int64 = 1_000_000_000
    let reports = stride(from: Int64(0), through: second, by: 1_000_000).count { state.reports(now: $0) }
    #expect(reports == 4)
  }
}

@Suite struct SyncScheduleTests {
  static let second: Int64 = 1_000_000_000

  @Test func isDueAtTheStartAndThenRegularly() {
    var schedule = SyncSchedule(interval: 600 * Self.second, startsNow: true, now: 5)
    #expect(schedule.due == 5)
    schedule.begin()
    #expect(schedule.due == nil)
    schedule.end(.completed, jitter: 0, now: 10)
    #expect(schedule.due == 10 + 600 * Self.second)
  }

  @Test func waitsUntilChangesAreOver() {
    var schedule = SyncSchedule(interval: nil, startsNow: false, now: 0)
    #expect(schedule.due == nil)
    schedule.notice(now: 0)
    schedule.notice(now: 100_000_000)
    #expect(schedule.due == 100_000_000 + SyncSchedule.quiet)
    for step in 0..<100 { schedule.notice(now: Int64(step) * 100_000_000) }
    #expect(schedule.due == SyncSchedule.longestQuiet)
    schedule.begin()
    schedule.end(.completed, jitter: 0, now: 20 * Self.second)
    #expect(schedule.due == nil)
  }

  @Test func failuresBackOff() {
    var schedule = SyncSchedule(interval: 600 * Self.second, startsNow: true, now: 0)
    var waits: [Int64] = []
    for _ in 0..<9 {
      schedule.begin()
      schedule.end(.failed(retryAfter: nil), jitter: 0, now: 0)
      waits.append((schedule.due ?? 0) / Self.second)
    }
    #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300, 300])
    schedule.begin()
    schedule.end(.completed, jitter: 0, now: 0)
    #expect(schedule.due == 600 * Self.second)
  }

  @Test func aNoticeDuringAPassIsNotLost() {
    var schedule = SyncSchedule(interval: nil, startsNow: false, now: 0)
    schedule.begin()
    schedule.notice(now: 7)
    schedule.end(.completed, jitter: 0, now: 9)
    #expect(schedule.due == 7 + SyncSchedule.quiet)
  }

  @Test func aServerThatNamesATimeIsGivenIt() {
    var schedule = SyncSchedule(interval: 600 * Self.second, startsNow: true, now: 0)
    schedule.begin()
    schedule.end(.failed(retryAfter: 90 * Self.second), jitter: 0, now: 0)
    #expect(schedule.due == 90 * Self.second)
    schedule.begin()
    schedule.end(.failed(retryAfter: 90 * Self.second), jitter: 1, now: 0)
    #expect(schedule.due == 108 * Self.second)
  }

  @Test func aRefusedPasswordIsNotTriedAgainUntilAPersonHelps() {
    var schedule = SyncSchedule(interval: 600 * Self.second, startsNow: true, now: 0)
    schedule.begin()
    schedule.end(.needsPerson, jitter: 0, now: 5)
    #expect(schedule.due == nil)
    schedule.helped(now: 9)
    #expect(schedule.due == 9)
    schedule.begin()
    schedule.end(.completed, jitter: 0, now: 10)
    schedule.helped(now: 11)
    #expect(schedule.due == 10 + 600 * Self.second)
  }

  @Test func aPasswordThatIsGivenDuringAPassIsTriedAfterIt() {
    var schedule = SyncSchedule(interval: 600 * Self.second, startsNow: true, now: 0)
    schedule.begin()
    schedule.helped(now: 3)
    schedule.end(.needsPerson, jitter: 0, now: 5)
    #expect(schedule.due == 5 && !schedule.needsPerson)
    // And not for ever, if the new password is wrong too.
    schedule.begin()
    schedule.end(.needsPerson, jitter: 0, now: 9)
    #expect(schedule.due == nil && schedule.needsPerson)
  }
}
