import Digest
import Foundation
import KithMessages
import SwiftProtobuf

/// Contacts as a large household may have them, the same in every run: Latin and Japanese names, notes, photos.
struct Household {
  private var state: UInt64 = 1

  private static let given = [
    "John", "Mary", "Ann", "Peter", "Hans", "Ulrike", "François", "Maria", "José", "Zoë", "Emma", "Liam", "Olga",
    "Ivan",
  ]
  private static let syllables = [
    "ka", "ri", "to", "mo", "sen", "ber", "g", "lin", "ar", "ol", "dis", "chu", "ne", "vi", "pas",
  ]
  private static let families = [("山田", "やまだ"), ("佐藤", "さとう"), ("鈴木", "すずき"), ("高橋", "たかはし"), ("渡辺", "わたなべ")]
  private static let japaneseGiven = [("太郎", "たろう"), ("花子", "はなこ"), ("健", "けん"), ("さくら", "さくら"), ("一郎", "いちろう")]

  /// A picture of 20 KB that no other contact has.
  mutating func picture() -> Picture {
    var picture = Picture()
    var bytes = Data(capacity: 20_480)
    for _ in 0..<2_560 { withUnsafeBytes(of: self.next()) { bytes.append(contentsOf: $0) } }
    picture.data = bytes
    picture.ref.sha256 = Hex.encode(SHA256.digest(Array(bytes)))
    picture.ref.size = UInt64(bytes.count)
    picture.ref.mediaType = "image/jpeg"
    return picture
  }

  /// The contact of a number; every fifth has a Japanese name, every third a note.
  mutating func contact(_ number: Int, id: String, source: String) -> Contact {
    var contact = Contact()
    contact.id = id
    contact.source = source
    contact.sourceIdentifier = "\(number).vcf"
    contact.uid = id
    let family = self.word(3)
    if number.isMultiple(of: 5) {
      let (kanji, reading) = self.pick(Self.families)
      let (givenKanji, givenReading) = self.pick(Self.japaneseGiven)
      contact.name.family = kanji
      contact.name.given = givenKanji
      contact.name.phoneticFamily = reading
      contact.name.phoneticGiven = givenReading
      contact.formattedName = "\(kanji) \(givenKanji)"
    } else {
      contact.name.given = self.pick(Self.given)
      contact.name.family = family.capitalized
      contact.formattedName = "\(contact.name.given) \(contact.name.family)"
    }
    contact.organization = "\(self.word(3).capitalized) GmbH"
    contact.title = "Manager"
    contact.phones = [
      self.value("mobile", "+49 30 \(self.next() % 10_000_000)", ["CELL"]),
      self.value("work", "03-12\(self.next() % 100)-\(self.next() % 10_000)", ["WORK", "VOICE"]),
    ]
    contact.emails = [
      self.value("work", "\(family).\(number)@\(self.word(2)).example", ["WORK"]),
      self.value("home", "\(family)\(number)@mail.example", ["HOME"]),
    ]
    var address = Address()
    address.label = "home"
    address.street = "\(self.next() % 200) \(self.word(3).capitalized) Street"
    address.city = self.word(3).capitalized
    address.postalCode = "\(self.next() % 100_000)"
    address.country = "Germany"
    contact.addresses = [address]
    contact.birthday = "1980-01-01"
    if number.isMultiple(of: 3) { contact.note = (0..<20).map { _ in self.word(3) }.joined(separator: " ") }
    if number == 7_777 { contact.note += " quetzalcoatl" }
    contact.createdAt = .init(seconds: 1, nanos: 0)
    contact.updatedAt = contact.createdAt
    return contact
  }

  private func value(_ label: String, _ text: String, _ types: [String]) -> LabeledValue {
    var value = LabeledValue()
    value.label = label
    value.value = text
    value.types = types
    return value
  }

  private mutating func word(_ syllables: Int) -> String {
    (0..<syllables).map { _ in self.pick(Self.syllables) }.joined()
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int(self.next() % UInt64(choices.count))]
  }

  /// SplitMix64.
  private mutating func next() -> UInt64 {
    self.state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = self.state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
