import KithMessages
import TestKit
import Testing

@testable import Storage

/// Searches random households for names written in many ways; each must find what the plain rules find.
@Suite struct NameSearchTests {
  private static let given = [
    "Anna", "Ann", "Hanna", "Marianne", "Maria", "Mary Ann", "Jon", "John", "Johan", "José", "Zoë", "Jean-Luc", "J.",
    "M.", "さくら", "太郎", "けん", "健一", "Catharine", "Katherine", "Νίκος", "דוד",
  ]
  private static let families = [
    "Müller", "Mueller", "Johnson", "Jonson", "Johansson", "García", "O'Brien", "Dvořák", "Åkesson", "de la Cruz",
    "Sato", "さとう", "佐藤", "山田", "やまだ", "Yamada", "Smith", "Smyth", "Szewczyk", "Łukaszewicz", "Γεωργίου", "לוי", "S.",
  ]

  private static let commonName = "Maria"

  @Test(arguments: testSeeds(short: 4, full: 200)) func `finds what the rules say`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try Self.household(&random)
    try fixture.read { view in
      let plain = try PlainNameSearch(view.database)
      let people = PersonSearch(database: view.database, account: try view.records.account)
      for _ in 0..<60 {
        let text = Self.text(&random)
        var search = NameSearch(
          database: view.database, contacts: ContactSearch(database: view.database), people: people)
        for misspelt in [false, true] {
          var found: [NameOwner: Int] = [:]
          try search.find(text, misspelt: misspelt) { owners in
            for entry in owners.entries where found[entry.owner].map({ $0 > entry.distance }) ?? true {
              found[entry.owner] = entry.distance
            }
            return true
          }
          #expect(found == plain.find(text, misspelt: misspelt), "\(text), misspelt: \(misspelt), seed \(seed)")
        }
      }
    }
  }

  /// 210 owners of one word, who come first by their numbers: more than are looked at one by one.
  private static func household(_ random: inout SeededGenerator) throws -> ContactsFixture {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    for _ in 0..<40 {
      _ = try fixture.addPerson(Self.pick(Self.given, &random), Self.pick(Self.families, &random))
    }
    try fixture.write { transaction in
      for index in 0..<400 {
        let given = index < 210 ? Self.commonName : Self.pick(Self.given, &random)
        let family = Self.pick(Self.families, &random)
        var contact = Contact("\(given) \(family)")
        (contact.name.given, contact.name.family) = (given, family)
        if Int.random(in: 0..<5, using: &random) == 0 { contact.name.prefix = "Dr" }
        if Int.random(in: 0..<5, using: &random) == 0 { contact.name.phoneticFamily = "やまだ" }
        if Int.random(in: 0..<5, using: &random) == 0 { contact.organization = "Anderson & Müller GmbH" }
        try transaction.contacts.insert(contact)
      }
    }
    return fixture
  }

  /// One to four words: names as they are, misspelt, in part, or words that nobody has. Many end with the common name.
  private static func text(_ random: inout SeededGenerator) -> String {
    var words = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      var letters = Array(Self.pick(Self.given + Self.families + ["Dr", "GmbH", "Xylophone", "薔薇"], &random))
      let place = Int.random(in: 0..<letters.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: letters = [letters[0]]
      case 1: letters = Array(letters[...place])
      case 2: letters = Array(letters[place...])
      case 3: letters[place] = "e"
      case 4: letters.insert("n", at: place)
      case 5: letters.swapAt(place, 0)
      default: break
      }
      return String(letters)
    }
    if Int.random(in: 0..<3, using: &random) == 0 { words.append(Self.commonName) }
    return words.joined(separator: " ")
  }

  private static func pick(_ choices: [String], _ random: inout SeededGenerator) -> String {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }
}
