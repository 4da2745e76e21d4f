import Bus
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import ContactsSync

/// Which contact a card belongs to if its name and UID no longer match.
@Suite struct MovedCardsTests {
  private typealias Move = MovedCards.Move

  private func known(
    _ href: String, _ uid: String, isDeleted: Bool = false, digest: [UInt8] = [1]
  ) -> KnownCard {
    KnownCard(
      href: href, fingerprint: "1", rawSHA256: [1], semanticDigest: digest, contactID: "c" + href, uid: uid,
      isDeleted: isDeleted)
  }

  private func read(_ href: String, _ uid: String, name: String = "", digest: [UInt8] = []) -> CardRead {
    var read = CardRead()
    read.href = href
    read.contact.uid = uid
    read.contact.formattedName = name
    read.semanticDigest = Data(digest)
    return read
  }

  /// The moves after cards are read in this order, when others were only listed.
  private func moves(
    _ known: [KnownCard], reads: [(String, String)], lost: [KnownCard] = [], deleted: [KnownCard] = []
  ) -> [Move] {
    var moved = MovedCards(known: known)
    for (href, uid) in reads {
      let name = known.first { $0.href == href }
      _ = moved.putsOff(self.read(href, uid), known: name, lost: lost.filter { $0.uid == uid })
    }
    return moved.moves(lost: .init(grouping: lost, by: \.uid), deleted: .init(grouping: deleted, by: \.uid))
  }

  @Test func namesThatWereSwappedAreSwappedBack() {
    let known = [self.known("a", "1"), self.known("b", "2"), self.known("c", "3")]
    #expect(self.moves(known, reads: [("a", "1"), ("b", "2"), ("c", "3")]).isEmpty)
    let swapped = [Move(from: "b", to: "a"), Move(from: "a", to: "b")]
    #expect(self.moves(known, reads: [("a", "2"), ("b", "1"), ("c", "3")]) == swapped)
    let around = [Move(from: "c", to: "a"), Move(from: "a", to: "b"), Move(from: "b", to: "c")]
    #expect(self.moves(known, reads: [("a", "3"), ("b", "1"), ("c", "2")]) == around)
  }

  @Test func aNameThatIsTakenMovesItsCardAside() {
    // A lost card has the name of another one, which is found nowhere or under a new name.
    let known = [self.known("b", "2")]
    let lost = [self.known("a", "1")]
    let came = Move(from: "a", to: "b")
    #expect(self.moves(known, reads: [("b", "1")], lost: lost) == [came, Move(from: "b", to: "b#!moved-cb")])
    #expect(self.moves(known, reads: [("b", "1"), ("x", "2")], lost: lost) == [came, Move(from: "b", to: "x")])
  }

  @Test func aNewUIDIsNoMove() {
    #expect(self.moves([self.known("a", "1")], reads: [("a", "9")]).isEmpty)
    // Unless the old card is found under another name.
    #expect(
      self.moves([self.known("a", "1")], reads: [("a", "9"), ("b", "1")]) == [Move(from: "a", to: "b")])
  }

  @Test func aNewUIDIsUndecidedUnlessItsNameIsDecided() {
    var moved = MovedCards(known: [self.known("a", "1"), self.known("b", "2"), self.known("c", "3")])
    for (href, uid) in [("a", "8"), ("b", "9"), ("c", "2")] {
      let known = self.known(href, href == "a" ? "1" : href == "b" ? "2" : "3")
      let isPutOff = moved.putsOff(self.read(href, uid), known: known, lost: [])
      #expect(isPutOff)
    }
    let moves = moved.moves(lost: [:], deleted: [:])
    #expect(moves == [Move(from: "b", to: "c"), Move(from: "c", to: "c#!moved-cc")])
    #expect(moved.undecided(moves) == ["a"])
  }

  @Test func twoCardsOfOneUIDStayTwo() {
    let known = [self.known("a", "1"), self.known("b", "1"), self.known("c", "3")]
    #expect(self.moves(known, reads: [("a", "1"), ("b", "1"), ("c", "3")]).isEmpty)
    // A copy under a new name, and a copy that replaced another card.
    #expect(self.moves(known, reads: [("a", "1"), ("b", "1"), ("c", "3"), ("x", "3")]).isEmpty)
    #expect(self.moves(known, reads: [("a", "1"), ("b", "1"), ("c", "1")]).isEmpty)
  }

  @Test func ofTwoCardsOfOneUIDTheSameOneKeepsTheContact() {
    let lost = [self.known("one", "1", digest: [1]), self.known("two", "1", digest: [2])]
    let reads = [
      self.read("a", "1", name: "Cy", digest: [9]), self.read("b", "1", name: "Bob", digest: [8]),
      self.read("c", "1", name: "Ann", digest: [1]),
    ]
    func moves(_ reads: [CardRead], lost: [KnownCard], names: [String: String] = [:]) -> [Move] {
      var moved = MovedCards(known: [])
      for read in reads { _ = moved.putsOff(read, known: nil, lost: lost) }
      return moved.moves(lost: ["1": lost], deleted: [:], names: names)
    }
    // The unchanged card is no deferred one: it is stored with its contact at once.
    var moved = MovedCards(known: [])
    let arePutOff = reads.map { moved.putsOff($0, known: nil, lost: [lost[0]]) }
    #expect(arePutOff == [true, true, false])
    // Changed ones are told by their names, and a single one is the same in any case.
    let names = ["cone": "Ann", "ctwo": "Bob"]
    #expect(
      moves(Array(reads[...1]), lost: lost, names: names) == [Move(from: "two", to: "b"), Move(from: "one", to: "a")])
    #expect(moves([reads[0]], lost: [lost[1]]) == [Move(from: "two", to: "a")])
    #expect(moved.contested(lost: ["1": [lost[0]]]).map(\.href) == ["one"])
    #expect(moved.contested(lost: [:]).isEmpty)
  }

  @Test func aCardOfAnUnlistedPartIsWaitedFor() {
    let deleted = self.known("x", "1", isDeleted: true)
    var moved = MovedCards(known: [], unlisted: [self.known("f/a", "1"), self.known("f/b", "2", isDeleted: true)])
    let arePutOff = ["1", "2", "3"].map { moved.putsOff(self.read("w/" + $0, $0), known: nil, lost: []) }
    #expect(arePutOff == [true, false, false])
    // A deleted contact of the same UID does not come back in its place.
    let moves = moved.moves(lost: [:], deleted: ["1": [deleted]])
    #expect(moves.isEmpty && moved.undecided(moves) == ["w/1"])
    // One that lost its name elsewhere is found.
    let found = moved.moves(lost: ["1": [self.known("v/a", "1")]], deleted: [:])
    #expect(found == [Move(from: "v/a", to: "w/1")] && moved.undecided(found).isEmpty)
  }

  @Test func aNameDoesNotBringBackAnotherPerson() {
    let known = [self.known("a", "1", isDeleted: true), self.known("b", "2")]
    let aside = Move(from: "a", to: "a#!moved-ca")
    #expect(self.moves(known, reads: [("a", "9"), ("b", "2")]) == [aside])
    #expect(self.moves(known, reads: [("a", "2")], lost: []) == [aside])
    #expect(
      self.moves(known, reads: [("b", "1"), ("a", "2")]) == [Move(from: "b", to: "a"), Move(from: "a", to: "b")])
    let deleted = [self.known("x", "7", isDeleted: true)]
    #expect(
      self.moves([self.known("b", "2")], reads: [("b", "7")], deleted: deleted) == [
        Move(from: "x", to: "b"), Move(from: "b", to: "b#!moved-cb"),
      ])
  }

  @Test func aDeletedContactComesBackOnce() {
    let known = [self.known("a", "1", isDeleted: true), self.known("b", "2")]
    #expect(self.moves(known, reads: [("a", "1"), ("b", "1")], deleted: [known[0]]).isEmpty)
  }

  @Test func whatCannotBeReadWholeMovesNothing() {
    var moved = MovedCards(known: [self.known("a", "1"), self.known("b", "2")])
    var cutOff = self.read("a", "2")
    cutOff.problems = [CardProblem.problem("missing_end", href: "a", skipped: false)]
    for read in [cutOff, self.read("a", "")] {
      let isPutOff = moved.putsOff(read, known: self.known("a", "1"), lost: [])
      #expect(!isPutOff)
    }
    #expect(moved.moves(lost: [:], deleted: [:]).isEmpty)
  }

  @Test func aCopyOverAnotherCardTakesNoContactAway() async throws {
    let home = try Household()
    try home.fill(4)
    try await home.addFolder()
    _ = try await home.sync()
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.sourceIdentifier, $0.id) })
    try home.write("0.vcf", Household.card(uid: "u1", name: "Copy"))
    for full in [false, true] {
      let status = try await home.sync(full: full)
      #expect(status.added == 0 && status.deleted == 0 && status.heldBack == 0 && status.live == 4)
      let live = try await home.live()
      #expect(Dictionary(uniqueKeysWithValues: live.map { ($0.sourceIdentifier, $0.id) }) == ids)
      #expect(live.count { $0.uid == "u1" } == 2)
    }
    await home.close()
  }

  @Test func aCardInThePlaceOfAnotherIsTheSameContact() async throws {
    let home = try Household()
    try home.fill(12)
    try await home.addFolder()
    _ = try await home.sync()
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.uid, $0.id) })
    try home.remove("1.vcf")
    try home.move("0.vcf", to: "1.vcf")
    let status = try await home.sync()
    #expect(status.added == 0 && status.deleted == 1 && status.live == 11)
    #expect(try await home.live().allSatisfy { ids[$0.uid] == $0.id && $0.uid != "u1" })
    #expect(try await home.all().first { $0.uid == "u1" }?.id == ids["u1"])
    // Renamed back to a name that another card had, with its own contact.
    try home.write("0.vcf", Household.card(uid: "u1", name: "Person 1"))
    #expect(try await home.sync().revived == 1)
    #expect(try await home.live().allSatisfy { ids[$0.uid] == $0.id })
    #expect(try await home.live().count == 12)
    await home.close()
  }

  @Test func aCardThatWasMovedAsideComesBackToItsName() async throws {
    let home = try Household()
    try home.fill(12)
    try await home.addFolder()
    _ = try await home.sync()
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.uid, $0.id) })
    try home.remove("1.vcf")
    try home.move("0.vcf", to: "1.vcf")
    #expect(try await home.sync().deleted == 1)
    // The card whose name was taken is back, and the one that took it is found nowhere.
    try home.write("1.vcf", Household.card(uid: "u1", name: "Person 1"))
    let status = try await home.sync()
    #expect(status.revived == 1 && status.deleted == 1 && status.updated == 0)
    let all = try await home.all()
    #expect(all.count == 12 && all.allSatisfy { ids[$0.uid] == $0.id })
    #expect(all.filter(\.hasDeletedAt).map(\.uid) == ["u0"])
    await home.close()
  }

  @Test(arguments: [ModelSource.Kind.folder, .account]) func aCardThatWaitsForAFolderSaysSo(
    _ kind: ModelSource.Kind
  ) async throws {
    let (sources, beginning) = (ModelSources(), kind == .folder ? "" : "own/")
    let home = try Household(source: sources.port)
    sources["home"] = ModelSource(kind)
    let own = kind == .folder ? "" : "own"
    var cards: ModelSource.Cards = [own: [:], "shared": ["9": .init(uid: "u9", version: 1)], "other": [:]]
    cards["other"]?["8"] = .init(uid: "u8", version: 1)
    for number in 0..<5 { cards[own]?["\(number)"] = .init(uid: "u\(number)", version: 1) }
    sources["home"].answer = .init(shows: cards)
    if kind == .folder {
      try await home.addFolder()
    } else {
      _ = try await home.router.ask(
        AddSourceRequest.with {
          $0.name = "home"
          $0.carddav.url = "https://dav.example.org/"
        })
    }
    #expect(try await home.sync().added == 7)
    // The name now belongs to another person, and its former card may be in an unreadable part.
    cards[own]?["3"] = .init(uid: "new", version: 2)
    sources["home"].answer = .init(shows: cards, unlisted: ["shared"], namesChanges: kind == .account)
    for named in [["new"], ["new", "u0", "u1", "u2", "u4"]] as [Set<String>] {
      let status = try await home.sync()
      #expect(status.state == .completed && status.added == 0 && status.updated == 0)
      // The address book of the card is listed completely again, and the others are not.
      if kind == .account { #expect(sources["home"].named == named) }
      let problems = try await home.problems()
      let waiting = problems.filter { $0.sourceIdentifier == "\(beginning)3.vcf" }
      #expect(waiting.map(\.kind) == ["card_waits"] && waiting.allSatisfy(\.skipped))
      #expect(waiting.allSatisfy { $0.message.contains("'shared'") })
      #expect(status.skipped == (kind == .folder ? 2 : 1))
    }
    // It has its old name back, and is not read because nothing has changed.
    var before = cards
    before[own]?["3"] = .init(uid: "u3", version: 1)
    sources["home"].answer = .init(shows: before)
    #expect(try await home.sync().skipped == 0)
    #expect(try await home.problems().isEmpty)
    sources["home"].answer = .init(shows: cards)
    #expect(try await home.sync().skipped == 0)
    #expect(try await home.problems().isEmpty)
    #expect(Set(try await home.live().map(\.uid)) == ["u0", "u1", "u2", "new", "u4", "u8", "u9"])
    await home.close()
  }

  @Test func aCardThatMovedOutOfAFolderThatCannotBeReadKeepsItsContact() async throws {
    let sources = ModelSources()
    let home = try Household(source: sources.port)
    sources["home"] = ModelSource(.folder)
    var cards: ModelSource.Cards = ["": [:], "shared": [:]]
    for number in 0..<5 {
      cards[""]?["\(number)"] = .init(uid: "u\(number)", version: 1)
      cards["shared"]?["\(number)"] = .init(uid: "s\(number)", version: 1)
    }
    sources["home"].answer = .init(shows: cards)
    try await home.addFolder()
    #expect(try await home.sync().added == 10)
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.uid, $0.id) })
    let moved = cards["shared"]?.removeValue(forKey: "0")
    cards[""]?["moved"] = moved
    cards[""]?["new"] = .init(uid: "new", version: 1)
    for (unlisted, added) in [("shared", 1), ("shared", 0)] as [(String, UInt32)] {
      sources["home"].answer = .init(shows: cards, unlisted: [unlisted])
      let status = try await home.sync()
      #expect(status.state == .completed && status.added == added && status.deleted == 0)
      let waiting = try await home.problems().filter { $0.kind == "card_waits" }
      #expect(
        waiting.map(\.sourceIdentifier) == ["moved.vcf"] && waiting.allSatisfy { $0.message.contains("'shared'") })
    }
    sources["home"].answer = .init(shows: cards)
    let status = try await home.sync()
    #expect(status.added == 0 && status.deleted == 0 && status.heldBack == 0)
    #expect(try await home.problems().isEmpty)
    let live = try await home.live()
    #expect(live.count == 11 && live.allSatisfy { $0.uid == "new" || ids[$0.uid] == $0.id })
    #expect(live.first { $0.uid == "s0" }?.sourceIdentifier == "moved.vcf")
    await home.close()
  }

  @Test func aCardThatMovedDoesNotSpeakForTheFolderThatItLeft() async throws {
    let home = try Household()
    for folder in ["old", "new"] {
      try FileManager.default.createDirectory(atPath: home.path(folder), withIntermediateDirectories: true)
      for number in 0..<5 {
        let uid = folder + "\(number)"
        try home.write("\(folder)/\(number).vcf", Household.card(uid: uid, name: uid))
      }
    }
    try await home.addFolder()
    #expect(try await home.sync().added == 10)
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.uid, $0.id) })
    try home.move("old/0.vcf", to: "new/moved.vcf")
    for number in 1..<5 { try home.remove("old/\(number).vcf") }
    let status = try await home.sync()
    #expect(status.deleted == 0 && status.heldBack == 4 && status.holdReason == "LISTING_EMPTY")
    #expect(Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.uid, $0.id) }) == ids)
    await home.close()
  }
}
