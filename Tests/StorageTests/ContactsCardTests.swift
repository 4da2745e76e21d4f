import Bus
import Digest
import Foundation
import GRDB
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite struct ContactsCardTests {
  @Test func sourcesComeBackWithoutTheirPassword() throws {
    let fixture = try ContactsFixture()
    var source = Source()
    source.name = "cloud"
    source.carddav.url = "https://dav.example/ann"
    source.carddav.username = "ann"
    source.carddav.password = "secret"
    source.carddav.passwordFile = "/etc/kith/ann"
    source.createdAt = .init(nanosecondsSince1970: 9)
    try fixture.write { try $0.sources.insert(source) }
    let twice = #expect(throws: Failure.self) { try fixture.write { try $0.sources.insert(source) } }
    #expect(twice?.reason == "RECORD_EXISTS")
    var status = SyncStatus()
    status.state = .completed
    status.added = 3
    try fixture.write { transaction in
      try transaction.sources.setStatus(status, of: "cloud")
      try transaction.sources.setListing("cloud", token: "t1", identity: "dev 5")
    }
    source.carddav.password = ""
    source.status = status
    let record = try #require(try fixture.read { try $0.sources.find("cloud") })
    #expect(record.source == source)
    #expect(record.token == "t1")
    #expect(record.location.identity == "dev 5")
    #expect(record.location.carddav == source.carddav)
    #expect(try fixture.read { try $0.sources.all() }.map(\.source) == [source])
    #expect(try fixture.read { try $0.sources.find("other") } == nil)
    source.carddav.username = "anna"
    source.carddav.password = "other"
    try fixture.write { try $0.sources.replace(source) }
    source.carddav.password = ""
    #expect(try fixture.read { try $0.sources.find("cloud") }?.source == source)
    let gone = #expect(throws: Failure.self) { try fixture.write { try $0.sources.remove("other") } }
    #expect(gone?.code == .notFound)
  }

  @Test func anUnreadableCardLeavesTheLastGoodState() throws {
    let fixture = try ContactsFixture()
    let ann = try Self.addAnn(to: fixture)
    var broken = CardRead()
    broken.href = "ann.vcf"
    broken.fingerprint = "2"
    broken.rawSha256 = Data([9])
    try fixture.write { try $0.cards.put(broken, in: "home", contactID: ann.id) }
    let known = try #require(try fixture.read { try $0.cards.find("ann.vcf", in: "home") })
    #expect(known.fingerprint == "2")
    #expect(known.rawSHA256 == [9])
    #expect(known.semanticDigest == [2])
    #expect(known.uid == "u1")
    #expect(known.contactID == ann.id)
    #expect(try fixture.read { try $0.cards.raw("ann.vcf", in: "home") } == Array("BEGIN".utf8))
    #expect(try fixture.read { try $0.contacts.get(ann.id) }?.stale == true)
    try fixture.write { try $0.cards.put(Self.card(), in: "home", contactID: ann.id) }
    #expect(try fixture.read { try $0.contacts.get(ann.id) }?.stale == false)
  }

  @Test func aCardThatWasNeverReadableIsForgottenAlone() throws {
    let fixture = try ContactsFixture()
    _ = try Self.addAnn(to: fixture)
    var broken = CardRead()
    broken.href = "broken.vcf"
    broken.fingerprint = "1"
    try fixture.write { transaction in
      try transaction.cards.put(broken, in: "home", contactID: "")
      try transaction.problems.replace([Problem.with { $0.kind = "no_end" }], of: "broken.vcf", in: "home", at: 1)
    }
    #expect(try fixture.read { try $0.cards.find("broken.vcf", in: "home") }?.contactID == "")
    try fixture.write { try $0.cards.forget(["broken.vcf", "ann.vcf"], in: "home") }
    #expect(try fixture.read { try $0.cards.known(in: "home") }.map(\.href) == ["ann.vcf"])
    #expect(try fixture.read { try $0.problems.page() }.problems.isEmpty)
  }

  @Test func missingCardsAreCountedUntilTheyAreBack() throws {
    let fixture = try ContactsFixture()
    let ann = try Self.addAnn(to: fixture)
    for pass in 1...3 as ClosedRange<Int64> {
      try fixture.write { try $0.cards.setMissing(["ann.vcf"], in: "home", since: pass * 10) }
    }
    let missing = try #require(try fixture.read { try $0.cards.find("ann.vcf", in: "home") })
    #expect(missing.missingSince == 10)
    #expect(missing.missingPasses == 3)
    #expect(missing.countedAt == 30)
    #expect(try fixture.read { try $0.contacts.get(ann.id) }?.missingSince.nanosecondsSince1970 == 10)
    try fixture.write { try $0.cards.clearMissing(["ann.vcf"], in: "home") }
    let back = try #require(try fixture.read { try $0.cards.find("ann.vcf", in: "home") })
    #expect(back.missingSince == 0)
    #expect(back.missingPasses == 0)
    #expect(try fixture.read { try $0.contacts.get(ann.id) }?.hasMissingSince == false)
  }

  @Test func aRestoredContactIsKeptUntilItsCardIsBack() throws {
    let fixture = try ContactsFixture()
    let ann = try Self.addAnn(to: fixture)
    try fixture.write { transaction in
      try transaction.contacts.softDelete([ann.id], at: 5)
      _ = try transaction.contacts.restore(ann.id, at: 6)
    }
    #expect(try fixture.read { try $0.cards.find("ann.vcf", in: "home") }?.isKept == true)
    try fixture.write { try $0.cards.put(Self.card(), in: "home", contactID: ann.id) }
    #expect(try fixture.read { try $0.cards.find("ann.vcf", in: "home") }?.isKept == false)
  }

  @Test func aDeletedCardIsFoundByItsUIDAndMoves() throws {
    let fixture = try ContactsFixture()
    let ann = try Self.addAnn(to: fixture)
    #expect(try fixture.read { try $0.cards.findDeleted(uids: ["u1"], in: "home") } == [])
    try fixture.write { try $0.contacts.softDelete([ann.id], at: 5) }
    #expect(try fixture.read { try $0.cards.findDeleted(uids: ["u1"], in: "home") }.map(\.href) == ["ann.vcf"])
    #expect(try fixture.read { try $0.cards.findDeleted(uids: [""], in: "home") } == [])
    try fixture.write { transaction in
      try transaction.cards.rename("ann.vcf", to: "new.vcf", in: "home")
      _ = try transaction.contacts.restore(ann.id, at: 6)
    }
    let contact = try #require(try fixture.read { try $0.contacts.get(ann.id) })
    #expect(contact.sourceIdentifier == "new.vcf")
    #expect(!contact.hasDeletedAt)
    #expect(try fixture.read { try $0.cards.known(in: "home") }.map(\.href) == ["new.vcf"])
    let unknown = #expect(throws: Failure.self) { try fixture.write { try $0.cards.rename("x", to: "y", in: "home") } }
    #expect(unknown?.reason == "RECORD_UNKNOWN")
  }

  @Test func photosGoWithTheirLastContact() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.addSource("work")
    var picture = Picture()
    picture.data = Data([1, 2, 3])
    picture.ref.sha256 = Hex.encode(SHA256.digest([1, 2, 3]))
    picture.ref.size = 3
    picture.ref.mediaType = "image/png"
    var home = Contact("Ann")
    home.photo = picture.ref
    var work = Contact("Ann", source: "work")
    work.photo = picture.ref
    try fixture.write { transaction in
      try transaction.photos.put(picture)
      try transaction.photos.put(picture)
      for contact in [home, work] { try transaction.contacts.insert(contact) }
    }
    #expect(try fixture.read { try $0.photos.get(picture.ref.sha256) } == picture)
    #expect(try fixture.write { try $0.sources.remove("home") } == [home.id])
    #expect(try fixture.read { try $0.photos.get(picture.ref.sha256) } == picture)
    #expect(try fixture.write { try $0.sources.remove("work") } == [work.id])
    #expect(try fixture.read { try $0.photos.get(picture.ref.sha256) } == nil)
    var wrong = picture
    wrong.ref.sha256 = "../" + picture.ref.sha256.dropFirst(3)
    #expect(throws: Failure.self) { try fixture.write { [wrong] in try $0.photos.put(wrong) } }
  }

  @Test func problemsAreReplacedAndKeepWhenTheyBegan() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let problem = { (kind: String, line: UInt32) in
      Problem.with {
        $0.kind = kind; $0.line = line; $0.skipped = true; $0.message = "m"
      }
    }
    try fixture.write { transaction in
      for index in 0..<5 {
        try transaction.problems.replace(
          [problem("no_end", 1), problem("bad_fold", 2)], of: "\(index).vcf", in: "home", at: 10)
      }
      try transaction.problems.replace(
        [problem("no_end", 7), problem("no_version", 8)], of: "2.vcf", in: "home", at: 20)
      try transaction.problems.replace([], of: "3.vcf", in: "home", at: 20)
    }
    var all: [Problem] = []
    var cursor = ""
    repeat {
      let page = try fixture.read { try $0.problems.page(limit: 3, cursor: cursor, source: "home") }
      #expect(page.problems.count <= 3)
      all += page.problems
      cursor = page.nextCursor
    } while !cursor.isEmpty
    #expect(all.map(\.sourceIdentifier) == ["0.vcf", "0.vcf", "1.vcf", "1.vcf", "2.vcf", "2.vcf", "4.vcf", "4.vcf"])
    #expect(all[4].kind == "no_end" && all[4].line == 7 && all[4].firstSeenAt.nanosecondsSince1970 == 10)
    #expect(all[5].kind == "no_version" && all[5].firstSeenAt.nanosecondsSince1970 == 20)
    #expect(all.allSatisfy { $0.source == "home" && $0.skipped && $0.message == "m" })
  }

  /// Its passes were counted however close together they were.
  @Test func aCardThatWasMissingInAStoreOfBeforeHasBeenMissedOnce() async throws {
    let temporary = TemporaryStore()
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "clock_steps" }))
    try await storage.write { transaction throws(Failure) in
      var source = Source()
      source.name = "home"
      source.vdir.path = "/srv/home"
      try transaction.sources.insert(source)
      try transaction.attempt { database in
        let cards: [(String, Int64?, Int)] = [("counted.vcf", 10, 5), ("held.vcf", 10, 0), ("here.vcf", nil, 0)]
        for (href, since, passes) in cards {
          try database.execute(
            sql: """
              INSERT INTO card
                (source, href, fingerprint, raw_sha256, semantic_digest, uid, missing_since, missing_passes, raw)
              VALUES (1, ?, '', x'', x'', '', ?, ?, x'')
              """, arguments: [href, since, passes])
        }
      }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    let cards = try await storage.read { view throws(Failure) in try view.cards.known(in: "home") }
    #expect(cards.map(\.missingSince) == [10, 10, 0] && cards.map(\.missingPasses) == [1, 0, 0])
    #expect(cards.map(\.countedAt) == [10, 0, 0])
    await storage.close()
  }

  private static func addAnn(to fixture: ContactsFixture) throws -> Contact {
    try fixture.addSource("home")
    var ann = Contact("Ann")
    ann.sourceIdentifier = "ann.vcf"
    try fixture.write { transaction in
      try transaction.contacts.insert(ann)
      try transaction.cards.put(self.card(), in: "home", contactID: ann.id)
    }
    return ann
  }

  private static func card() -> CardRead {
    var card = CardRead()
    card.href = "ann.vcf"
    card.fingerprint = "1"
    card.rawSha256 = Data([1])
    card.semanticDigest = Data([2])
    card.raw = Data("BEGIN".utf8)
    card.contact.uid = "u1"
    return card
  }
}
