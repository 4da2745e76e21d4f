import Bus
import Digest
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import ContactsSync
@testable import Storage

/// What a new version does with the store and the cards of the previous one.
@Suite(.timeLimit(.minutes(5))) struct UpgradeTests {
  /// File names in a folder from a Mac, as earlier versions wrote them and as they are.
  private static let names = [
    ("jose\u{301}.vcf", "jose\u{301}.vcf", "jose%CC%81.vcf"),
    ("100% jose\u{301}.vcf", "100%25 jose\u{301}.vcf", "100%25 jose%CC%81.vcf"),
    ("jos\u{E9}.vcf", "jos\u{E9}.vcf", "jos\u{E9}.vcf"),
    ("ko\u{308}ln #1/b.vcf", "ko\u{308}ln %231/b.vcf", "ko%CC%88ln %231/b.vcf"),
    ("k\u{F6}ln/jose\u{301}.vcf", "k\u{F6}ln/jose\u{301}.vcf", "k\u{F6}ln/jose%CC%81.vcf"),
    ("plain.vcf", "plain.vcf", "plain.vcf"),
  ]

  /// The step comes last here: the code of today needs the tables of the others.
  private static let others = Migration.all.filter { $0.name != "file_names" }
  private static let all = others + Migration.all.filter { $0.name == "file_names" }

  /// A household with the store of a version that wrote file names unchanged, in any normalization form.
  ///
  /// - Parameter renames: Names of cards as they are written now, and as they were written then.
  private func before(_ source: String, _ renames: (Household) async throws -> [(String, String)]) async throws -> (
    root: String, ids: [String: String]
  ) {
    let home = try Household(migrations: Self.others)
    let renames = try await renames(home)
    try await home.storage.write { transaction throws(Failure) in
      for (now, before) in renames where !now.utf8.elementsEqual(before.utf8) {
        try transaction.cards.rename(now, to: before, in: source)
        var problem = CardProblem.problem("missing_version", href: before, skipped: false)
        problem.line = 2
        try transaction.problems.replace([], of: now, in: source, at: 1)
        try transaction.problems.replace([problem], of: before, in: source, at: 1)
      }
    }
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.formattedName, $0.id) })
    await home.stop()
    return (home.root, ids)
  }

  @Test func cardsInFilesWithDecomposedNamesKeepTheirContacts() async throws {
    let (root, ids) = try await self.before("home") { home in
      for folder in ["ko\u{308}ln #1", "k\u{F6}ln"] {
        try FileManager.default.createDirectory(atPath: home.path(folder), withIntermediateDirectories: true)
      }
      for (name, _, now) in Self.names { try home.write(name, Household.card(uid: nil, name: now)) }
      // Two cards in one file, whose keys may have any form.
      try home.write(
        "mu\u{308}ller.vcf",
        Household.card(uid: "jose\u{301}/\u{FC}.vcf#x", name: "First") + Household.card(uid: nil, name: "Second"))
      try await home.addFolder()
      #expect(try await home.sync().added == Self.names.count + 2)
      let hrefs = try await home.live().map(\.sourceIdentifier).filter { $0.hasPrefix("mu%CC%88ller.vcf#") }
      #expect(hrefs.count == 2)
      return Self.names.map { ($0.2, $0.1) }
        + hrefs.map { ($0, $0.replacing("mu%CC%88ller.vcf", with: "mu\u{308}ller.vcf")) }
    }
    let home = try Household(root: root, migrations: Self.all)
    let problems = try await home.problems().map(\.sourceIdentifier)
    #expect(problems.count == 6 && problems.allSatisfy { $0.contains("%CC%8") })
    for isFull in [false, true] {
      let status = try await home.sync(full: isFull)
      #expect(status.added + status.updated + status.deleted + status.heldBack == 0)
      let live = try await home.live()
      #expect(live.count == ids.count && live.allSatisfy { ids[$0.formattedName] == $0.id })
      #expect(live.count { $0.sourceIdentifier.utf8.elementsEqual($0.formattedName.utf8) } == Self.names.count)
    }
    await home.close()
  }

  @Test func cardsOfAFileWithADecomposedNameKeepTheirContacts() async throws {
    // The name may contain characters that otherwise end it, and need not end like those of card files.
    for name in ["jose\u{301}.vcf", "jose\u{301}#1.vcf#2", "jose\u{301} 100%.txt"] {
      let (root, ids) = try await self.before("export") { home in
        let cards = (0..<20).map { Household.card(uid: $0 == 7 ? "e\u{301}#7" : nil, name: "Person \($0)") }
        try home.write(name, cards.joined())
        try await home.addFile(file: name)
        #expect(try await home.sync("export").added == 20)
        return try await home.live().map {
          ($0.sourceIdentifier, $0.sourceIdentifier.replacing("%CC%81", with: "\u{301}"))
        }
      }
      let home = try Household(root: root, migrations: Self.all)
      let status = try await home.sync("export", full: true)
      #expect(status.added + status.updated + status.deleted + status.heldBack == 0 && status.live == 20)
      let live = try await home.live()
      #expect(live.count == ids.count && live.allSatisfy { ids[$0.formattedName] == $0.id })
      await home.close()
    }
  }

  /// Every card is read again when the mapping changes, which ``ContactMapping/version`` records.
  @Test func aChangeOfTheReaderIsANewVersion() throws {
    let cards = [
      "VERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;Dr.;\r\nTEL;CELL;PREF:+49 30 1\r\n"
        + "BDAY:19700102\r\nNOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0Atwo=\r\n three\r\n",
      "VERSION:3.0\r\nUID:urn:uuid:1\r\nFN:Ann Sample\r\nN:Sample;Ann;Mary,Sue;Dr.;Jr.\r\nNICKNAME:A,Annie\r\n"
        + "ite\r\n m1.TEL;TYPE=\"cell,voice\":+1 555 0100\r\nitem1.X-ABLabel:_$!<Mobile>!$_\r\nTE\r\n L;TYPE=HOME:+1 555 0101\r\n"
        + "BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29\r\nX-ANNIVERSARY:2000-01-02\r\nORG:Sample;Tea;Pots\r\n"
        + "ADR;TYPE=WORK:1;2;3 Street;Town;State;12345;Land\r\nIMPP;X-SERVICE-TYPE=Skype:skype:ann\r\nCATEGORIES:b,a\r\n"
        + "X-PHONETIC-FIRST-NAME:An\r\nREV:2020-01-02T03:04:05Z\r\n",
      "VERSION:3.0\r\nFN:Year\r\nBDAY;X-APPLE-OMIT-YEAR=1985:1985\r\nBDAY;X-APPLE-OMIT-YEAR=1604:1985\r\n"
        + "PHOTO;ENCODING=b;TYPE=GIF:R0lGODlhAQABAAAAACwAAAAAAQABAAA=\r\n",
      "VERSION:4.0\r\nUID:2\r\nFN:Team\r\nKIND:group\r\nMEMBER:urn:uuid:1\r\nTEL;VALUE=uri;PREF=1:tel:+1-555-0102\r\n"
        + "ANNIVERSARY:--0102\r\nBDAY;VALUE=text:circa 1800\r\nRELATED;TYPE=spouse:urn:uuid:3\r\nURL:https://example.org\r\n"
        + "EMAIL;TYPE=work:team@example.org\r\nPHOTO:https://example.org/p.jpg\r\nTITLE:T\r\nROLE:R\r\n",
    ]
    var said: [UInt8] = []
    for card in cards {
      let text = "BEGIN:VCARD\r\n\(card)END:VCARD\r\n"
      for var read in CardRead.cards(Array(text.utf8), href: "a.vcf", fingerprint: "") {
        #expect(read.hasContact)
        read.pictures = []
        said += try read.serializedBytes() as [UInt8]
      }
    }
    // If the digest differs, raise the version, and write both here.
    #expect(ContactMapping.version == 4)
    #expect(Hex.encode(SHA256.digest(said)) == "d52c09bb3352de29c19dadc61dc40d6b2cb562b4b2926aeee62978ade0dea2f9")
  }
}
