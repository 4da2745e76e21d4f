import Testing

@testable import VCard

/// The typed views: names, labels, dates, addresses, messaging, pictures, groups.
@Suite struct ViewTests {
  @Test func fallBackOfTheName() throws {
    #expect(try card("FN: Ann ").formattedName == "Ann")
    #expect(try card("FN:", "N:Doe;Ann;;Dr.;").formattedName == "Dr. Ann Doe")
    #expect(try card("N:;;;;", "ORG:;Unit").formattedName == "Unit")
    #expect(try card("NICKNAME:Bob").formattedName == "Bob")
    #expect(try card("EMAIL:a@example.com", "TEL:1").formattedName == "a@example.com")
    #expect(try card("TEL:1").formattedName == "1")
    #expect(try card("NOTE:x").formattedName == nil)
    #expect(try card("FN:A", "FN;PREF=2:B", "FN;PREF=1:C", version: "4.0").formattedName == "C")
    #expect(try card("NOTE:x").warned(.missingFormattedName) != nil)
  }

  @Test(arguments: [
    ["X-PHONETIC-LAST-NAME:ヤマダ", "X-PHONETIC-FIRST-NAME:タロウ"], ["N;SORT-AS=\"ヤマダ,タロウ\":山田;太郎"],
    ["SOUND;X-IRMC-N:ヤマダ;タロウ;;;"],
  ])
  func phoneticNames(_ lines: [String]) throws {
    let name = try card(lines.joined(separator: "\r\n")).phoneticName
    #expect(name.family == "ヤマダ" && name.given == "タロウ" && name.middle == nil)
  }

  @Test func otherNames() throws {
    let card = try card(
      "SORT-STRING:Harten", "X-PHONETIC-ORG:アクメ", "X-MAIDENNAME:Roe", "ROLE:boss", "NOTE:a", "NOTE:b", "X-NICKNAME:Z")
    #expect(card.phoneticName.family == "Harten")
    #expect(card.phoneticOrganization == "アクメ")
    #expect(card.previousFamilyName == "Roe" && card.role == "boss" && card.note == "a\nb" && card.nicknames == ["Z"])
  }

  @Test(
    arguments: [
      ("item1.TEL:1\r\nitem1.X-ABLabel:_$!<Mobile>!$_", "_$!<Mobile>!$_", "mobile"),
      ("ITEM1.TEL;TYPE=HOME:1\r\nItem1.x-ablabel:Büro Süd", "Büro Süd", "Büro Süd"),
      ("item1.TEL:1\r\nitem1.X-ABLabel:_$!<HomeFAX>!$_", "_$!<HomeFAX>!$_", "homeFAX"),
      ("item1.TEL:1\r\nitem1.X-ABLabel:_$!<Grandma>!$_", "_$!<Grandma>!$_", "Grandma"),
      ("TEL;TYPE=My Label:1", "My Label", "My Label"), ("TEL;TYPE=x-Hut:1", "Hut", "Hut"),
      ("TEL;X-LABEL=Hut:1", "Hut", "Hut"),
      ("TEL;X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=C3=A4=41):1", "äA", "äA"),
      ("TEL;TYPE=CELL:1", nil, "mobile"), ("TEL;TYPE=CELL,IPHONE:1", nil, "iPhone"),
      ("TEL;TYPE=APPLEWATCH:1", nil, "Apple Watch"), ("TEL;TYPE=WORK,FAX:1", nil, "workFAX"),
      ("TEL;TYPE=FAX:1", nil, "otherFAX"), ("TEL;TYPE=WORK,CELL:1", nil, "mobile"), ("TEL;TYPE=PAGER:1", nil, "pager"),
      ("TEL;TYPE=VOICE,PREF;X-EVOLUTION-UI-SLOT=1:1", nil, nil), ("TEL:1", nil, nil),
    ] as [(String, String?, String?)])
  func labels(_ lines: String, _ raw: String?, _ canonical: String?) throws {
    let label = try #require(try card(lines).phones.first?.label)
    #expect(label.raw == raw)
    #expect(label.canonical == canonical)
  }

  @Test func preferences() throws {
    let card = try card("TEL;TYPE=PREF,HOME:1", "TEL;PREF=7:2", "TEL;PREF=700:3", "TEL;HOME;PREF:4")
    #expect(card.phones.map(\.label.preference) == [1, 7, nil, 1])
    #expect(card.phones.map(\.label.types) == [["HOME"], [], [], ["HOME"]])
  }

  @Test func phonesAndEmails() throws {
    let card = try card(
      "TEL;VALUE=uri:tel:+1-2;ext=5", "TEL:0123p45,6;7", "TEL:", "EMAIL:\"Ann\" <a@example.com>",
      "EMAIL:mailto:b@example.com",
      version: "4.0")
    #expect(card.phones.map(\.value) == ["+1-2;ext=5", "0123p45,6;7"])
    #expect(card.emails.map(\.value) == ["a@example.com", "b@example.com"])
  }

  @Test func addresses() throws {
    let card = try card(
      "item1.ADR;TYPE=HOME:;;1 High St, Flat 2\\nBack;Dublin;Leinster;D01;Ireland", "item1.X-ABADR:ie",
      "item1.X-APPLE-SUBLOCALITY:North", "item1.X-APPLE-SUBADMINISTRATIVEAREA:County", "ADR;TYPE=WORK:;;x",
      "LABEL;TYPE=WORK:Printed", "ADR;TYPE=HOME:;;;;;;")
    #expect(card.addresses.count == 2)
    let home = card.addresses[0]
    #expect(home.components == ["", "", "1 High St, Flat 2\nBack", "Dublin", "Leinster", "D01", "Ireland"])
    #expect(home.countryCode == "ie" && home.subLocality == "North" && home.subAdministrativeArea == "County")
    #expect(home.formatted == nil)
    #expect(card.addresses[1].formatted == "Printed")
  }

  @Test(
    arguments: [
      ("BDAY:19850412", "1985-04-12"), ("BDAY:1985-04-12", "1985-04-12"), ("BDAY:--0412", "--04-12"),
      ("BDAY:--04-12", "--04-12"), ("BDAY:1985-04", "1985-04"), ("BDAY:1985", "1985"), ("BDAY:---12", "---12"),
      ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12", "--04-12"), ("BDAY:1985-04-12T00:00:00Z", "1985-04-12"),
      ("BDAY;VALUE=text:circa 1800", nil), ("BDAY:1985-13-01", nil), ("BDAY:1985-02-30", nil), ("BDAY:206-12-15", nil),
      ("BDAY:1985-4-1", "1985-04-01"), ("BDAY:0000-01-01", "--01-01"), ("BDAY:00000101", "--01-01"), ("BDAY:0000", nil),
      ("BDAY:1985/04/15", "1985-04-15"), ("BDAY:1985/4/5 00:00:00", "1985-04-05"), ("BDAY:1985.04.15", "1985-04-15"),
      ("BDAY:15.04.1985", "1985-04-15"), ("BDAY:5. 4. 1985", "1985-04-05"), ("BDAY:15.4.", "--04-15"),
      ("BDAY:1985年4月15日", "1985-04-15"), ("BDAY:１９８５年４月１５日", "1985-04-15"), ("BDAY:4月15日", "--04-15"),
      ("BDAY:1985년 4월 15일", "1985-04-15"), ("BDAY:1985年4月", "1985-04"), ("BDAY:0000/04/15", "--04-15"),
      ("BDAY:04/15/1985", nil), ("BDAY:15/04/1985", nil), ("BDAY:15.04.85", nil), ("BDAY:4.15.1985", nil),
      ("BDAY:1985/04/15/16", nil), ("BDAY:99999/04/15", nil), ("BDAY:昭和60年4月15日", nil),
      ("BDAY:1604-04-12", "--04-12"), ("BDAY;VALUE=date:16040412", "--04-12"), ("BDAY:1604", "1604"),
      ("BDAY;X-APPLE-OMIT-YEAR=1900:1900-04-12", "--04-12"), ("X-BDAY:1985-04", "1985-04"),
      ("BDAY:soon\r\nX-BDAY:1985-04-12", "1985-04-12"), ("BDAY;CALSCALE=chinese:1985-04-12", nil),
    ] as [(String, String?)])
  func birthdays(_ line: String, _ expected: String?) throws {
    let birthday = try #require(try card(line).birthday)
    #expect(birthday.date?.description == expected)
    #expect(birthday.label.canonical == "birthday")
  }

  @Test func dates() throws {
    let card = try card(
      "ANNIVERSARY:20100102", "item1.X-ABDATE;type=pref:2011-02-03", "item1.X-ABLabel:_$!<Anniversary>!$_",
      "item2.X-ABDATE:2012-03-04", "item2.X-ABLabel:First met", "BDAY:soon", "REV:strange")
    #expect(card.dates.map { $0.date?.description } == ["2010-01-02", "2011-02-03", "2012-03-04"])
    #expect(card.dates.map(\.label.canonical) == ["anniversary", "anniversary", "First met"])
    #expect(card.valueWarnings().map(\.kind) == [.unreadableDate, .unreadableRevision])
    #expect(card.revision == "strange")
  }

  @Test func aBirthdayThatIsNoDateIsText() throws {
    let text = try card("BDAY;VALUE=text:circa 1800", version: "4.0")
    #expect(text.birthday?.date == nil && text.alternateBirthdays.map(\.text) == ["circa 1800"])
    let several = try card("BDAY:04/15/1985", "BDAY:1985-04-15", "X-ALTBDAY;CALSCALE=chinese:19850226")
    #expect(several.birthday?.date?.description == "1985-04-15")
    #expect(several.alternateBirthdays.map(\.text) == ["04/15/1985", "19850226"])
    #expect(several.alternateBirthdays.map(\.calendar) == [nil, "chinese"])
    #expect(try card("BDAY:1985-04-15").alternateBirthdays.isEmpty)
  }

  @Test func fieldsOfAndroid() throws {
    let card = try card(
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Mäx;1;;;;;;;;;;;;;",
      "X-ANDROID-CUSTOM;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:vnd.android.cursor.item/nickname;=48=C3=96;;;",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;2010-01-02;1;;;",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;--03-04;0;First met;;",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;1985-04-15;3;;",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;2012/05/06;2",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;Eve;14;;;",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;Kim\\;a;0;Godmother;;",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;;14;",
      "X-ANDROID-CUSTOM:vnd.android.cursor.item/other;x;99999999999999999999",
      version: "2.1")
    #expect(card.nicknames == ["Mäx", "HÖ"])
    #expect(card.birthday?.date?.description == "1985-04-15" && card.birthday?.label.canonical == "birthday")
    #expect(card.dates.map { $0.date?.description } == ["2010-01-02", "--03-04", "2012-05-06"])
    #expect(card.dates.map(\.label.canonical) == ["anniversary", "First met", "other"])
    #expect(card.relations.map(\.value) == ["Eve", "Kim;a"])
    #expect(card.relations.map(\.label.canonical) == ["spouse", "Godmother"])
  }

  @Test func propertiesOfOtherPrograms() throws {
    let card = try card(
      "ORG:Acme", "X-KADDRESSBOOK-X-Anniversary:2008-02-15", "X-MS-ANNIVERSARY;VALUE=DATE:20100102",
      "X-WAB-WEDDING_ANNIVERSARY:20001224", "X-MS-SPOUSE:Eve", "X-MS-MANAGER:Boss", "X-MS-ASSISTANT:Asok",
      "X-MS-CHILD:Kim", "X-KADDRESSBOOK-X-SpousesName:Ann", "X-KADDRESSBOOK-X-ManagersName:Pointy",
      "X-KADDRESSBOOK-X-AssistantsName:Dil", "X-KADDRESSBOOK-X-IMAddress:a@kde.example",
      "X-KADDRESSBOOK-X-Profession:Developer", "X-KADDRESSBOOK-X-Department:Tools",
      "X-KADDRESSBOOK-BlogFeed:http://b.example", "X-WHATSAPP;TYPE=HOME:+491701", "X-TELEGRAM:ann", "X-GTALK:g",
      "X-LINE:l")
    #expect(card.dates.map { $0.date?.description } == ["2010-01-02", "2008-02-15", "2000-12-24"])
    #expect(Set(card.dates.map(\.label.canonical)) == ["anniversary"])
    #expect(
      card.relations.map { [$0.label.canonical, $0.value] } == [
        ["spouse", "Eve"], ["manager", "Boss"], ["assistant", "Asok"], ["child", "Kim"], ["spouse", "Ann"],
        ["manager", "Pointy"], ["assistant", "Dil"],
      ])
    #expect(card.messaging.map(\.service) == ["Google Talk", "WhatsApp", "Telegram", "LINE", nil])
    #expect(card.messaging.map(\.user) == ["g", "+491701", "ann", "l", "a@kde.example"])
    #expect(card.role == "Developer" && card.organization == ["Acme", "Tools"])
    #expect(card.urls.map(\.value) == ["http://b.example"])
  }

  @Test func messagingAndRelations() throws {
    let card = try card(
      "IMPP;X-SERVICE-TYPE=Skype:skype:ann", "IMPP:xmpp:ann@example.com", "X-AIM;TYPE=HOME:ann1",
      "X-SOCIALPROFILE;type=twitter;x-user=ann:https://x.example/ann", "item1.X-ABRELATEDNAMES:Bob",
      "item1.X-ABLabel:_$!<Spouse>!$_", "X-MANAGER:Eve", "RELATED;TYPE=friend;VALUE=text:Kim")
    #expect(card.messaging.map(\.service) == ["Skype", "xmpp", "twitter", "AIM"])
    #expect(card.messaging.map(\.user) == ["ann", "ann@example.com", "ann", "ann1"])
    #expect(card.messaging.map(\.uri) == ["skype:ann", "xmpp:ann@example.com", "https://x.example/ann", nil])
    #expect(card.relations.map(\.value) == ["Kim", "Bob", "Eve"])
    #expect(card.relations.map(\.label.canonical) == ["friend", "spouse", "manager"])
  }

  @Test func identity() throws {
    let group = try card(
      "UID:urn:uuid:AB-1", "X-ADDRESSBOOKSERVER-KIND:group", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:CD-2", "FN:G")
    #expect(group.uid == "urn:uuid:AB-1" && group.bareUID == "AB-1")
    #expect(group.kind == .group && group.members == ["CD-2"])
    #expect(try card("X-ABShowAs:COMPANY").kind == .organization)
    #expect(try card("KIND:Location").kind == .location)
    #expect(try card("FN:x").kind == .individual)
  }

  /// The smallest bytes with the signature of a JPEG, and their base64.
  static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 2, 3]

  @Test(arguments: [
    "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AABAgM=", "PHOTO;ENCODING=BASE64;TYPE=JPEG:/9j/4AABAgM",
    "PHOTO;BASE64:\r\n /9j/4\r\n AABAgM=\r\n",
    "PHOTO;ENCODING=b,b:/9j/4AABAgM=", "PHOTO;ENCODING=\"b\":/9j/4A\r\n\r\n  ABAgM=",
    "PHOTO:data:image/jpeg;base64,/9j/4AABAgM=",
    "PHOTO;VALUE=URI:/9j/4AABAgM=", "PHOTO:DATA:image/jpeg;base64\\,/9j/4AAB\r\n AgM=",
    "PHOTO;ENCODING=BASE64:/9j/4AA\r\nBAgM=\r\n",
    "PHOTO;VALUE=URI:\r\nPHOTO;ENCODING=b:/9j/4AABAgM=",
    "PHOTO:https://example.com/a.jpg\r\nPHOTO;ENCODING=b:/9j/4AABAgM=",
    "PHOTO;TYPE=image/jpeg:dataimage/jpegbase64/9j/\r\nPHOTO;ENCODING=b:/9j/4AABAgM=", "PHOTO;ENCODING=b:_9j_4AABAgM=",
  ])
  func inlinePhotos(_ lines: String) throws {
    let card = try card(lines, "FN:Ann")
    #expect(card.photo().photo == .inline(bytes: Self.jpeg, mediaType: "image/jpeg"))
    #expect(card.formattedName == "Ann")
  }

  @Test func otherPhotos() throws {
    let uri = try card("PHOTO;VALUE=uri:https://example.com/a.jpg")
    #expect(uri.photo().photo == .uri("https://example.com/a.jpg"))
    let text = try card("PHOTO;ENCODING=b:aGVsbG8gd29ybGQ=")
    #expect(text.photo().photo == nil)
    #expect(text.photo().warnings == [Warning(.undecodablePhoto, line: 3)])
    #expect(try card("PHOTO;ENCODING=b:/9j/4!").photo().warnings.map(\.kind) == [.undecodablePhoto])
    var limits = Limits()
    limits.photoBytes = 6
    let large = try Card(Array("BEGIN:VCARD\nPHOTO;ENCODING=b:/9j/4AABAgM=\nEND:VCARD".utf8), limits: limits)
    #expect(large.photo().photo == nil)
    #expect(large.photo().warnings.map(\.kind) == [.photoTooLarge])
  }

  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), (Array("GIF89a".utf8), "image/gif"),
      (Array("RIFF0000WEBP".utf8), "image/webp"), (Array("0000ftypheic".utf8), "image/heic"),
      ([0x49, 0x49, 0x2A, 0], "image/tiff"), ([0x4D, 0x4D, 0, 0x2A], "image/tiff"),
      (Array("BM".utf8) + [UInt8](repeating: 0, count: 24), "image/bmp"), (Array("BM".utf8), nil), ([], nil),
    ] as [([UInt8], String?)])
  func signatures(_ bytes: [UInt8], _ mediaType: String?) {
    #expect(ImageSignature.mediaType(of: bytes) == mediaType)
  }

  @Test func everythingElseStaysReachable() throws {
    let card = try card("X-FOO;A=1:b;c", "item9.X-BAR:x")
    #expect(card.properties.map(\.name) == ["X-FOO", "X-BAR"])
    #expect(card.properties[0].rawText == "b;c" && card.properties[1].group == "item9")
  }
}
