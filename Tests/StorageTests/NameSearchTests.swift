import KithMessages
import SwiftProtobuf
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

  @Test(arguments: testSeeds(short: 2, full: 200)) func `finds what the rules say`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let common = seed.isMultiple(of: 2) ? "Maria" : "M."
    let fixture = try Self.household(common, &random)
    try fixture.read { view in
      let plain = try PlainNameSearch(view.database)
      let texts = [
        SearchedTexts(database: view.database, kind: .contact),
        SearchedTexts(database: view.database, kind: .person, place: try view.records.account),
      ]
      for _ in 0..<60 {
        let text = Self.text(common, &random)
        var search = NameSearch(database: view.database, texts: texts)
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

  @Test(arguments: [
    ("さとう はなこ", "Saito Hanako"), ("Jonn Miller", "Jan Miller"), ("やまもと はなこ", "Yamanota Hanako"),
    ("Anna Maria Müller", "Anne Maria Müller"), ("やまもと", "Yamanota Hanako"),
  ])
  func `words may be misspelt beside others, and in kana as far as in romaji`(text: String, name: String) throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      for name in [name, "Peter Hanako", "Ann Miller"] { try transaction.contacts.insert(Contact(name)) }
    }
    #expect(try fixture.read { try $0.contacts.search(text) }.contacts.first?.formattedName == name)
  }

  @Test func `a short name is not misspelt beside another`() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { try $0.contacts.insert(Contact("Joe Miller")) }
    #expect(try fixture.read { try $0.contacts.search("Jon Miller") }.contacts.isEmpty)
    #expect(try fixture.read { try $0.contacts.search("Jon") }.contacts.count == 1)
  }

  @Test(arguments: [("Xu", "Su Chen"), ("Ja", "Mia Weber"), ("Ju", "Liu Wei")])
  func `two letters are not misspelt`(text: String, name: String) throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { try $0.contacts.insert(Contact(name)) }
    #expect(try fixture.read { try $0.contacts.search(text) }.contacts.isEmpty)
  }

  @Test(arguments: [
    ("Philip Smith", "P. Smith"), ("Christian Weber", "C. Weber"), ("Cecilia Weber", "C. Weber"),
    ("Filip Smith", "F. Smith"), ("ふみこ 田中", "F. 田中"), ("ちえ 田中", "C. 田中"), ("Johannes Weber", "J. Weber"),
    // A word may be heard, or be in the full text alone, beside an initial.
    ("Kathrin S", "Catherine Smith"), ("Dr Jonathan Smith", "J. Smith"),
  ])
  func `a name is found by its initial`(text: String, name: String) throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      var contact = Contact(name)
      contact.name.prefix = "Dr"
      try transaction.contacts.insert(contact)
      try transaction.contacts.insert(Contact("T. Weber"))
    }
    #expect(try fixture.read { try $0.contacts.search(text) }.contacts.map(\.formattedName) == [name])
  }

  @Test(arguments: [
    ("christian", "c", true), ("c", "christian", true), ("catharine", "katherine", true), ("ella", "eva", false),
    ("anna", "ada", false),
  ])
  func `words of two names are near`(one: String, other: String, areNear: Bool) {
    #expect(NameSearch.areNear(one, other) == areNear && NameSearch.areNear(other, one) == areNear)
  }

  @Test func `initials do not hide a name of two letters`() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      try transaction.contacts.insert(Contact("ゆう"))
      var other = Contact("Ueda Yuki")
      (other.name.family, other.name.given) = ("Ueda", "Yuki")
      try transaction.contacts.insert(other)
    }
    #expect(
      Set(try fixture.read { try $0.contacts.search("Yu") }.contacts.map(\.formattedName)) == ["ゆう", "Ueda Yuki"])
  }

  /// More have the name than are looked at one by one.
  @Test func `an initial is found among many of one name`() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      for number in 0..<260 { try transaction.contacts.insert(Contact(number == 230 ? "さとう けんいち" : "さとう ひろし")) }
    }
    #expect(try fixture.read { try $0.contacts.search("K さとう") }.contacts.map(\.formattedName) == ["さとう けんいち"])
  }

  /// GmbH sounds like Kempe, and Hempel is as far from Kempe as a word that sounds like it may be.
  @Test(arguments: ["Kempe", "Kempe Ann"]) func `a word is heard where it is written, not in another one`(text: String)
    throws
  {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      for name in ["Ann Hempel GmbH", "Ann Kambe"] { try transaction.contacts.insert(Contact(name)) }
    }
    #expect(try fixture.read { try $0.contacts.search(text) }.contacts.map(\.formattedName) == ["Ann Kambe"])
  }

  @Test(arguments: [("GmbH", "GmbH Smiht"), ("商会", "商会 Smiht")])
  func `a word that too many have does not hide a misspelt one beside it`(common: String, text: String) throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      let cards = try (0..<(NameSearch.exactLimit + 1)).map { number in
        var contact = Contact(common)
        (contact.id, contact.source) = ("\(number)", "home")
        if number == NameSearch.exactLimit { contact.formattedName = "Smith \(common)" }
        return (card: CardRead.with { $0.href = "\(number)" }, contact: try PreparedContact(contact))
      }
      try transaction.cards.insert(cards, in: "home")
    }
    #expect(try fixture.read { try $0.contacts.search(text) }.contacts.map(\.formattedName) == ["Smith \(common)"])
  }

  /// More have an initial than are looked at one by one, and the one that fits is beyond the beginning of the list of Smith.
  @Test func `a name that too many have does not hide an initial`() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    try fixture.write { transaction in
      let smiths = NameSearch.exactLimit + 1
      let cards = try (0...(smiths + 300)).map { number in
        var contact = Contact(number < smiths ? "Smith" : number < smiths + 300 ? "J. Weber" : "J. Smith")
        (contact.id, contact.source) = ("\(number)", "home")
        return (card: CardRead.with { $0.href = "\(number)" }, contact: try PreparedContact(contact))
      }
      try transaction.cards.insert(cards, in: "home")
    }
    #expect(
      try fixture.read { try $0.contacts.search("Jonathan Smith") }.contacts.map(\.formattedName) == ["J. Smith"])
  }

  /// 210 owners of one name, who come first by their numbers: more than are looked at one by one.
  private static func household(_ common: String, _ random: inout SeededGenerator) throws -> ContactsFixture {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    for _ in 0..<40 {
      _ = try fixture.addPerson(Self.pick(Self.given, &random), Self.pick(Self.families, &random))
    }
    try fixture.write { transaction in
      for index in 0..<400 {
        let given = index < 210 ? common : Self.pick(Self.given, &random)
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
  private static func text(_ common: String, _ random: inout SeededGenerator) -> String {
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
    if Int.random(in: 0..<3, using: &random) == 0 { words.append(common) }
    return words.joined(separator: " ")
  }

  private static func pick(_ choices: [String], _ random: inout SeededGenerator) -> String {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }
}
