import Foundation
import TestKit
import Testing

@testable import VCard

/// Written cards conform to their version and keep every value of the card.
@Suite struct VersionTests {
  /// The lines between VERSION and END, without FN and an empty N.
  private func lines(_ card: Card, _ version: Version) -> [String] {
    let text = String(decoding: CardWriter(version: version).bytes(of: card), as: UTF8.self).replacing(
      "\r\n ", with: "")
    return text.split(separator: "\r\n").map(String.init).filter {
      !["BEGIN:VCARD", "VERSION:\(version.rawValue)", "END:VCARD", "FN:A", "N:;;;;"].contains($0)
    }
  }

  @Test(
    arguments: [
      // The line as read, in 3.0, and in 4.0.
      ("TEL;VALUE=uri;TYPE=cell:tel:+49-30-1", "TEL;TYPE=cell:+49-30-1", "TEL;TYPE=cell;VALUE=uri:tel:+49-30-1"),
      ("TEL:0123p45,6;7", "TEL:0123p45\\,6\\;7", "TEL:0123p45\\,6\\;7"),
      ("TEL;PREF=7:1", "TEL;X-PREF=7:1", "TEL;PREF=7:1"), ("TEL;PREF=1:1", "TEL;TYPE=PREF:1", "TEL;PREF=1:1"),
      ("EMAIL:\"Ann\" <a@example.com>", "EMAIL;X-CN=Ann:a@example.com", "EMAIL;X-CN=Ann:a@example.com"),
      ("EMAIL:mailto:a@example.com", "EMAIL:a@example.com", "EMAIL:a@example.com"),
      ("URL:https\\://example.com/?a=1,2", "URL:https://example.com/?a=1,2", "URL:https://example.com/?a=1,2"),
      (
        "PHOTO:https://example.com/a.jpg", "PHOTO;VALUE=uri:https://example.com/a.jpg",
        "PHOTO;VALUE=uri:https://example.com/a.jpg"
      ),
      (
        "LOGO;MEDIATYPE=image/png:https://example.com/a", "LOGO;VALUE=uri;TYPE=PNG:https://example.com/a",
        "LOGO;VALUE=uri;MEDIATYPE=image/png:https://example.com/a"
      ),
      (
        "KEY;TYPE=PGP:http://example.com/k", "KEY;TYPE=PGP;VALUE=uri:http://example.com/k",
        "KEY;VALUE=uri;MEDIATYPE=application/pgp-keys:http://example.com/k"
      ),
      ("SOUND;VALUE=URI:cid:part1", "SOUND;VALUE=uri:cid:part1", "SOUND;VALUE=uri:cid:part1"),
      ("KEY;ENCODING=b;TYPE=X509:AQID", "KEY;ENCODING=b;TYPE=X509:AQID", "KEY:data:application/pkix-cert;base64,AQID"),
      ("KEY;VALUE=text:---- a, b", "KEY;VALUE=text:---- a\\, b", "KEY;VALUE=text:---- a\\, b"),
      ("PHOTO;ENCODING=b:/9j/4!", "X-PHOTO:/9j/4!", "X-PHOTO:/9j/4!"), ("PHOTO;VALUE=URI:", nil, nil),
      (
        "X-MS-CARDPICTURE;ENCODING=BASE64:/9j/", "X-MS-CARDPICTURE;ENCODING=b:/9j/",
        "X-MS-CARDPICTURE;VALUE=uri:data:image/jpeg;base64,/9j/"
      ),
      ("GEO:geo:37.38,-122.08", "GEO:37.38;-122.08", "GEO:geo:37.38,-122.08"),
      ("GEO:37.38;-122.08", "GEO:37.38;-122.08", "GEO:geo:37.38,-122.08"), ("GEO:here", "X-GEO:here", "X-GEO:here"),
      ("TZ:-0500", "TZ:-05:00", "TZ;VALUE=utc-offset:-0500"),
      ("TZ:Europe/Oslo", "TZ;VALUE=text:Europe/Oslo", "TZ:Europe/Oslo"),
      ("REV:1995-10-31T22:27:10Z", "REV:1995-10-31T22:27:10Z", "REV:19951031T222710Z"),
      ("REV:1995-10-31", "REV:1995-10-31", "X-REV:1995-10-31"), ("REV:strange", "X-REV:strange", "X-REV:strange"),
      ("UID:urn:uuid:a-1", "UID:urn:uuid:a-1", "UID:urn:uuid:a-1"), ("UID:a;1", "UID:a\\;1", "UID;VALUE=text:a\\;1"),
      ("BDAY:--0412", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12", "BDAY:--0412"),
      ("BDAY:1985/04/12", "BDAY:1985-04-12", "BDAY:19850412"),
      ("BDAY:1604-04-12", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12", "BDAY:--0412"),
      ("BDAY;VALUE=text:circa 1800", "X-BDAY:circa 1800", "BDAY;VALUE=text:circa 1800"),
      ("BDAY:1985-04", "X-BDAY:1985-04", "BDAY:1985-04"), ("BDAY:---12", "X-BDAY:---12", "BDAY:---12"),
      ("BDAY:1953-10-15T23:10:00Z", "BDAY;VALUE=date-time:1953-10-15T23:10:00Z", "BDAY:19531015T231000Z"),
      ("BDAY:19531015T2310-0500", "BDAY;VALUE=date-time:1953-10-15T23:10:00-05:00", "BDAY:19531015T231000-0500"),
      ("BDAY;CALSCALE=chinese:19850226", "X-BDAY;CALSCALE=chinese:19850226", "BDAY;CALSCALE=chinese:19850226"),
      ("ANNIVERSARY:20100102", "X-ANNIVERSARY:2010-01-02", "ANNIVERSARY:20100102"),
      ("X-MS-ANNIVERSARY:20100102", "X-MS-ANNIVERSARY:2010-01-02", "ANNIVERSARY:20100102"),
      ("DEATHDATE:20100102", "X-DEATHDATE:2010-01-02", "DEATHDATE:20100102"),
      ("KIND:org", "X-ADDRESSBOOKSERVER-KIND:org", "KIND:org"), ("GENDER:F;x", "X-GENDER:F;x", "GENDER:F;x"),
      ("X-GENDER:2", "X-GENDER:2", "X-GENDER:2"), ("LANG:de", "X-LANG:de", "LANG:de"),
      ("MAILER:m,n", "MAILER:m\\,n", "X-MAILER:m\\,n"), ("CLASS:PRIVATE", "CLASS:PRIVATE", "X-CLASS:PRIVATE"),
      ("IMPP:xmpp:a@example.com", "IMPP:xmpp:a@example.com", "IMPP:xmpp:a@example.com"),
      ("IMPP;X-SERVICE-TYPE=Skype:ann", "X-IMPP;X-SERVICE-TYPE=Skype:ann", "X-IMPP;X-SERVICE-TYPE=Skype:ann"),
      ("RELATED:urn:uuid:b-2", "X-RELATED:urn:uuid:b-2", "RELATED:urn:uuid:b-2"),
      ("NOTE:he said \\\"so\\\"", "NOTE:he said \"so\"", "NOTE:he said \"so\""),
      ("X-MESSAGING/XMPP-ALL:a@b", "X-MESSAGING-XMPP-ALL:a@b", "X-MESSAGING-XMPP-ALL:a@b"),
      ("TEL;X_A=b:1", "TEL;X-A=b:1", "TEL;X-A=b:1"),
      ("X-WAB-SPOUSE_NAME:Eve", "X-SPOUSE:Eve", "X-SPOUSE:Eve"),
      ("X-WAB-WEDDING_ANNIVERSARY:20100102", "X-ANNIVERSARY:2010-01-02", "ANNIVERSARY:20100102"),
      (
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;M;1;",
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;M;1;",
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;M;1;"
      ),
    ] as [(String, String?, String?)])
  func lines(_ line: String, _ three: String?, _ four: String?) throws {
    let card = try card("FN:A", line)
    #expect(lines(card, .v3_0) == [three].compactMap(\.self))
    #expect(lines(card, .v4_0) == [four].compactMap(\.self))
  }

  @Test func whatMayStandOnce() throws {
    let card = try card(
      "FN:A", "FN;PREF=1;LANGUAGE=de:B", "N:Doe;A", "N;LANGUAGE=ja:山;田", "BDAY:19850412", "BDAY:19860412",
      "UID:urn:uuid:1", "UID:2",
      "ANNIVERSARY:20100102", "X-ANNIVERSARY:20110102", version: "4.0")
    #expect(
      lines(card, .v3_0) == [
        "X-FN:A", "FN;LANGUAGE=de;X-PREF=1:B", "N:Doe;A;;;", "X-N;LANGUAGE=ja:山;田;;;", "BDAY:1985-04-12",
        "X-BDAY:1986-04-12",
        "UID:urn:uuid:1", "X-UID:2", "X-ANNIVERSARY:2010-01-02", "X-ANNIVERSARY:2011-01-02",
      ])
    #expect(
      lines(card, .v4_0) == [
        "FN;LANGUAGE=de;PREF=1:B", "N:Doe;A;;;", "X-N;LANGUAGE=ja:山;田;;;", "BDAY:19850412", "X-BDAY:19860412",
        "UID:urn:uuid:1", "X-UID;VALUE=text:2", "ANNIVERSARY:20100102", "X-ANNIVERSARY:20110102",
      ])
    let alternatives = try self.alternatives()
    #expect(lines(alternatives, .v4_0) == ["N;ALTID=1:Doe;A;;;", "N;ALTID=1;LANGUAGE=ja:山;田;;;"])
  }

  private func alternatives() throws -> Card {
    try card("FN:A", "N;ALTID=1:Doe;A", "N;ALTID=1;LANGUAGE=ja:山;田", version: "4.0")
  }

  @Test func addressesAndTheirPrintedForm() throws {
    let four = try card(
      "FN:A", "ADR;TYPE=home;LABEL=\"1 High St^nDublin\":;;1 High St;Dublin", "ADR;TYPE=work;CC=ie:;;2;;;;;x;y",
      version: "4.0")
    #expect(
      lines(four, .v3_0) == [
        "ADR;TYPE=home:;;1 High St;Dublin;;;", "LABEL;TYPE=home:1 High St\\nDublin", "ADR;TYPE=work;CC=ie:;;2;;;;",
        "X-ADR:;;2;;;;;x;y",
      ])
    let three = try card(
      "FN:A", "ADR;TYPE=home:;;1 High St;Dublin", "LABEL;TYPE=home:1 High St\\nDublin", "LABEL;TYPE=work:Else")
    #expect(
      lines(three, .v4_0) == [
        "ADR;TYPE=home;LABEL=\"1 High St^nDublin\":;;1 High St;Dublin;;;", "X-LABEL;TYPE=work:Else",
      ])
    for card in [four, three] {
      for version in [Version.v3_0, .v4_0] {
        let again = try Card(CardWriter(version: version).bytes(of: card))
        #expect(again.addresses.map(\.formatted) == card.addresses.map(\.formatted))
      }
    }
  }

  /// RFC 9554 added an eighth component to 4.0; Google writes the printed form there, in 3.0.
  @Test func componentsThatA3CardHasNoPlaceFor() throws {
    let card = try card("FN:A", "ADR:;;1 High St;Dublin;;;Ireland;1 High St\\nDublin")
    let long = "X-ADR:;;1 High St;Dublin;;;Ireland;1 High St\\nDublin"
    for version in [Version.v3_0, .v4_0] {
      #expect(lines(card, version) == ["ADR:;;1 High St;Dublin;;;Ireland", long])
    }
  }

  @Test func readingsOfNames() throws {
    let sound = try card("FN:A", "N:山田;太郎", "SOUND;X-IRMC-N:ヤマダ;タロウ;;;", version: "2.1")
    let sorted = try card("FN:A", "N:van der Harten;Rene", "SORT-STRING:Harten")
    #expect(lines(sound, .v3_0).suffix(2) == ["X-PHONETIC-LAST-NAME:ヤマダ", "X-PHONETIC-FIRST-NAME:タロウ"])
    #expect(lines(sorted, .v3_0).last == "SORT-STRING:Harten")
    #expect(lines(sorted, .v4_0) == ["N;SORT-AS=Harten:van der Harten;Rene;;;"])
    for card in [sound, sorted] {
      for version in [Version.v3_0, .v4_0] {
        #expect(try Card(CardWriter(version: version).bytes(of: card)).phoneticName == card.phoneticName)
      }
    }
  }

  @Test func aYearAloneThatIsOmittedReadsTheSameAgain() throws {
    let card = try card("FN:A", "BDAY;X-APPLE-OMIT-YEAR=1604:1604")
    for version in [Version.v3_0, .v4_0] {
      let again = try Card(CardWriter(version: version).bytes(of: card))
      #expect(again.birthday?.date == card.birthday?.date && card.birthday?.date?.year == 1604)
    }
  }

  /// A line is folded at 75 octets, wherever that is: RFC 6350 3.2.
  @Test func groupsAndNamesThatAreFolded() throws {
    let card = try card(
      "FN:A", "\(String(repeating: "g", count: 80)).TEL:1", "X-\(String(repeating: "N", count: 80)):2")
    for version in [Version.v3_0, .v4_0] {
      let again = try Card(CardWriter(version: version).bytes(of: card))
      #expect(again.phones.map(\.value) == ["1"])
      #expect(again.properties.last?.name == "X-" + String(repeating: "N", count: 80))
    }
  }

  @Test func labelsOfRelations() throws {
    let four = try card(
      "FN:A", "RELATED;TYPE=spouse;VALUE=text:Eve", "RELATED;TYPE=co-worker;VALUE=text:Kim, a", version: "4.0")
    #expect(
      lines(four, .v3_0) == [
        "item1.X-ABRELATEDNAMES;TYPE=spouse:Eve", "item1.X-ABLabel:_$!<Spouse>!$_",
        "item2.X-ABRELATEDNAMES;TYPE=co-worker:Kim\\, a", "item2.X-ABLabel:co-worker",
      ])
    let three = try card("FN:A", "item1.X-ABRELATEDNAMES:Eve", "item1.X-ABLabel:_$!<Spouse>!$_")
    #expect(lines(three, .v4_0) == ["item1.RELATED;VALUE=text:Eve", "item1.X-ABLabel:_$!<Spouse>!$_"])
    #expect(
      try Card(CardWriter(version: .v3_0).bytes(of: four)).relations.map(\.label.canonical) == ["spouse", "co-worker"])
    #expect(try Card(CardWriter(version: .v4_0).bytes(of: three)).relations.map(\.label.canonical) == ["spouse"])
  }

  @Test func everyWordOfTheOwnStays() throws {
    let card = try card("FN:A", "TEL;TYPE=My Hut,Lake,home:1", "TEL;TYPE=x-Boat;X-LABEL=Sea:2")
    for version in [Version.v3_0, .v4_0] {
      #expect(
        lines(card, version) == [
          "item1.TEL;TYPE=Lake,home:1", "item1.X-ABLabel:My Hut", "item2.TEL;TYPE=x-Boat:2", "item2.X-ABLabel:Sea",
        ])
    }
  }

  /// The properties whose letters and digits are missing in the written card; dates, inline values and agents are
  /// checked by the views.
  private func missing(in written: [UInt8], of card: Card) -> [String] {
    func letters(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
    let all = CardReader(written).compactMap { try? $0.result.get() }.flatMap(\.properties).map { property in
      letters(property.text + property.parameters.flatMap(\.values).joined())
    }
    return card.properties.filter { property in
      guard !VersionedCard.dates.contains(property.name), !property.isData, !["REV", "AGENT"].contains(property.name),
        !property.line.traits.contains(.base64), !property.line.traits.contains(.nested)
      else { return false }
      let scheme = ["TEL:", "GEO:"].contains { property.text.uppercasedASCII.hasPrefix($0) } ? 3 : 0
      let value = letters(property.fields.joined()).dropFirst(scheme)
      return !value.isEmpty && !all.contains { $0.contains(value) }
    }.map(\.name)
  }

  @Test(.enabled(if: TestData.folder("vcards") != nil, "needs the sample files"), arguments: [Version.v3_0, .v4_0])
  func samplesReadBackWhole(_ version: Version) throws {
    let folder = try #require(TestData.folder("vcards"))
    let names = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let files = names.compactMap { $0 as? URL }.filter { $0.pathExtension == "vcf" }
    var cards = 0
    for file in files.sorted(by: { $0.path < $1.path }) {
      for reading in CardReader([UInt8](try Data(contentsOf: file))) {
        guard case .success(let card) = reading.result else { continue }
        cards += 1
        let bytes = CardWriter(version: version).bytes(of: card)
        let again = try Card(bytes)
        let place = "\(file.lastPathComponent) line \(card.lineNumber)"
        #expect(TypedValues(again).meaning == TypedValues(card).meaning, "\(place)")
        #expect(again.warnings.allSatisfy { $0.kind == .missingFormattedName } && again.version == version, "\(place)")
        #expect(missing(in: bytes, of: card) == [], "\(place)")
        let other = try Card(CardWriter(version: version == .v4_0 ? .v3_0 : .v4_0).bytes(of: again))
        #expect(TypedValues(other).meaning == TypedValues(card).meaning, "\(place), there and back")
      }
    }
    print("\(cards) cards read back from \(version.rawValue), and from the other version after it")
    #expect(cards > 100)
  }
}
