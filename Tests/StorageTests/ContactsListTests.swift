import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Storage

@Suite struct ContactsListTests {
  @Test func theOrderIsThatOfReadingNames() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let order = [
      Self.contact(family: "Ångström", given: "Zoe"), Self.contact(family: "de Vries", given: "Jan"),
      Self.contact(family: "LEE", given: "Ann"), Self.contact(family: "Lee", given: "Anna"),
      Self.contact(family: "Leeds", given: "Al"), Self.contact(family: "", given: "Mia"), Contact("Öko GmbH"),
      Self.contact(family: "佐藤", given: "花子", reading: "サトウ"), Self.contact(family: "鈴木", given: "一郎", reading: "すずき"),
      Self.contact(family: "山田", given: "太郎", reading: "ﾔﾏﾀﾞ"),
    ]
    try fixture.write { transaction in for contact in order.reversed() { try transaction.contacts.insert(contact) } }
    #expect(try fixture.read { try $0.contacts.page() }.contacts == order)
  }

  @Test(arguments: [1, 3, 7, 500] as [UInt32]) func pagesHaveEveryContactOnce(limit: UInt32) throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.addSource("work")
    var random = SeededGenerator(seed: 1)
    var all: [Contact] = []
    try fixture.write { transaction in
      for index in 0..<60 {
        var contact = Contact(
          ["Ann", "Bob", "Cem"].randomElement(using: &random) ?? "", source: index % 3 == 0 ? "work" : "home")
        if index % 5 == 0 { contact.deletedAt = .init(nanosecondsSince1970: 1) }
        try transaction.contacts.insert(contact)
        all.append(contact)
      }
    }
    for source in ["", "home", "work"] {
      for includeDeleted in [false, true] {
        var ids: [String] = []
        var names: [String] = []
        var cursor = ""
        repeat {
          let page = try fixture.read {
            try $0.contacts.page(limit: limit, cursor: cursor, source: source, includeDeleted: includeDeleted)
          }
          #expect(page.contacts.count <= limit)
          ids += page.contacts.map(\.id)
          names += page.contacts.map(\.formattedName)
          cursor = page.nextCursor
        } while !cursor.isEmpty
        let wanted = all.filter { (source.isEmpty || $0.source == source) && (includeDeleted || !$0.hasDeletedAt) }
        #expect(ids.count == wanted.count)
        #expect(Set(ids) == Set(wanted.map(\.id)))
        #expect(names == names.sorted())
      }
    }
    #expect(try fixture.read { try $0.contacts.count(source: "home") } == 32)
  }

  /// A body holds 256 KiB, and JSON writes a control character in six bytes.
  @Test(arguments: [("long note ", 10_000), ("\u{1}", 16_700), ("\u{85}", 16_700), ("\"", 50_000)])
  func aPageEndsBeforeItGrowsTooLarge(piece: String, count: Int) throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      for index in 0..<6 {
        var contact = Contact("\(index)")
        contact.nickname = "dot"
        contact.note = String(repeating: piece, count: index == 3 ? 3 * count : count)
        try transaction.contacts.insert(contact)
      }
    }
    var names: [[String]] = []
    var cursor = ""
    repeat {
      let page = try fixture.read { try $0.contacts.page(cursor: cursor) }
      #expect(try page.jsonUTF8Data().count < 256 << 10)
      #expect(
        page.contacts.filter(\.truncated).map(\.formattedName)
          == (page.contacts.contains { $0.formattedName == "3" } ? ["3"] : []))
      names.append(page.contacts.map(\.formattedName))
      cursor = page.nextCursor
    } while !cursor.isEmpty
    #expect(names == [["0", "1"], ["2", "3", "4"], ["5"]])
    let found = try fixture.read { try $0.contacts.search("dot") }
    #expect(found.contacts.map(\.formattedName) == ["0", "1"])
    #expect(found.more)
  }

  @Test(arguments: ["\u{1}", "\u{9F}", "\\", "a", "\u{10FFFF}"]) func aContactIsCutToWhatABodyHolds(piece: String)
    throws
  {
    for count in [1, 40_000, 50_000, 300_000] {
      var contact = Contact("Ann")
      contact.note = String(repeating: piece, count: count)
      let fit = PageLimit.fit(contact)
      #expect(try fit.jsonUTF8Data().count < 256 << 10)
      #expect(fit.truncated == (fit.note.unicodeScalars.count < count))
      contact.organization = contact.note
      contact.note = ""
      #expect(try PageLimit.fit(contact).jsonUTF8Data().count < 256 << 10)
    }
  }

  @Test(arguments: ["x", "AAAA", "....", "AAAAAAAAAAD_", "\u{0}", String(repeating: "A", count: 100_001)])
  func aCursorThatIsNoneIsRefused(cursor: String) throws {
    let fixture = try ContactsFixture()
    let failure = #expect(throws: Failure.self) { try fixture.read { try $0.contacts.page(cursor: cursor) } }
    #expect(failure?.code == .invalidArgument)
    #expect(failure?.status.details.keys.contains("cursor") == true)
  }

  @Test func cursorsComeBack() throws {
    for (key, row) in [("", 0), ("a\u{1}b", .max), ("山田", -1), ("???>>>", 1)] as [(String, Int64)] {
      let cursor = PageCursor(key: key, row: row)
      #expect(cursor.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
      #expect(try PageCursor(text: cursor.text) == cursor)
    }
  }

  @Test(arguments: [(0, 10), (9, 9), (500, 20), (501, 20), (UInt32.max, 20)] as [(UInt32, Int)])
  func aLimitBeyondTheMostMeansTheMost(limit: UInt32, records: Int) {
    #expect(PageLimit.records(limit, usual: 10, most: 20) == records)
  }

  @Test func limitsAndSourcesAreChecked() throws {
    let fixture = try ContactsFixture()
    #expect(try fixture.read { try $0.contacts.page(limit: .max) }.contacts.isEmpty)
    let source = #expect(throws: Failure.self) { try fixture.read { try $0.contacts.page(source: "gone") } }
    #expect(source?.reason == "RECORD_UNKNOWN")
  }

  private static func contact(family: String, given: String, reading: String = "") -> Contact {
    var contact = Contact(given + " " + family)
    contact.name.family = family
    contact.name.given = given
    contact.name.phoneticFamily = reading
    return contact
  }
}
