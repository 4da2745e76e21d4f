import VCard

/// vCards: views and writers never trap, a written card reads as the same person, and pieces read as the whole does.
enum Cards: FuzzTarget {
  static var seeds: [[UInt8]] {
    [
      "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=95=5C;=94\r\nTEL;HOME;VOICE:1\r\n"
        + "AGENT:\r\nBEGIN:VCARD\r\nFN:Bob\r\nEND:VCARD\r\nPHOTO;BASE64:\r\n  /9j/4AAB\r\n\r\nBDAY:19850412\r\nEND:VCARD\r\n",
      "BEGIN:VCARD\nVERSION:3.0\nFN:Ann\\, B\nitem1.TEL;TYPE=cell,\"home,fax\":+1\nitem1.X-ABLabel:_$!<Mobile>!$_\n"
        + "item2.ADR;TYPE=My Hut:;;a;b\nX-SOCIALPROFILE;type=x;x-user=u:http://x\nNOTE:a\n b\nEND:VCARD\n",
      "BEGIN:VCARD\rVERSION:4.0\rFN:A\rBDAY:--0412\rPHOTO:data:image/jpeg;base64,/9j/4AABAgM=\rTEL;VALUE=uri:tel:+49-1;ext=2\r"
        + "GEO:geo:1.5,2.5\rRELATED;VALUE=text:Eve\rIMPP:xmpp:a@b\rEND:VCARD\r",
      "BEGIN:VCARD\nVERSION:3.0\nX-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Al;1;;;;\nBDAY:15.04.1985\n"
        + "X-MS-ANNIVERSARY:2001-02-03\nX-KADDRESSBOOK-X-SpousesName:Eve\nEND:VCARD\n",
      "BEGIN:VCARD\nVERSION:3.0\nFN:A\nTEL:1\nTEL:2\nTEL:3\nTEL:4\nTEL:5\nTEL:6\nTEL:7\nEMAIL;TYPE=work:a@b\n"
        + "item1.X-ABDATE:2001-02-03\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12\nEND:VCARD\n",
    ].map { Array($0.utf8) }
  }

  static func read(_ input: [UInt8]) {
    // Of fewer values than the written card is read with, the two could not be compared.
    var limits = Limits()
    limits.cardBytes = 4_000
    limits.properties = 50
    limits.photoBytes = 1_000
    let readings = Array(CardReader(input, limits: limits))
    for reading in readings {
      guard case .success(let card) = reading.result else { continue }
      require(card.source.count <= limits.cardBytes, "a card is larger than the limit")
      _ = (card.structuredName, card.phoneticName, card.nicknames, card.organization, card.note)
      _ = (card.emails, card.urls, card.relations, card.messaging, card.addresses)
      if case .inline(let bytes, _)? = card.photo().photo {
        require(bytes.count <= limits.photoBytes, "a photo is larger than the limit")
      }
      for version in [Version.v3_0, .v4_0] {
        let written = CardWriter(version: version).bytes(of: card)
        guard let again = try? Card(written) else { fail("a card written as \(version) cannot be read") }
        require(again.formattedName == card.formattedName, "a card written as \(version) has another name")
        require(
          self.texts(again) == self.texts(card),
          "a card written as \(version) has other phone numbers, addresses or dates")
      }
    }
    var splitter = CardSplitter(limits: limits)
    var ends: [Int] = []
    let size = 1 + Int(input.first ?? 0)
    for start in stride(from: 0, to: input.count, by: size) {
      splitter.append(input[start..<min(input.count, start + size)])
      while let raw = splitter.next() { ends.append(raw.byteRange.upperBound) }
    }
    splitter.finish()
    while let raw = splitter.next() { ends.append(raw.byteRange.upperBound) }
    require(ends == readings.map(\.byteRange.upperBound), "a file in pieces has other cards than the whole")
  }

  /// Without the schemes of URIs: the reader takes one off, and of `tel:tel:1` the next reader takes the other.
  private static func bare(_ text: String) -> String {
    text.lowercased().replacing("tel:", with: "").replacing("mailto:", with: "").filter { !$0.isWhitespace }
  }

  /// Phone numbers, e-mail addresses and dates, without how either version writes them.
  private static func texts(_ card: Card) -> [[String]] {
    [
      card.phones.map { self.bare($0.value) }, card.emails.map { self.bare($0.value) },
      // Those that are read as dates, in no order: of several birthdays, and of texts such as `circa 1800`, 3.0 has a place for one.
      ([card.birthday].compactMap(\.self) + card.alternateBirthdays + card.dates).compactMap { $0.date?.description }
        .sorted(),
    ]
  }
}
