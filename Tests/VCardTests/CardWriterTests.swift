import TestKit
import Testing

@testable import VCard

/// Written cards read back with the same values.
@Suite struct CardWriterTests {
  @Test func foldsAt75OctetsBetweenCharacters() throws {
    let text = String(repeating: "日本語ä😀x", count: 60)
    for shift in 0..<8 {
      let note = String(repeating: "y", count: shift) + text
      let card = try Card(properties: [Property("FN", value: .text("A")), Property("NOTE", value: .text(note))])
      let bytes = CardWriter().bytes(of: card)
      #expect(bytes.split(separator: ASCII.lineFeed).allSatisfy { $0.count <= 76 && $0.last == ASCII.carriageReturn })
      #expect(bytes.split(separator: ASCII.lineFeed).allSatisfy { String(validating: $0, as: UTF8.self) != nil })
      #expect(try Card(bytes).note == note)
    }
  }

  @Test func formsOfEachVersion() throws {
    let card = try card(
      "FN:A", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12", "TEL;HOME;PREF:1", "TEL;TYPE=My Hut:2", "KIND:group",
      "PHOTO;ENCODING=BASE64;TYPE=JPEG:/9j/4AABAgM=", version: "2.1")
    let four = String(decoding: CardWriter(version: .v4_0).bytes(of: card), as: UTF8.self)
    #expect(
      four == """
        BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\r\nBDAY:--0412\r\nTEL;TYPE=HOME;PREF=1:1\r\nitem1.TEL:2\r
        item1.X-ABLabel:My Hut\r\nKIND:group\r\nPHOTO:data:image/jpeg;base64,/9j/4AABAgM=\r\nEND:VCARD\r\n
        """)
    let three = String(decoding: CardWriter(version: .v3_0).bytes(of: card), as: UTF8.self)
    #expect(
      three == """
        BEGIN:VCARD\r\nVERSION:3.0\r\nN:;;;;\r\nFN:A\r\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12\r
        TEL;TYPE=HOME;TYPE=PREF:1\r\nitem1.TEL:2\r\nitem1.X-ABLabel:My Hut\r\nX-ADDRESSBOOKSERVER-KIND:group\r
        PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AABAgM=\r\nEND:VCARD\r\n
        """)
  }

  @Test func legacyTextBecomesUTF8() throws {
    let card = try card(
      "N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;A=3Bnn", "NOTE;ENCODING=QUOTED-PRINTABLE:a=0D=0Ab, c",
      "X-FOO;ENCODING=QUOTED-PRINTABLE:x=0Ay", "AGENT:", "BEGIN:VCARD", "FN:Bob", "END:VCARD", version: "2.1")
    for version in [Version.v3_0, .v4_0] {
      let written = try Card(CardWriter(version: version).bytes(of: card))
      #expect(written.warnings.isEmpty)
      #expect(written.version == version)
      #expect(written.note == "a\nb, c")
      #expect(written.structuredName.family == ["Müller"])
      #expect(written.property(named: "X-FOO")?.text == "x\ny")
      #expect(written.relations.map(\.value) == ["Bob"])
    }
  }

  @Test(arguments: [Version.v3_0, .v4_0])
  func randomCardsReadBackEqual(_ version: Version) throws {
    for seed in 0..<400 {
      var random = SeededGenerator(seed: UInt64(seed))
      let made = try Card(version: random.chance(50) ? .v3_0 : .v4_0, properties: RandomCard.properties(&random))
      let written = try Card(CardWriter(version: version).bytes(of: made))
      #expect(TypedValues(written) == TypedValues(made), "seed \(seed)")
      #expect(written.warnings.isEmpty, "seed \(seed)")
      let isSameMeaning = SemanticForm.bytes(of: written) == SemanticForm.bytes(of: made)
      #expect(isSameMeaning, "seed \(seed)")
      let isStable = CardWriter(version: version).bytes(of: written) == Array(written.source)
      #expect(isStable, "seed \(seed)")

    }
  }
}

/// Random cards.
enum RandomCard {
  private static let pieces = [
    "a", "Ann", "Müller", "山田", "😀", ",", ";", ":", "\\", "\n", "\"", "^", "=", " ", "-", "'", "(", "e\u{301}", "\\n",
    "x y",
  ]

  static func text(_ random: inout SeededGenerator) -> String {
    let count = Int.random(in: 1...(random.chance(5) ? 80 : 5), using: &random)
    return (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined().trimmed
  }

  static func properties(_ random: inout SeededGenerator) -> [Property] {
    var result = [Property("FN", value: .text("F" + text(&random)))]
    func texts(_ count: Int) -> [String] { (0..<count).map { _ in text(&random) }.filter { !$0.isEmpty } }
    result.append(Property("N", value: .components((0..<5).map { _ in texts(Int.random(in: 0...2, using: &random)) })))
    for name in ["TITLE", "ROLE", "NOTE", "NOTE", "X-PHONETIC-LAST-NAME", "X-MAIDENNAME", "UID"] where random.chance(40)
    {
      result.append(Property(name, value: .text(text(&random))))
    }
    for name in ["NICKNAME", "CATEGORIES"] where random.chance(40) {
      result.append(Property(name, value: .list(texts(3))))
    }
    if random.chance(50) { result.append(Property("ORG", value: .components(texts(3).map { [$0] }))) }
    for index in 0..<Int.random(in: 0...6, using: &random) {
      let name = ["TEL", "EMAIL", "URL", "ADR", "X-ABRELATEDNAMES", "IMPP"].randomElement(using: &random) ?? "TEL"
      var parameters: [Parameter] = []
      if random.chance(60) {
        let words = ["home", "WORK", "cell", "fax", "voice", "pref", "My Hut", "x-Lake, north"].shuffled(using: &random)
        parameters.append(Parameter("TYPE", Array(words.prefix(Int.random(in: 1...2, using: &random)))))
      }
      if random.chance(20) { parameters.append(Parameter("PREF", String(Int.random(in: 1...100, using: &random)))) }
      if random.chance(20) { parameters.append(Parameter("X-NOTE", text(&random))) }
      let group = random.chance(40) ? "item\(index)" : nil
      let value: PropertyValue =
        name == "ADR" ? .components((0..<7).map { _ in [text(&random)] }) : .text("v" + text(&random))
      result.append(Property(name, group: group, parameters: parameters, value: value))
      if let group, random.chance(70) {
        let label = random.chance(40) ? "_$!<Mobile>!$_" : "L" + text(&random)
        result.append(Property("X-ABLabel", group: group, value: .text(label)))
      }
    }
    if random.chance(40) {
      let date = PartialDate(
        year: random.chance(70) ? Int.random(in: 1...2100, using: &random) : nil,
        month: Int.random(in: 1...12, using: &random), day: Int.random(in: 1...28, using: &random))
      result.append(
        Property(
          ["BDAY", "X-ABDATE", "ANNIVERSARY"].randomElement(using: &random) ?? "BDAY", value: .raw(date.description)))
    }
    if random.chance(40) {
      let data =
        ViewTests.jpeg
        + (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      result.append(Property("PHOTO", value: .data(data, mediaType: "image/jpeg")))
    }
    return result
  }
}
