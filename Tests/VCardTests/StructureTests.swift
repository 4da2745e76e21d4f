import Testing

@testable import VCard

/// Lines, folds, and where cards begin and end.
@Suite struct StructureTests {
  @Test(arguments: ["\r\n", "\n", "\r", "\r\r\n"])
  func endsOfLines(_ end: String) throws {
    let text = ["BEGIN:VCARD", "VERSION:3.0", "FN:Ann", "TEL:1", "END:VCARD"].map { $0 + end }.joined()
    let readings = Array(CardReader(Array((text + text).utf8)))
    #expect(readings.map { try? $0.result.get().formattedName } == ["Ann", "Ann"])
    #expect(readings.map(\.lineNumber) == [1, 6])
    #expect(readings.map(\.byteRange) == [0..<text.utf8.count, text.utf8.count..<2 * text.utf8.count])
    #expect(try readings[1].result.get().phones.first?.lineNumber == 9)
  }

  @Test func cardsInsideOfCards() throws {
    let outer = "BEGIN:VCARD\nVERSION:2.1\nN:Outer\n"
    func inner(_ name: String, _ more: String = "") -> String {
      "BEGIN:VCARD\nVERSION:2.1\nN:\(name)\n\(more)END:VCARD\n"
    }
    let after = "TEL:1\nEND:VCARD\n"
    #expect(names(outer + inner("A") + after) == ["Outer", "A"])
    #expect(names(outer + inner("A") + "\n" + inner("B") + "END:VCARD\n" + inner("C")) == ["Outer", "A", "B", "C"])
    #expect(names(outer + inner("A", inner("B") + "TEL:2\n") + "NOTE:x\n" + after) == ["Outer", "A", "B"])
    let whole = cards(Array((outer + inner("A", "TEL:2\n") + after).utf8))
    #expect(whole.map { try? $0.get().phones.map(\.value) } == [["1"], ["2"]])
    #expect(whole.map { try? $0.get().warnings.map(\.kind) } == [[.missingFormattedName], [.missingFormattedName]])
    // A card that has lost its END is a card beside the next one.
    for text in [outer + inner("A"), outer + inner("A") + inner("B"), outer + inner("A") + "TEL:1\n"] {
      #expect(names(text).prefix(2) == ["Outer", "A"])
    }
    #expect(names(outer + inner("A") + inner("B")) == ["Outer", "A", "B"])
    #expect(names(outer + outer + outer + inner("A")) == ["Outer", "Outer", "Outer", "A"])
    #expect(names(String(repeating: outer, count: 9)).count == 9)
    let three = "BEGIN:VCARD\nVERSION:3.0\nN:Outer\n"
    #expect(names(three + inner("A") + after) == ["Outer", "A", "1"])
    #expect(try Card(Array((outer + inner("A") + after).utf8)).structuredName.family == ["Outer"])
  }

  @Test func foldsInsideCharacters() throws {
    let head = Array("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:M".utf8)
    let bytes = head + [0xC3] + Array("\r\n ".utf8) + [0xBC] + Array("ller\r\nEND:VCARD\r\n".utf8)
    let card = try Card(bytes)
    #expect(card.formattedName == "Müller")
    #expect(card.warnings.isEmpty)
  }

  @Test func floodsOfWordsAndWarningsAreCut() throws {
    let words = (0..<300_000).map { "w\($0)" }.joined(separator: ",")
    #expect(try card("TEL;TYPE=\(words):1").phones.first?.label.types.count == Limits().parameters)
    let noise = Array(("BEGIN:VCARD\nVERSION:3.0\nFN:Ann\n" + String(repeating: "a\n", count: 100_000)).utf8)
    let warnings = try Card(noise).warnings
    #expect(warnings.count == Limits().warnings + 1 && warnings.last?.kind == .missingEnd)
  }

  @Test func foldsTakeOneBlank() throws {
    let card = try card("NOTE:one", "  two", "\tthree", "", " four")
    #expect(card.note == "one twothreefour")
  }

  @Test func foldsBeforeTheValue() throws {
    let card = try card("item1.TEL;TYPE=wo", " rk;TYPE=", " fax:+1 2", " 3", "item1.X-ABLabel:Desk")
    let phone = try #require(card.phones.first)
    #expect(phone.value == "+1 23")
    #expect(phone.label.types == ["FAX", "WORK"])
    #expect(phone.label.raw == "Desk")
    #expect(phone.lineNumber == 3)
  }

  @Test(arguments: [true, false], [true, false])
  func utf16(bigEndian: Bool, mark: Bool) throws {
    let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:山田 😀\r\nEND:VCARD\r\n"
    let units = (mark ? [0xFEFF] : []) + Array(text.utf16)
    let bytes = units.flatMap { unit -> [UInt8] in
      let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return bigEndian ? pair : pair.reversed()
    }
    #expect(cards(bytes).map { try? $0.get().formattedName } == ["山田 😀"])
    var splitter = CardSplitter()
    for byte in bytes { splitter.append([byte]) }
    splitter.finish()
    #expect(try splitter.next()?.card().formattedName == "山田 😀")
    #expect(splitter.next() == nil)
  }

  @Test func utf8ByteOrderMarks() {
    let one = "\u{FEFF}BEGIN:VCARD\nVERSION:3.0\nFN:A\nEND:VCARD\n"
    #expect(names(one + one) == ["A", "A"])
  }

  @Test func missingBegin() throws {
    let reading = try #require(cards(Array("VERSION:3.0\nFN:Ann\nEND:VCARD\n".utf8)).first)
    #expect(try reading.get().formattedName == "Ann")
    #expect(try reading.get().warned(.missingBegin) == 1)
  }

  @Test func missingEnd() throws {
    let text = "BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nBEGIN:VCARD\nVERSION:3.0\nFN:Bob\n"
    #expect(names(text) == ["Ann", "Bob"])
    #expect(try cards(Array(text.utf8)).allSatisfy { try $0.get().warned(.missingEnd) != nil })
  }

  @Test func missingAndDuplicateVersion() throws {
    let missing = try card("FN:Ann", version: nil)
    #expect(missing.version == .v3_0 && missing.claimedVersion == nil)
    #expect(missing.warned(.missingVersion) == 1)
    let twice = try card("FN:Ann", "VERSION:4.0", version: "2.1")
    #expect(twice.version == .v2_1)
    #expect(twice.warned(.duplicateVersion) == 4)
    #expect(try card("FN:A", version: "9").warned(.unknownVersion) == 2)
  }

  @Test func lowerCaseEverything() throws {
    let card = try Card(Array("begin:vcard\nversion:2.1\nfn:ann\ntel;home;fax:1\nend:vcard\n".utf8))
    #expect(card.warnings.isEmpty)
    #expect(card.formattedName == "ann")
    #expect(card.phones.first?.label.canonical == "homeFAX")
    #expect(card.properties.map(\.name) == ["FN", "TEL"])
  }

  @Test func textAroundCards() {
    let text = "# exported\n\nBEGIN:VCARD\nVERSION:3.0\nFN:A\nEND:VCARD\nEND:VCARD\n-- bye\n"
    #expect(names(text) == ["A"])
    #expect(names("") == [])
    #expect(names("SUBJECT:hello\nDATE:now\n") == [nil])
    #expect(cards(Array("X:1\n".utf8)).first.map { (try? $0.get()) == nil } == true)
  }

  @Test func faultsNeverEndThePass() throws {
    let text = "BEGIN:VCARD\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nFN:A\nEND:VCARD\n"
    let readings = Array(CardReader(Array(text.utf8)))
    #expect(readings.count == 2)
    #expect(throws: CardFault(.empty, line: 1)) { try readings[0].result.get() }
    #expect(try readings[1].result.get().formattedName == "A")
  }

  @Test(arguments: ["", "VERSION:3.0\r\n", "VERSION:3.0\r\nUID:1\r\nPRODID:x\r\nN:;;;;\r\n", "VERSION:3.0\r\nFN:"])
  func aCardThatIsCutOffBeforeItSaysAnythingIsNone(_ text: String) throws {
    let start = "BEGIN:VCARD\r\n" + text
    #expect(throws: CardFault(.cutOff, line: 1)) { try Card(Array(start.utf8)) }
    #expect(try Card(Array((start + "\r\nTEL:1").utf8)).warnings.contains { $0.kind == .missingEnd })
  }

  @Test func unreadableLinesAreSkipped() throws {
    let card = try card("FN:Ann", "no property at all", ":empty name", "b\u{E4}d:1", "TEL:1")
    #expect(card.properties.map(\.name) == ["FN", "TEL"])
    #expect(card.warnings.filter { $0.kind == .unreadableLine }.map(\.line) == [4, 5, 6])
  }

  @Test func nestedAgentOfItsOwnLines() throws {
    let card = try card(
      "FN:Ann", "AGENT:", "BEGIN:VCARD", "VERSION:2.1", "FN:Bob", "TEL:2", "END:VCARD", "TEL:1", version: "2.1")
    #expect(card.formattedName == "Ann")
    #expect(card.phones.map(\.value) == ["1"])
    #expect(card.relations.map(\.value) == ["Bob"])
    #expect(card.relations.first?.label.canonical == "agent")
    let text = String(decoding: card.source, as: UTF8.self)
    #expect(names(text + text) == ["Ann", "Ann"])
  }

  @Test func nestedAgentOnItsLineAndInText() throws {
    let line = try card("FN:Ann", "AGENT:BEGIN:VCARD", "FN:Bob", "END:VCARD", "TEL:1", version: "2.1")
    #expect(line.relations.map(\.value) == ["Bob"])
    #expect(line.phones.map(\.value) == ["1"])
    let text = try card("FN:Ann", "AGENT:BEGIN:VCARD\\nVERSION:3.0\\nFN:Bob\\nEND:VCARD\\n")
    #expect(text.relations.map(\.value) == ["Bob"])
  }

  @Test func agentsNestedTooDeep() throws {
    let depth = 50
    let open = Array(repeating: "AGENT:\nBEGIN:VCARD\nFN:x", count: depth).joined(separator: "\n")
    let close = Array(repeating: "END:VCARD", count: depth).joined(separator: "\n")
    let card = try card("FN:Ann", open, close, "TEL:1", version: "2.1", end: "\n")
    #expect(card.warned(.nestedTooDeep) == 4)
    #expect(card.phones.count == 1)
  }

  @Test func limits() throws {
    var limits = Limits()
    limits.cardBytes = 200
    limits.lineBytes = 100
    limits.properties = 3
    limits.valuesPerKind = 2
    let long = "BEGIN:VCARD\nVERSION:3.0\nFN:A\nNOTE:" + String(repeating: "x", count: 120) + "\nEND:VCARD\n"
    #expect(throws: CardFault(.lineTooLong, line: 4)) { try Card(Array(long.utf8), limits: limits) }
    let large = Array((long + String(repeating: " ", count: 200)).utf8)
    #expect(throws: CardFault(.cardTooLarge, line: 7)) { try Card(large, lineNumber: 7, limits: limits) }
    let many = try Card(
      Array("BEGIN:VCARD\nVERSION:3.0\nTEL:1\nTEL:2\nTEL:3\nTEL:4\nEND:VCARD\n".utf8), limits: limits)
    #expect(many.properties.count == 3)
    #expect(many.warned(.tooManyProperties) == 6)
    #expect(many.phones.map(\.value) == ["1", "2"])
    #expect(many.valueWarnings() == [Warning(.tooManyValues, line: 5)])
  }
}
