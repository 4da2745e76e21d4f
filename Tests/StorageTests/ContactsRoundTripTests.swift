import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Storage

@Suite struct ContactsRoundTripTests {
  @Test(arguments: 0..<8 as Range<UInt64>) func everyFieldComesBack(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    for _ in 0..<40 {
      let contact = Self.contact(&random)
      try fixture.write { try $0.contacts.insert(contact) }
      #expect(try fixture.read { try $0.contacts.get(contact.id) } == contact)
      #expect(try contact.serializedData().count <= contact.roomInReply)
      #expect(try contact.jsonUTF8Data().count <= contact.roomInReply)
      var other = Self.contact(&random)
      other.id = contact.id
      other.createdAt = contact.hasCreatedAt ? contact.createdAt : .init(nanosecondsSince1970: 7)
      try fixture.write { try $0.contacts.update(other) }
      #expect(try fixture.read { try $0.contacts.get(contact.id) } == other)
    }
    #expect(try fixture.check() == "ok")
  }

  @Test func updateKeepsTheCreationStamp() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    var contact = Contact("Ann")
    contact.createdAt = .init(nanosecondsSince1970: 5)
    try fixture.write { try $0.contacts.insert(contact) }
    contact.createdAt = .init(nanosecondsSince1970: 6)
    contact.note = "new"
    try fixture.write { try $0.contacts.update(contact) }
    let stored = try fixture.read { try $0.contacts.get(contact.id) }
    #expect(stored?.createdAt.nanosecondsSince1970 == 5)
    #expect(stored?.note == "new")
  }

  @Test func nulIsLeftOutAndNothingAfterIt() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    var contact = Contact("Ann\u{0}Lee")
    contact.phones = [
      LabeledValue.with {
        $0.value = "1\u{0}2"; $0.types = ["A\u{0}B"]
      }
    ]
    try fixture.write { try $0.contacts.insert(contact) }
    let stored = try fixture.read { try $0.contacts.get(contact.id) }
    #expect(stored?.formattedName == "AnnLee")
    #expect(stored?.phones.first?.value == "12")
    #expect(stored?.phones.first?.types == ["AB"])
  }

  @Test func stampsThatNoClockGivesAreLeftOut() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    var contact = Contact("Ann")
    contact.updatedAt = Google_Protobuf_Timestamp(seconds: .max, nanos: .max)
    try fixture.write { try $0.contacts.insert(contact) }
    #expect(try fixture.read { try $0.contacts.get(contact.id) }?.hasUpdatedAt == false)
  }

  @Test func whatCannotBeStoredIsNamed() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let ann = Contact("Ann")
    try fixture.write { try $0.contacts.insert(ann) }
    let failure = #expect(throws: Failure.self) { try fixture.write { try $0.contacts.insert(ann) } }
    #expect(failure?.reason == "RECORD_EXISTS")
    var photo = Contact("Bob")
    photo.photo.sha256 = "beef"
    let invalid = #expect(throws: Failure.self) { try fixture.write { try $0.contacts.insert(photo) } }
    #expect(invalid?.status.details.keys.first == "photo.sha256")
    let source = #expect(throws: Failure.self) {
      try fixture.write { try $0.contacts.insert(Contact("C", source: "x")) }
    }
    #expect(source?.reason == "RECORD_UNKNOWN")
    let unknown = #expect(throws: Failure.self) { try fixture.write { try $0.contacts.update(Contact("D")) } }
    #expect(unknown?.code == .notFound)
  }

  /// A contact with random fields, most of them empty.
  private static func contact(_ random: inout SeededGenerator) -> Contact {
    var contact = Contact(self.text(&random))
    contact.sourceIdentifier = self.text(&random)
    contact.uid = self.text(&random)
    if Bool.random(using: &random) {
      contact.name = Name.with {
        $0.prefix = self.text(&random)
        $0.given = self.text(&random)
        $0.middle = self.text(&random)
        $0.family = self.text(&random)
        $0.suffix = self.text(&random)
        $0.phoneticGiven = self.text(&random)
        $0.phoneticFamily = self.text(&random)
        $0.phoneticMiddle = self.text(&random)
      }
    }
    contact.nickname = self.text(&random)
    contact.organization = self.text(&random)
    contact.phoneticOrganization = self.text(&random)
    contact.department = self.text(&random)
    contact.title = self.text(&random)
    contact.role = self.text(&random)
    contact.kind = self.text(&random)
    contact.birthday = self.text(&random)
    contact.note = self.text(&random)
    contact.photoUri = self.text(&random)
    contact.revision = self.text(&random)
    contact.etag = self.text(&random)
    contact.stale = Bool.random(using: &random)
    contact.phones = self.values(&random)
    contact.emails = self.values(&random)
    contact.urls = self.values(&random)
    contact.dates = self.values(&random)
    contact.impps = self.values(&random)
    contact.related = self.values(&random)
    contact.categories = self.texts(&random)
    contact.members = self.texts(&random)
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      contact.addresses.append(
        Address.with {
          $0.label = self.text(&random)
          $0.labelRaw = self.text(&random)
          $0.types = self.texts(&random)
          $0.pref = .random(in: 0 ... .max, using: &random)
          $0.street = self.text(&random)
          $0.extended = self.text(&random)
          $0.poBox = self.text(&random)
          $0.subLocality = self.text(&random)
          $0.city = self.text(&random)
          $0.subRegion = self.text(&random)
          $0.region = self.text(&random)
          $0.postalCode = self.text(&random)
          $0.country = self.text(&random)
          $0.countryCode = self.text(&random)
          $0.formatted = self.text(&random)
        })
    }
    if Bool.random(using: &random) {
      contact.photo.sha256 = String(repeating: "0af7", count: 16)
      contact.photo.size = .random(in: 0 ... .max, using: &random)
      contact.photo.mediaType = self.text(&random)
    }
    if Bool.random(using: &random) { contact.createdAt = self.stamp(&random) }
    if Bool.random(using: &random) { contact.updatedAt = self.stamp(&random) }
    if Bool.random(using: &random) { contact.deletedAt = self.stamp(&random) }
    if Bool.random(using: &random) { contact.missingSince = self.stamp(&random) }
    return contact
  }

  private static func values(_ random: inout SeededGenerator) -> [LabeledValue] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in
      LabeledValue.with {
        $0.label = self.text(&random)
        $0.value = self.text(&random)
        $0.pref = .random(in: 0 ... .max, using: &random)
        $0.labelRaw = self.text(&random)
        $0.types = self.texts(&random)
      }
    }
  }

  private static func texts(_ random: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in self.text(&random) }
  }

  private static func stamp(_ random: inout SeededGenerator) -> Google_Protobuf_Timestamp {
    .init(nanosecondsSince1970: .random(in: -9_000_000_000_000_000_000...9_000_000_000_000_000_000, using: &random))
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    let pieces = [
      "", "", "a", "B", "é", "e\u{301}", "山", "ｱﾞ", "👩‍👧", ",", "\\", "\n", "\u{1}", "\u{1F}", "\u{7F}", "\u{85}", "\"",
      "'", " ",
      "\u{10FFFF}", "%", "0",
    ]
    return (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }
}
