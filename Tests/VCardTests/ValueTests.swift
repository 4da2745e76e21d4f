import Testing

@testable import VCard

/// Encodings, character sets, escapes and parameters.
@Suite struct ValueTests {
  @Test func escapes() throws {
    let card = try card("NOTE:a\\nb\\Nc\\,d\\;e\\\\f\\:g\\th \\\"so\\\"", "FN:x\\")
    #expect(card.note == "a\nb\nc,d;e\\f:g\\th \"so\"")
    #expect(card.formattedName == "x\\")
  }

  @Test func unescapedSeparatorsStayInTexts() throws {
    let card = try card("FN:Doe, John; Jr.", "NOTE:a, b; c", "URL:https://example.com/?a=1,2;b=3", "TITLE:CEO, Founder")
    #expect(card.formattedName == "Doe, John; Jr.")
    #expect(card.note == "a, b; c")
    #expect(card.urls.map(\.value) == ["https://example.com/?a=1,2;b=3"])
    #expect(card.title == "CEO, Founder")
  }

  @Test func componentsAndLists() throws {
    let card = try card(
      "N:O\\,Neil,Doe;Ann\\;a;B,C;Dr.;;more;parts", "ORG:Acme\\; Inc.;R&D, Labs;;", "NICKNAME:Bob,Rob\\,bie",
      "CATEGORIES:Friends,Family\\, close, ,仕事")
    let name = card.structuredName
    #expect(name.family == ["O,Neil", "Doe"] && name.given == ["Ann;a"] && name.additional == ["B", "C"])
    #expect(name.prefixes == ["Dr."] && name.suffixes == [])
    #expect(card.organization == ["Acme; Inc.", "R&D, Labs"])
    #expect(card.nicknames == ["Bob", "Rob,bie"])
    #expect(card.categories == ["Friends", "Family, close", "仕事"])
  }

  @Test func quotedPrintable() throws {
    let card = try card(
      "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=", "ller =41", "NOTE;QUOTED-PRINTABLE:a=0D=0Ab =", " c=zz=",
      "=3D", "TITLE;ENCODING=QUOTED-PRINTABLE:x=C3=", " =BC", version: "2.1")
    #expect(card.formattedName == "Müller A")
    #expect(card.note == "a\nb  c=zz=")
    #expect(card.title == "xü")
  }

  @Test func quotedPrintableCutAtTheEnd() throws {
    let card = try card("FN;ENCODING=QUOTED-PRINTABLE:Ann=", version: "2.1")
    #expect(card.formattedName == "Ann")
    #expect(card.warned(.missingEnd) == nil)
  }

  @Test func shiftJIS() throws {
    // 表 and 能 end in 0x5C; a reader that splits before it decodes mistakes that for an escape.
    let head = Array("BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=SHIFT_JIS:".utf8)
    let bytes = head + [0x95, 0x5C, 0x3B, 0x94, 0x5C] + Array("\r\nEND:VCARD\r\n".utf8)
    let card = try Card(bytes)
    #expect(card.structuredName.family == ["表"])
    #expect(card.structuredName.given == ["能"])
    let quoted = try card_(quoted: "N;CHARSET=Shift_JIS;ENCODING=QUOTED-PRINTABLE:=95=5C;=94=5C")
    #expect(quoted.structuredName == card.structuredName)
  }

  private func card_(quoted line: String) throws -> Card { try card(line, version: "2.1") }

  @Test(arguments: [
    ("windows-1251", [0xC8, 0xE2, 0xE0, 0xED] as [UInt8], "Иван"), ("ISO-8859-1", [0x4D, 0xFC], "Mü"),
    ("ISO-8859-15", [0xA4], "€"), ("windows-1252", [0x80], "€"), ("UTF-7", Array("M+APw-".utf8), "Mü"),
    ("\"ISO-8859-1\"", [0xE9], "é"), ("GB2312", [0xCD, 0xF5], "王"), ("KS_C_5601-1987", [0xB1, 0xE8], "김"),
  ])
  func declaredCharsets(_ name: String, _ bytes: [UInt8], _ expected: String) throws {
    let card = try Card(
      Array("BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=\(name):".utf8) + bytes + Array("\nEND:VCARD\n".utf8))
    #expect(card.formattedName == expected)
    #expect(card.valueWarnings().isEmpty)
  }

  @Test func unknownCharsets() throws {
    let card = try card("FN;CHARSET=murks:Müller", "NOTE;CHARSET=../../etc:x", version: "2.1")
    #expect(card.formattedName == "Müller")
    #expect(card.note == "x")
    #expect(card.valueWarnings().map(\.kind) == [.undecodableCharset, .undecodableCharset])
  }

  @Test func bytesThatAreNotOfTheirCharset() throws {
    let bytes =
      Array("BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=EUC-JP:a".utf8) + [0xFF, 0x62, 0x8F] + Array("\nEND:VCARD\n".utf8)
    let card = try Card(bytes)
    #expect(card.formattedName == "a\u{FFFD}b\u{FFFD}")
    #expect(card.valueWarnings() == [Warning(.undecodableCharset, line: 3)])
  }

  @Test func undeclaredCharsets() throws {
    let latin = try Card(Array("BEGIN:VCARD\nVERSION:3.0\nFN:M".utf8) + [0xFC] + Array("ller\nEND:VCARD\n".utf8))
    #expect(latin.formattedName == "Müller")
    #expect(latin.warned(.undeclaredCharset) == 3)
    let greek = try Card(
      Array("BEGIN:VCARD\nVERSION:2.1\nFN:".utf8) + [0xC1, 0xE8, 0xDE, 0xED, 0xE1]
        + Array("\nNOTE;CHARSET=Windows-1253:x\nEND:VCARD\n".utf8))
    #expect(greek.formattedName == "Αθήνα")
    let broken = try Card(Array("BEGIN:VCARD\nVERSION:3.0\nFN:äöü".utf8) + [0xFF] + Array("\nEND:VCARD\n".utf8))
    #expect(broken.formattedName == "äöü\u{FFFD}")
    #expect(broken.warned(.undeclaredCharset) == 3)
  }

  @Test func quotedParameters() throws {
    let card = try card(
      "ADR;LABEL=\"1, High St; A: x\";TYPE=\"home,work\":;;1 High St;;;;", "FN;X-A=\"a;b:c,d\",e:Ann", version: "4.0")
    #expect(card.addresses.first?.formatted == "1, High St; A: x")
    #expect(card.addresses.first?.label.types == ["HOME", "WORK"])
    #expect(card.property(named: "FN")?.parameters == [Parameter("X-A", ["a;b:c,d", "e"])])
    #expect(card.formattedName == "Ann")
  }

  @Test func unbalancedQuotes() throws {
    let card = try card("TEL;X-A=\"oops:1", "FN:Ann")
    #expect(card.phones.map(\.value) == ["1"])
    #expect(card.warned(.unbalancedQuotes) == 3)
  }

  @Test func caretEscapes() throws {
    let card = try card("FN;X-A=a^nb^'c^^d^x:A", version: "4.0")
    #expect(card.property(named: "FN")?.value(ofParameter: "X-A") == "a\nb\"c^d^x")
  }

  @Test func bareParameters() throws {
    let card = try card("TEL;HOME;VOICE;X-A=1:1", "NOTE;QUOTED-PRINTABLE:=41", version: "2.1")
    #expect(
      card.phones.first.map(\.label.types) == ["HOME", "VOICE"])
    #expect(card.properties[1].parameters == [Parameter("ENCODING", "QUOTED-PRINTABLE")])
    #expect(card.note == "A")
  }

  @Test(arguments: [
    "TYPE=home,fax", "TYPE=home;TYPE=fax", "TYPE=\"home,fax\"", "type=HOME;Type=Fax", "HOME;FAX", "TYPE=HOME,TYPE=FAX",
  ])
  func formsOfTypes(_ parameters: String) throws {
    let label = try #require(try card("TEL;\(parameters):1").phones.first?.label)
    #expect(label.types == ["FAX", "HOME"])
    #expect(label.canonical == "homeFAX")
  }
}
