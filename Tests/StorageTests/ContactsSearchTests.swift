import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite struct ContactsSearchTests {
  @Test(
    arguments: [
      ("ann", ["Ann Lee", "Jürgen Hoffmann"]), ("lee", ["Ann Lee"]), ("ANN  lee", ["Ann Lee"]),
      ("lee ann", ["Ann Lee"]),
      ("jurgen", ["Jürgen Hoffmann"]), ("JÜRGEN", ["Jürgen Hoffmann"]), ("ju\u{308}rg", ["Jürgen Hoffmann"]),
      ("ho", ["Jürgen Hoffmann"]), ("of", []), ("offm", ["Jürgen Hoffmann"]), ("j", ["Jürgen Hoffmann"]),
      ("山田", ["山田 太郎"]), ("田太", []), ("田", ["山田 太郎"]), ("郎", ["山田 太郎"]), ("やまだ", ["山田 太郎"]), ("ヤマ", ["山田 太郎"]),
      ("ﾔﾏﾀﾞ", ["山田 太郎"]), ("まだ", ["山田 太郎"]), ("やまた", ["山田 太郎"]), ("東京都", ["山田 太郎"]), ("京都港", ["山田 太郎"]),
      ("0312", ["山田 太郎"]), ("03-12", ["山田 太郎"]), ("3123", ["山田 太郎"]), ("03 1234", ["山田 太郎"]), ("０３１２", ["山田 太郎"]),
      ("acme", ["Ann Lee"]), ("manager", ["Ann Lee"]), ("ann@", ["Ann Lee", "Jürgen Hoffmann"]),
      ("ann@mail.ex", ["Ann Lee"]),
      ("plays chess", ["Jürgen Hoffmann"]), ("hoffmann chess", ["Jürgen Hoffmann"]), ("lee chess", []),
      ("main street", ["Ann Lee"]),
      ("nobody", []), ("***", []), ("🎂", ["Ann Lee"]), ("strasse", ["Jürgen Hoffmann"]),
      ("Straße", ["Jürgen Hoffmann"]),
    ] as [(String, [String])])
  func findsWhatAPersonMeans(text: String, names: [String]) throws {
    let fixture = try Self.household()
    #expect(try fixture.read { try $0.contacts.search(text) }.contacts.map(\.formattedName) == names)
  }

  @Test(arguments: [
    "\"", "'", "ann AND", "ann OR nobody", "NOT ann", "NEAR(ann lee)", "names:ann", "{names words}: x",
    "ann\u{0}nobody", "^zz", "zz*",
    "-", "\u{1}\u{1}", "a\u{1}b", "%", "_", "[\"x\"]", "\u{F0001}", "\u{FFFE}", "((((",
    String(repeating: "zebra \" ", count: 12_500),
    String(repeating: "z", count: 100_000),
  ])
  func nothingIsSyntax(text: String) throws {
    let fixture = try Self.household()
    #expect(try fixture.read { try $0.contacts.search(text) }.contacts.isEmpty)
  }

  @Test func anEmptyTextIsRefused() throws {
    let fixture = try Self.household()
    for text in ["", " \n"] {
      let failure = #expect(throws: Failure.self) { try fixture.read { try $0.contacts.search(text) } }
      #expect(failure?.status.details.keys.contains("text") == true)
    }
  }

  @Test func namesComeBeforeNotes() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      for index in 0..<700 {
        var contact = Contact("Adam \(index)")
        contact.note = "berlin"
        try transaction.contacts.insert(contact)
      }
      try transaction.contacts.insert(Contact("Zed Oberlin"))
      try transaction.contacts.insert(Contact("Zoe Berlin"))
    }
    let reply = try fixture.read { try $0.contacts.search("berlin", limit: 5) }
    #expect(reply.contacts.map(\.formattedName).prefix(3) == ["Zoe Berlin", "Zed Oberlin", "Adam 0"])
    #expect(reply.contacts.count == 5)
    #expect(reply.more)
    #expect(try fixture.read { try $0.contacts.search("oberlin") }.more == false)
  }

  @Test func onlyOfTheSource() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.addSource("work")
    try fixture.write { transaction in
      try transaction.contacts.insert(Contact("Ann Home"))
      try transaction.contacts.insert(Contact("Ann Work", source: "work"))
    }
    #expect(
      try fixture.read { try $0.contacts.search("ann", source: "work") }.contacts.map(\.formattedName) == ["Ann Work"])
    #expect(try fixture.read { try $0.contacts.search("ann") }.contacts.count == 2)
  }

  @Test func deletedContactsAreHiddenUntilTheyAreBack() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let ann = Contact("Ann")
    try fixture.write { transaction in
      try transaction.contacts.insert(ann)
      try transaction.contacts.softDelete([ann.id], at: 1)
    }
    #expect(try fixture.read { try $0.contacts.search("ann") }.contacts.isEmpty)
    let restored = try fixture.write { try $0.contacts.restore(ann.id, at: 2) }
    #expect(!restored.hasDeletedAt)
    #expect(try fixture.read { try $0.contacts.search("ann") }.contacts.map(\.id) == [ann.id])
  }

  private static func household() throws -> ContactsFixture {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    var ann = Contact("Ann Lee")
    ann.name.given = "Ann"
    ann.name.family = "Lee"
    ann.organization = "ACME"
    ann.title = "Manager"
    ann.emails = [LabeledValue.with { $0.value = "ann@mail.example" }]
    ann.addresses = [Address.with { $0.street = "1 Main Street" }]
    ann.note = "🎂 in May"
    var jurgen = Contact("Jürgen Hoffmann")
    jurgen.note = "Plays chess"
    jurgen.addresses = [Address.with { $0.street = "Lange Straße 1" }]
    var yamada = Contact("山田 太郎")
    yamada.name.phoneticFamily = "ヤマダ"
    yamada.phones = [LabeledValue.with { $0.value = "03-1234" }]
    yamada.addresses = [Address.with { $0.formatted = "東京都港区" }]
    try fixture.write { transaction in
      for contact in [ann, jurgen, yamada] { try transaction.contacts.insert(contact) }
    }
    return fixture
  }
}
